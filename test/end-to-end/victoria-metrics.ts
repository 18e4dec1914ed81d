import { type ServerProcess, startServer } from './server-process.ts';

/** Starts a VictoriaMetrics on a free port, and waits until it is ready. */
export function startVictoriaMetrics(): Promise<ServerProcess> {
  return startServer({
    tool: 'victoria-metrics',
    ready: '/health',
    args: async (address, folder) => [
      `-httpListenAddr=${address}`,
      `-storageDataPath=${folder}/data`,
      '-retentionPeriod=30d',
      '-search.latencyOffset=0',
      // Without this flag, a sample that arrives twice is stored twice.
      '-dedup.minScrapeInterval=1ms',
    ],
  });
}
