import { startServer } from './server-process.ts';

/** A real Pushgateway: the Go client's exposition, as a peer. */
export interface Pushgateway {
  readonly url: string;
  readonly log: () => string;
  /** Pushes text-format metrics in the place of a job's. */
  readonly push: (job: string, metrics: string | Uint8Array) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a Pushgateway on a free port. */
export async function startPushgateway(): Promise<Pushgateway> {
  const server = await startServer({
    tool: 'pushgateway',
    ready: '/-/ready',
    args: async (address) => [`--web.listen-address=${address}`],
  });
  return {
    url: server.url,
    log: server.process.output,
    stop: server.stop,
    async push(job, metrics) {
      const response = await fetch(`${server.url}/metrics/job/${job}`, { method: 'PUT', body: metrics });
      if (!response.ok) throw new Error(`the push was refused: ${await response.text()}`);
    },
  };
}
