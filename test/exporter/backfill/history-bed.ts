import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BackfillOptions, backfill, type History } from '../../../src/exporter/backfill/backfill.ts';
import { type Clock, systemClock } from '../../../src/exporter/clock.ts';
import { Progress } from '../../../src/exporter/command-line/progress.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/sandbox/sandbox.ts';

export const NOW = Date.UTC(2026, 0, 5, 10, 20, 30);

const AMPLE = { reads: 100_000, writes: 100, purges: 100 };

const HASTY: Clock = {
  now: Date.now,
  wall: Date.now,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

/** Platform whose time stands still, and a folder for its histories. */
export interface HistoryBed {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly accounts: BackfillOptions['accounts'];
  readonly events: string[];
  run(options?: Partial<BackfillOptions>): Promise<History>;
}

export interface HistoryBedOptions {
  readonly sandbox?: SandboxOptions;
  /** Account as in YAML, without name, address and token. */
  readonly account?: Record<string, unknown>;
}

export const TWO_METRICS = {
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } },
};

export async function historyBed({ sandbox: given, account = TWO_METRICS }: HistoryBedOptions = {}) {
  const sandbox = createSandbox({ now: () => NOW, rateLimit: AMPLE, configurations: 1, ...given });
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const folder = await mkdtemp(join(tmpdir(), 'backfill-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const events: string[] = [];
  const accounts = accountsAt(platform.url, account);
  const bed: HistoryBed = {
    sandbox,
    accounts,
    folder,
    events,
    run: (options) =>
      backfill({
        accounts,
        from: NOW - 10 * 3_600_000,
        to: undefined,
        labels: {},
        output: join(folder, 'history.om'),
        receivers: [],
        mode: 'continue',
        clock: HASTY,
        signal: new AbortController().signal,
        guard: () => undefined,
        progress: noting(events),
        ...options,
      }),
  };
  return bed;
}

/** Returns one account of a platform, configured as in YAML. */
export function accountsAt(url: string, account: Record<string, unknown>): BackfillOptions['accounts'] {
  return CONFIG.parse({
    accounts: [{ name: 'test', api_url: url, token: DEFAULT_TOKEN.token, ...account }],
  }).accounts;
}

interface Moments {
  readonly exchanged?: () => void;
  readonly advanced?: () => void;
  readonly writing?: () => void;
}

/** Returns a progress that appends warnings (with their metric), plans and stages to `events`. */
export function noting(events: string[], { exchanged, advanced, writing }: Moments = {}): Progress {
  const warn = (facts: { readonly metric?: string }, message: string) =>
    void events.push(facts.metric === undefined ? message : `${message}: ${facts.metric}`);
  const progress = new Progress(HASTY, { info: () => undefined, warn });
  const { expect, count, advance } = progress;
  let stage: string | undefined;
  Object.assign(progress, {
    expect(...[windows, done]: Parameters<typeof expect>) {
      events.push(`planned ${done}/${windows}`);
      expect.call(progress, windows, done);
    },
    count() {
      count.call(progress);
      exchanged?.();
    },
    advance(windows: number) {
      advance.call(progress, windows);
      advanced?.();
    },
  });
  return Object.defineProperty(progress, 'stage', {
    get: () => stage,
    set(now: string | undefined) {
      stage = now;
      if (now !== 'writing') return;
      events.push(now);
      writing?.();
    },
  });
}

/** Sample of a history, with its time in ms since the epoch. */
export interface HistorySample {
  readonly at: number;
  readonly value: number;
}

/**
 * Returns the series of a history by name and labels. The samples of each series must be adjacent and in
 * order of time.
 */
export function seriesOf(text: string): Map<string, HistorySample[]> {
  const series = new Map<string, HistorySample[]>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, key = '', value, seconds] = /^(\S+\{.*\}) (\S+) (\S+)$/.exec(line) ?? [];
    if (key !== current && series.has(key)) throw new Error(`${key} stands in two places`);
    current = key;
    const samples = series.get(key) ?? [];
    const sample = { at: Math.round(Number(seconds) * 1_000), value: Number(value) };
    if (sample.at <= Number(samples.at(-1)?.at)) throw new Error(`${line}: not after the sample before`);
    samples.push(sample);
    series.set(key, samples);
  }
  return series;
}
