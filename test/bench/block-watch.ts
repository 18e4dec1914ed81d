/**
 * Loaded into the exporter's process before it starts: watches its event loop from when the parent says so, and tells the
 * longest stretch (ms) in which it was held up, without what the main thread waited for a CPU: of two programs that take turns
 * on one, each seems to be blocked by itself. Its timer ticks every millisecond, so that what it tells is that, and about one more.
 */
import { openSync, readSync } from 'node:fs';

/** What the parent asks for: to watch from now on, or to tell what was seen. */
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
// The exporter ends without a parent that listens.
process.channel?.unref();
