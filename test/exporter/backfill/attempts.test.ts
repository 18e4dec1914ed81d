import { expect, it } from 'vitest';
import { inParallel } from '../../../src/exporter/backfill/attempts.ts';

const never = new AbortController().signal;

it('works on every item, in their order, no more at once than told', async () => {
  const begun: number[] = [];
  let atOnce = 0;
  let most = 0;
  const items = Array.from({ length: 20 }, (_, index) => index);
  const work = async (item: number) => {
    begun.push(item);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
  };
  await inParallel(items, 3, work, never);
  expect(begun).toEqual(items);
  expect(most).toBe(3);
});

it('ends with the first failure: it aborts what is under way and begins nothing else', async () => {
  const begun: number[] = [];
  let aborted = 0;
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item);
    if (item === 1) throw new Error('broken');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const counted = (item: number, signal: AbortSignal) =>
    work(item, signal).catch((error) => {
      aborted += item === 1 ? 0 : 1;
      throw error;
    });
  await expect(inParallel([0, 1, 2, 3, 4, 5], 3, counted, never)).rejects.toThrow('broken');
  expect(begun).toEqual([0, 1, 2]);
  expect(aborted).toBe(2);
});

it('ends with the reason of the signal', async () => {
  const ending = new AbortController();
  const work = async () => ending.abort(new Error('enough'));
  await expect(inParallel([1, 2, 3], 1, work, ending.signal)).rejects.toThrow('enough');
});

it('ends when there is nothing to do', async () => {
  await inParallel([], 3, () => Promise.reject(new Error('nothing to do')), never);
});
