/**
 * Watches the event loop of the exporter's process on command of the parent process. Reports the longest
 * delay (ms), without the time in which the main thread waited for a CPU. The timer ticks every millisecond,
 * so the result is about one millisecond too high.
 */
import { openSync, readSync } from 'node:fs';

/** Command of the parent process: start to watch, or report the longest delay. */
export type BlockCommand = 'watch' | 'tell';

const NANOSECONDS_A_MS = 1e6;
const TIMES = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(100);

function waited(): number {
  const length = readSync(TIMES, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / NANOSECONDS_A_MS;
}

let longest = 0;

function watch(): void {
  let [turnedAt, waitedBefore] = [performance.now(), waited()];
  setInterval(() => {
    const [now, waiting] = [performance.now(), waited()];
    longest = Math.max(longest, now - turnedAt - (waiting - waitedBefore));
    [turnedAt, waitedBefore] = [now, waiting];
  }, 1).unref();
}

process.on('message', (command: BlockCommand) => {
  if (command === 'watch') watch();
  else process.send?.({ longest });
  longest = 0;
});
// The channel to the parent does not keep the exporter running.
process.channel?.unref();
