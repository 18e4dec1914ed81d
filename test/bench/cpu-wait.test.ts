import { expect, it } from 'vitest';
import { LongestBlock } from './cpu-wait.ts';

it('tells the longest block, the longest without what was waited for a CPU, and the longest run', () => {
  const process = { now: 0, waited: 0, ran: 0 };
  const blocks = new LongestBlock(
    () => ({ ...process }),
    () => process.now,
  );
  const turnAfter = (ms: number, waited: number, ran: number) => {
    process.now += ms;
    process.waited += waited;
    process.ran += ran;
    blocks.turn();
  };
  turnAfter(20, 0, 12);
  turnAfter(100, 95, 5);
  turnAfter(3, 3, 0);
  expect(blocks.take()).toEqual({ longest: 100, longestOwn: 20, longestRun: 12 });
  turnAfter(4, 1, 2);
  expect(blocks.take()).toEqual({ longest: 4, longestOwn: 3, longestRun: 2 });
});
