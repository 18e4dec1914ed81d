import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { DiscoveryJob } from '../../../src/exporter/account/discovery-job.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';

afterEach(sliceByTime);

const CONFIGURATIONS = 20;

/** A list, and how many of its items were looked at. */
function watchedList() {
  let looked = 0;
  const items = Array.from({ length: CONFIGURATIONS }, (_, index) => ({
    get id() {
      looked += 1;
      return `${index}`;
    },
  }));
  return { items, looked: () => looked };
}

it('a list of configurations is decoded, and exposed, a few in each turn of the event loop', async () => {
  const job = new DiscoveryJob({
    memory: new AccountMemory(NO_MEMORY),
    account: 'large',
    product: productOf('analytics', 'content_delivery'),
    schedule: '0 * * * *',
    addressing: 'domain',
    platformClock: new PlatformClock(Date.now),
    most: () => CONFIGURATIONS,
  });
  const { items, looked } = watchedList();
  let isRead = false;
  sliceBySteps();
  const reading = job.read(() => Promise.resolve({ body: items, bytes: 0 }), new AbortController().signal);
  void reading.finally(() => {
    isRead = true;
  });
  const decodedInTurns = await doneInTurns(looked, CONFIGURATIONS);
  expect(Math.max(...decodedInTurns)).toBe(STEPS_A_TURN);
  let turns = 0;
  for (; !isRead; turns += 1) await setImmediate();
  expect(turns).toBeGreaterThanOrEqual(CONFIGURATIONS / STEPS_A_TURN - 1);
  expect((await reading).samples).toHaveLength(CONFIGURATIONS + 1);
});
