import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { credentialsFrom } from '../../src/exporter/account/connection.ts';
import { systemClock } from '../../src/exporter/clock.ts';
import { ConfigInUse, type LoadedConfig, type ReadFiles } from '../../src/exporter/configuration/config.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { Running } from '../../src/exporter/running.ts';
import { reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { ownValue } from '../own-value.ts';

const never = new AbortController().signal;
const ACCOUNT = { name: 'a', api_url: 'http://127.0.0.1:9', token: 'x' };
const CONFIGURED = CONFIG.parse({ accounts: [ACCOUNT] });
const LOADED = { ok: true, source: 'exporter.yaml', config: CONFIGURED, warnings: [] } as const;
const NOTHING: LoadedConfig = { ok: false, issues: [], nothingConfigured: true };

const NOTHING_READ: ReadFiles = {
  digests: new Map(),
  accountsFrom: [],
};

let started: Exporter | undefined;

afterEach(async () => {
  await started?.stop(never);
});

function runningWith(load: () => LoadedConfig | Promise<LoadedConfig>) {
  const state = memoryState();
  const metrics = createSelfMetrics();
  const lines: string[] = [];
  const note = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const exporter = new Exporter({
    clock: systemClock,
    ticker: () => () => undefined,
    state,
    metrics,
    observer: reportTo(metrics, silent, systemClock),
    credentials: credentialsFrom(systemClock, { guard: () => undefined }),
  });
  started = exporter;
  const inUse = new ConfigInUse({ env: {} }, systemClock, async () => ({
    loaded: await load(),
    read: NOTHING_READ,
  }));
  const log = { level: 'info', info: () => undefined, warn: note };
  const guard = () => undefined;
  const running = new Running({ exporter, inUse, state, metrics, clock: systemClock, log, guard });
  return { running, exporter, inUse, metrics, lines };
}

test('a reload tells of what is odd about the configuration, as the start does', async () => {
  const warnings = [{ source: 'exporter.yaml', path: 'accounts', message: 'this is odd' }];
  const { running, lines } = runningWith(() => ({ ...LOADED, warnings }));
  expect(await running.reload()).toEqual({ ok: true });
  expect(lines).toEqual([expect.stringMatching(/^configuration \{"issue":".*this is odd"\}$/)]);
});

test('says that everything is made up for as long as the embedded platform stands in for an account', async () => {
  let load = (): LoadedConfig => NOTHING;
  const { running, inUse, metrics } = runningWith(() => load());
  const metric = () => ownValue(metrics.sandbox);
  await running.start(inUse.use('embedded sandbox', CONFIG.parse({ accounts: [ACCOUNT] })));
  expect([running.status().sandbox, await metric()]).toEqual([true, 1]);
  await running.reload();
  expect([running.status().sandbox, await metric()]).toEqual([true, 1]);
  load = () => LOADED;
  await running.reload();
  expect([running.status().sandbox, await metric()]).toEqual([false, 0]);
});

test('reloads go one after another, so that the one asked for last is in force', async () => {
  const configured = (name: string): LoadedConfig => {
    return { ...LOADED, config: CONFIG.parse({ accounts: [{ ...ACCOUNT, name }] }) };
  };
  let first = (_: LoadedConfig): void => undefined;
  const slow = new Promise<LoadedConfig>((resolve) => {
    first = resolve;
  });
  const loads = [() => slow, () => configured('last')];
  const { running } = runningWith(() => loads.shift()?.() ?? NOTHING);
  const reloads = [running.reload()];
  await setImmediate();
  reloads.push(running.reload());
  // The second reload has time to finish if it does not wait for the first.
  await setImmediate();
  first(configured('first'));
  expect(await Promise.all(reloads)).toEqual([{ ok: true }, { ok: true }]);
  expect(running.status().accounts.map(({ name }) => name)).toEqual(['last']);
});

test('all that ask for a reload while one is under way get the next one', async () => {
  let loads = 0;
  const { running } = runningWith(() => {
    loads += 1;
    return LOADED;
  });
  const first = running.reload();
  await setImmediate();
  const began = loads;
  const others = Array.from({ length: 20 }, () => running.reload());
  expect(await Promise.all([first, ...others])).toEqual(Array.from({ length: 21 }, () => ({ ok: true })));
  expect([began, loads]).toEqual([1, 2]);
  await running.reload();
  expect(loads).toBe(3);
});
