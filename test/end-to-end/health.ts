import { readFileSync } from 'node:fs';
import type { ExporterProcess } from './exporter-process.ts';

/** Time in seconds until an exporter reported that it is healthy. */
export interface Health {
  readonly wall: number;
  /** CPU time (s) of its main thread before the answer. */
  readonly cpu: number;
}

/**
 * Measures the health check of an exporter; undefined if its process has ended.
 * @throws Error if the exporter reports that it is not healthy
 */
export async function healthOf({ url, process }: ExporterProcess): Promise<Health | undefined> {
  const [cpu, begun] = [cpuSeconds(process.pid), performance.now()];
  const response = await fetch(`${url}/-/healthy`).catch(() => undefined);
  if (!process.running()) return undefined;
  if (response?.status !== 200) throw new Error(`/-/healthy answered ${response?.status}`);
  return { wall: (performance.now() - begun) / 1_000, cpu: cpuSeconds(process.pid) - cpu };
}

function cpuSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}
