import { expect, it } from 'vitest';
import { LongestBlock } from './cpu-wait.ts';

it('tells the longest block, and the longest without what was waited for a CPU, which may be another one', () => {
  const process = { now: 0, waited: 0 };
  const blocks = new LongestBlock(
    () => process.waited,
    () => process.now,
  );
  const turnAfter = (ms: number, waited: number) => {
    process.now += ms;
    process.waited += waited;
    blocks.turn();
  };
  turnAfter(20, 0);
  turnAfter(100, 95);
  turnAfter(3, 3);
  expect(blocks.take()).toEqual({ longest: 100, longestOwn: 20 });
  turnAfter(4, 1);
  expect(blocks.take()).toEqual({ longest: 4, longestOwn: 3 });
});
