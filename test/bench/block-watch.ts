/**
 * Loaded into the exporter's process before it starts: watches its event loop from when the parent says so, and tells the
 * longest block. Its timer ticks every millisecond, so that what it tells is the block, and about one more.
 */
import { type Block, LongestBlock } from './cpu-wait.ts';

/** What the parent asks for: to watch from now on, or to tell what was seen. */
export type BlockCommand = 'watch' | 'tell';

export type BlockTold = Block;

let watched: LongestBlock | undefined;

process.on('message', (command: BlockCommand) => {
  if (command === 'watch') {
    const blocks = new LongestBlock();
    watched = blocks;
    setInterval(() => blocks.turn(), 1).unref();
  } else if (watched !== undefined) process.send?.(watched.take() satisfies BlockTold);
});
// The exporter ends by itself, as without a parent that listens.
process.channel?.unref();
