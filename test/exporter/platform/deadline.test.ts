import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { DeadlineExceeded, unlessAborted, withDeadline } from '../../../src/exporter/clock.ts';

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('work in time gives its result and leaves nothing behind on a long-lived signal', async () => {
  const outer = new AbortController();
  for (let turn = 0; turn < 100; turn += 1) {
    expect(await withDeadline(60_000, outer.signal, async () => turn)).toBe(turn);
    expect(await unlessAborted(Promise.resolve(turn), outer.signal)).toBe(turn);
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});

test('work that takes too long is told so', async () => {
  await expect(withDeadline(10, new AbortController().signal, forever)).rejects.toBeInstanceOf(
    DeadlineExceeded,
  );
});

test("work under a signal that aborts ends with that signal's reason", async () => {
  const outer = new AbortController();
  const work = withDeadline(60_000, outer.signal, forever);
  outer.abort(new Error('stopped'));
  await expect(work).rejects.toThrow('stopped');
  await expect(withDeadline(60_000, outer.signal, async () => 'never runs')).rejects.toThrow('stopped');
});

test('one who stops waiting leaves the work to the others, and its later failure to nobody', async () => {
  const stop = new AbortController();
  let fail = (_: Error): void => undefined;
  const shared = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const waiting = unlessAborted(shared, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(unlessAborted(shared, stop.signal)).rejects.toThrow('stopped');
  fail(new Error('an unhandled one would fail this run'));
  await new Promise((resolve) => setImmediate(resolve));
});
