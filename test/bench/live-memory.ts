/**
 * Loaded into the exporter's process before it starts: whenever the parent asks, collects all garbage and tells what is
 * left. Until then the process is as users run it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is in use (bytes). */
export interface LiveMemory {
  readonly heap: number;
  /** Buffers and typed arrays outside of it, for the most part. */
  readonly external: number;
}

/** What a collection finds to be garbage may own more, which the next one finds. */
const COLLECTIONS = 3;

process.on('message', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < COLLECTIONS; time += 1) {
    collect();
    // Memory outside of the heap is given back in turns of their own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed: heap, external } = process.memoryUsage();
  process.send?.({ heap, external } satisfies LiveMemory);
});
// The exporter ends by itself, as without a parent that listens.
process.channel?.unref();
