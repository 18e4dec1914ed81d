import { readFileSync } from 'node:fs';
import type { Ending, RunningProcess } from './child-process.ts';

/** End of a process, and the time (ms) from the request to the end. */
export interface TimedEnding {
  readonly ending: Ending;
  /** Time (ms) without the periods in which the process was ready to run but a busy machine ran others. */
  readonly ms: number;
}

/** Asks a process to end with a signal, and waits for its end. */
export async function timeToEnd(process: RunningProcess, signal: NodeJS.Signals): Promise<TimedEnding> {
  const keptBefore = keptWaiting(process.pid) ?? 0;
  let kept = keptBefore;
  const look = () => {
    kept = keptWaiting(process.pid) ?? kept;
  };
  const looks = setInterval(look, 20);
  const asked = performance.now();
  process.kill(signal);
  const ending = await process.ended;
  clearInterval(looks);
  return { ending, ms: performance.now() - asked - (kept - keptBefore) };
}

function keptWaiting(pid: number): number | undefined {
  try {
    const [, waited = ''] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return undefined;
  }
}
