import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { doneInTurns } from '../../work-in-turns.ts';
import { unobserved } from './polling.ts';

const ACCOUNTS = 100;

function performAll(turns = new Turns(), failure?: Error) {
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
      if (failure !== undefined) throw failure;
      return { body: null, bytes: 0 };
    });
    const read = operations.readFor('metrics');
    await read(() => ({ path, version: 1 }), new AbortController().signal).catch((error: unknown) => {
      if (error !== failure) throw error;
    });
    taken.push(path);
  });
  return { sent, taken, answer, resources, all: Promise.all(performed) };
}

it.each([
  ['answer is taken in', undefined],
  ['failure is', new Error('no answer')],
])('of many accounts one request leaves, and one %s, in each turn of the event loop', async (_, failure) => {
  const { sent, taken, answer, resources, all } = performAll(new Turns(), failure);
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
      get scrapes() {
        return isHeld ? 1 : 0;
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
