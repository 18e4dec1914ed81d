import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { doneInTurns } from '../../work-in-turns.ts';
import { unobserved } from './polling.ts';

const ACCOUNTS = 100;

/** The first operations of many accounts, which leave at once; the platform answers all of them at the same moment. */
function performAll(turns = new Turns()) {
  const clock = new SimulatedClock();
  const sent: string[] = [];
  const taken: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const resources = Array.from({ length: ACCOUNTS }, (_, index) => `/account-${index}`);
  const performed = resources.map(async (path) => {
    const queue = { turn: async () => () => undefined };
    const operations = unobserved({ clock, turns, timeoutMs: 30_000, queue }, async () => {
      sent.push(path);
      await answered;
      return { body: null, bytes: 0 };
    });
    await operations.readFor('metrics')(() => ({ path, version: 1 }), new AbortController().signal);
    taken.push(path);
  });
  return { sent, taken, answer, resources, all: Promise.all(performed) };
}

it('of many accounts one request leaves, and one answer is taken in, in each turn of the event loop', async () => {
  const { sent, taken, answer, resources, all } = performAll();
  const leaving = await doneInTurns(() => sent.length, ACCOUNTS);
  expect(Math.max(...leaving)).toBe(1);
  answer();
  const arriving = await doneInTurns(() => taken.length, ACCOUNTS);
  expect(Math.max(...arriving)).toBe(1);
  await all;
  expect([sent, taken]).toEqual([resources, resources]);
});

it('no request leaves and no answer is taken in while a scrape waits', async () => {
  let isHeld = true;
  const { sent, taken, answer, all } = performAll(
    new Turns({
      get isAwaited() {
        return isHeld;
      },
    }),
  );
  const someTurns = async () => {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  };
  await someTurns();
  expect(sent).toEqual([]);
  isHeld = false;
  await doneInTurns(() => sent.length, ACCOUNTS);
  isHeld = true;
  answer();
  await someTurns();
  expect(taken).toEqual([]);
  isHeld = false;
  await all;
});
