import { expect, it, onTestFinished, vi } from 'vitest';
import { Account } from '../../../src/exporter/account/account.ts';
import { credentialsFrom } from '../../../src/exporter/account/connection.ts';
import { CONFIG, DEFAULT_LIMITS } from '../../../src/exporter/configuration/schema.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { reportTo } from '../../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { sendJson, startUpstream } from '../platform/upstream.ts';

async function learningAccount() {
  const upstream = await startUpstream((_, response) =>
    sendJson(response, { detail: 'Not found.' }, { status: 404 }),
  );
  const products = { content_delivery: { by: ['product'], metrics: ['requests'] } };
  const given = { name: 'a', api_url: upstream.origin, token: 'x', collectors: { analytics: { products } } };
  const [config] = CONFIG.parse({ accounts: [given] }).accounts;
  if (config === undefined) throw new Error('no account');
  const clock = new SimulatedClock();
  const state = memoryState();
  const commit = vi.spyOn(state, 'commit');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const store = new Store({ seriesLimit: 1_000 });
  const publish = vi.spyOn(store, 'publish');
  const account = new Account({
    config,
    clock,
    ticker: () => () => undefined,
    store,
    ownership: { state },
    observer: reportTo(createSelfMetrics(), log, clock),
    credentials: credentialsFrom(clock, { guard: () => undefined }),
    turns: new Turns(),
    limits: () => DEFAULT_LIMITS,
  });
  const stop = () => account.stop(new AbortController().signal);
  onTestFinished(stop);
  account.start();
  await eventually('a poll has ended', async () =>
    account.view.jobs().some(({ lastOutcome }) => lastOutcome === 'not_found'),
  );
  const saved = () =>
    commit.mock.calls.flatMap(([entries]) => entries.filter(({ key }) => key[0] === 'learned'));
  return { clock, stop, saved, published: () => publish.mock.calls.map(([owner]) => owner) };
}

it('once a poll has ended it is exposed what its answers showed of quota and token', async () => {
  const { published } = await learningAccount();
  expect(published()).toEqual(expect.arrayContaining(['a/identity', 'a/quota']));
});

it('what was learned is saved when the account stops, however soon', async () => {
  const { stop, saved } = await learningAccount();
  expect(saved()).toEqual([]);
  await stop();
  expect(saved()).toHaveLength(1);
});

it('what was learned is saved within seconds, and once as long as nothing new is learned', async () => {
  const { clock, stop, saved } = await learningAccount();
  await clock.advance(10_000);
  expect(saved()).toHaveLength(1);
  await stop();
  expect(saved()).toHaveLength(1);
});
