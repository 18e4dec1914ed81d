import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/exporter/clock.ts';
import { Member } from '../../src/exporter/cluster/member.ts';
import { type AccountConfig, CONFIG, type Config } from '../../src/exporter/configuration/schema.ts';
import { Exporter, type ExporterOptions } from '../../src/exporter/exporter.ts';
import { Exposition } from '../../src/exporter/exposition/exposition.ts';
import { Store } from '../../src/exporter/exposition/store.ts';
import type { Job } from '../../src/exporter/poll/job.ts';
import { reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics, type SelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { eventually } from '../eventually.ts';
import { ownValue } from '../own-value.ts';
import { sliceBySteps, sliceByTime } from '../work-in-turns.ts';
import { ModelDatabase } from './cluster/model-database.ts';
import { noToken } from './credentials/no-token.ts';

const never = new AbortController().signal;

let metrics: SelfMetrics;
let errors: string[];
let closing: Map<string, Promise<void>>;
let started: string[];
let observer: ReturnType<typeof reportTo>;
let exporter: Exporter;
let options: ExporterOptions;

beforeEach(() => {
  metrics = createSelfMetrics();
  errors = [];
  started = [];
  closing = new Map();
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (facts: object, message: string) => void errors.push(`${message} ${JSON.stringify(facts)}`),
  };
  observer = reportTo(metrics, log, systemClock);
  options = {
    clock: systemClock,
    ticker: () => () => undefined,
    state: memoryState(),
    metrics,
    observer,
    credentials: ({ name }: AccountConfig) => {
      started.push(name);
      return noToken(() => closing.get(name) ?? Promise.resolve());
    },
  };
  exporter = new Exporter(options);
});

function configOf(...names: string[]): Config {
  const accounts = names.map((name) => ({ name, api_url: 'http://127.0.0.1:9', token: 'x' }));
  return CONFIG.parse({ accounts });
}

function names(): string[] {
  return exporter.accounts().map(({ name }) => name);
}

async function shown(): Promise<string> {
  return Buffer.concat(await exporter.body('text', 'identity')).toString();
}

function held(): { promise: Promise<void>; release: () => void } {
  const gate = new EventTarget();
  const promise = new Promise<void>((resolve) => gate.addEventListener('now', () => resolve()));
  return { promise, release: () => void gate.dispatchEvent(new Event('now')) };
}

test('an account that leaves takes the time of its last success with it, and no other', async () => {
  await exporter.apply(configOf('a', 'b'), never);
  for (const account of ['a', 'b']) {
    const job = { id: 'x', subject: { collector: 'domains' } } as Job;
    const end = {
      job,
      outcome: 'ok',
      report: {},
      reason: '',
      rejected: undefined,
      operations: 1,
      durationMs: 1,
    };
    observer.polled(account, end as unknown as Parameters<typeof observer.polled>[1]);
  }
  await exporter.apply(configOf('b'), never);
  const times = await Promise.all(
    ['a', 'b'].map((account) => ownValue(metrics.pollLastSuccess, { account, collector: 'domains' })),
  );
  expect(times).toEqual([undefined, expect.any(Number)]);
  await exporter.stop(never);
});

test('an account that fails to stop is told of, and hinders no new one', async () => {
  await exporter.apply(configOf('a'), never);
  await eventually('the account shows that it is down', async () =>
    (await shown()).includes('edge_up{account="a"} 0'),
  );
  const failure = Promise.reject(new Error('will not go'));
  failure.catch(() => undefined);
  closing.set('a', failure);
  await exporter.apply(configOf('b'), never);
  expect(names()).toEqual(['b']);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('the account did not stop properly {"account":"a"');
  expect(await shown()).not.toContain('edge_up{account="a"}');
  await exporter.stop(never);
});

test('a stop during a reload waits for it, and the reload starts nothing any more', async () => {
  await exporter.apply(configOf('a'), never);
  const { promise, release } = held();
  closing.set('a', promise);
  const applying = exporter.apply(configOf('b'), never);
  let stopped = false;
  // The reload begins in the next turn of the event loop.
  await setImmediate();
  const stopping = exporter.stop(never).then(() => {
    stopped = true;
  });
  await setImmediate();
  expect(stopped).toBe(false);
  release();
  await Promise.all([applying, stopping]);
  await exporter.apply(configOf('c'), never);
  expect(names()).toEqual([]);
  expect(started).toEqual(['a']);
});

test('of many accounts that leave with a reload, a part stops in each turn of the event loop', async () => {
  const many = Array.from({ length: 50 }, (_, index) => `account ${index}`);
  await exporter.apply(configOf('a', ...many), never);
  let isApplied = false;
  sliceBySteps();
  onTestFinished(sliceByTime);
  const applied = exporter.apply(configOf('a'), never).then(() => {
    isApplied = true;
  });
  const running: number[] = [];
  while (!isApplied) {
    // The platform answers no account, so every running account is not ready.
    running.push([...exporter.notReady()].flat().length);
    await setImmediate();
  }
  await applied;
  const stopped = running.map((count, turn) => (running[turn - 1] ?? many.length + 1) - count);
  expect(Math.max(...stopped)).toBeLessThan(many.length / 2);
  expect(names()).toEqual(['a']);
  await exporter.stop(never);
});

test('no request of an account leaves while a scrape waits', async () => {
  const scrapes = vi.spyOn(Exposition.prototype, 'scrapes', 'get').mockReturnValue(1);
  await exporter.apply(configOf('a'), never);
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  expect(exporter.accounts().map(({ up }) => up)).toEqual([null]);
  scrapes.mockRestore();
  await eventually('the account shows that it is down', async () =>
    (await shown()).includes('edge_up{account="a"} 0'),
  );
  await exporter.stop(never);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

function onlyReplica(): Member {
  const database = new ModelDatabase();
  return new Member({
    clock: systemClock,
    registry: {
      beat: async (request) => database.beat(request, 'only', Date.now()),
      leave: async (session) => database.leave(session),
      ownership: async () => ({ accounts: [], moves: [] }),
    },
    openState: async () => memoryState(),
    name: 'only',
    newSession: () => 'only.1',
    log: { info: () => undefined, warn: () => undefined },
  });
}

test.each([
  ['gets what is ready where rendering takes seconds', undefined],
  ['of a replica waits however long, since another replica may show by now what is to go', onlyReplica()],
])('a scrape %s', async (_, member) => {
  exporter = new Exporter({ ...options, member });
  await exporter.apply(configOf('a'), never);
  await eventually('the account is shown', async () => (await shown()).includes('edge_up{account="a"} 0'));
  const { refresh } = Store.prototype;
  let isSlow = true;
  const rendering = vi.spyOn(Store.prototype, 'refresh').mockImplementation(function* (this: Store) {
    while (isSlow) yield;
    yield* refresh.call(this);
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    isSlow = false;
    rendering.mockRestore();
    vi.useRealTimers();
  });
  await exporter.apply(configOf('b'), never);
  const scrape = shown();
  vi.advanceTimersByTime(60_000);
  if (member === undefined) expect(await scrape).toContain('edge_up{account="a"}');
  else {
    expect(await Promise.race([scrape, turns(50)])).toBeUndefined();
    isSlow = false;
    expect(await scrape).not.toContain('edge_up{account="a"}');
  }
  // Timers that were set in the meantime end as well.
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  await exporter.stop(never);
});
