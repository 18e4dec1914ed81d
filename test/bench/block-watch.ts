/**
 * Loaded into the exporter's process before it starts: watches its event loop from when the parent says so, and tells the
 * longest block. Its clock ticks every millisecond, so that what it tells is the block, and at most one more.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the parent asks for: to watch from now on, or to tell what was seen. */
export type BlockCommand = 'watch' | 'tell';

export interface BlockTold {
  /** Milliseconds. */
  readonly longestBlock: number;
}

const NANOSECONDS_A_MS = 1e6;

const delays = monitorEventLoopDelay({ resolution: 1 });
process.on('message', (command: BlockCommand) => {
  if (command === 'watch') delays.enable();
  else process.send?.({ longestBlock: delays.max / NANOSECONDS_A_MS } satisfies BlockTold);
});
// The exporter ends by itself, as without a parent that listens.
process.channel?.unref();
