import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Account } from '../../../src/exporter/account/account.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { CONFIG, DEFAULT_LIMITS } from '../../../src/exporter/configuration/schema.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { reportTo } from '../../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { runInSlices } from '../../../src/exporter/slices.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';
import { noToken } from '../credentials/no-token.ts';

afterEach(sliceByTime);

const { metrics } = productOf('analytics', 'content_delivery');

/** An account whose minute begins when the test says so, of a platform that takes no token. */
function makeAccount(state = memoryState()) {
  const clock = new SimulatedClock();
  const minute = new Set<(at: number) => void>();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const observer = reportTo(createSelfMetrics(), log, clock);
  const products = { content_delivery: { by: ['product'], metrics } };
  const { accounts } = CONFIG.parse({
    accounts: [
      {
        name: 'large',
        api_url: 'http://127.0.0.1:9',
        token: 'x',
        collectors: { analytics: { products } },
      },
    ],
  });
  const [config] = accounts;
  if (config === undefined) throw new Error('no account');
  const account = new Account({
    config,
    clock,
    ticker: (pattern, fire) => {
      if (pattern === '* * * * *') minute.add(fire);
      return () => void minute.delete(fire);
    },
    store: new Store({ seriesLimit: 1_000 }),
    ownership: { state },
    observer,
    credentials: () => noToken(),
    turns: new Turns(),
    limits: () => DEFAULT_LIMITS,
  });
  return { account, observer, clock, beginMinute: () => minute.forEach((fire) => void fire(clock.now())) };
}

/** As the minute begins, how many jobs are looked at in each turn of the event loop. */
async function lookedAtInTurns(look: 'cost' | 'expectedAge'): Promise<number[]> {
  const { account, beginMinute } = makeAccount();
  account.start();
  onTestFinished(() => account.stop(new AbortController().signal));
  const series = () => account.view.jobs().flatMap(({ job }) => (job.expectedAge === undefined ? [] : [job]));
  while (series().length < metrics.length) await setImmediate();
  let looked = 0;
  for (const job of series()) {
    vi.spyOn(job, look).mockImplementation(() => {
      looked += 1;
      return 1;
    });
  }
  sliceBySteps();
  beginMinute();
  return doneInTurns(() => looked, metrics.length);
}

it.each(['cost', 'expectedAge'] as const)(
  'an account takes stock of a few jobs in each turn of the event loop as the minute begins: %s',
  async (look) => {
    expect(Math.max(...(await lookedAtInTurns(look)))).toBe(STEPS_A_TURN);
  },
);

it('an account that is stopped meanwhile looks at no further job, since its state may be closed by then', async () => {
  const { account, beginMinute } = makeAccount();
  account.start();
  const jobs = () => account.view.jobs().map(({ job }) => job);
  while (jobs().length < metrics.length) await setImmediate();
  const looks = jobs().map((job) => vi.spyOn(job, 'cost'));
  const looked = () => looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  sliceBySteps();
  beginMinute();
  while (looked() === 0) await setImmediate();
  const before = looked();
  await account.stop(new AbortController().signal);
  for (let turn = 0; turn < metrics.length; turn += 1) await setImmediate();
  expect(looked()).toBeLessThanOrEqual(before + STEPS_A_TURN);
});

it('an account that is stopped before its jobs are made asks nothing of its state, which is closed then', async () => {
  const state = memoryState();
  const { account } = makeAccount(state);
  sliceBySteps();
  void runInSlices(
    Array(2 * STEPS_A_TURN)
      .fill(undefined)
      .values(),
  );
  account.start();
  await account.stop(new AbortController().signal);
  const asked = vi.spyOn(state, 'get');
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(asked).not.toHaveBeenCalled();
});

it('an account that is stopped while its jobs come to be polled says nothing of their sources', async () => {
  const { account, observer } = makeAccount();
  const said = vi.spyOn(observer, 'sourceChosen');
  sliceBySteps();
  account.start();
  while (account.view.jobs().length === 0) await setImmediate();
  await account.stop(new AbortController().signal);
  for (let turn = 0; turn < 10 * metrics.length; turn += 1) await setImmediate();
  expect(said).not.toHaveBeenCalled();
});

it('an account on which the scheduler stands still says so, until it runs again', async () => {
  const { account, clock, beginMinute } = makeAccount();
  account.start();
  await clock.advance(151_000);
  expect(account.view.silence()).toBe('the scheduler has not run for 151 s');
  beginMinute();
  expect(account.view.silence()).toBeUndefined();
  await account.stop(new AbortController().signal);
});
