import { setMaxListeners } from 'node:events';

/**
 * Works on items, several at once, in their order. The first failure ends everything: what is under way is aborted,
 * nothing else is begun, and it is thrown.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  // Each worker waits on it in its own way; more than ten at once are no leak.
  setMaxListeners(0, ending);
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    try {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        ending.throwIfAborted();
        await work(next.value, ending);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  ending.throwIfAborted();
}
