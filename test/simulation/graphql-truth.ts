import { expect } from 'vitest';
import type { State, StateKey } from '../../src/exporter/state/state.ts';
import { DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { inLongSuite } from '../long-suite.ts';
import type { ParsedExposition } from '../parse-exposition.ts';
import { storedCounters } from '../stored-series.ts';
import { CounterWatch } from './counter-watch.ts';
import type { Simulation } from './simulation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Schedule of reads during troubles. */
export const SCHEDULE = inLongSuite('* * * * *', '*/5 * * * *');

type Row = Readonly<Record<string, string | number | null>>;

/** Source of the true values of some dimensions: the sum of a measure or field, for each value of `by`. */
export interface Truth {
  readonly dataset?: string;
  /** Field that identifies a configuration. */
  readonly key?: string;
  readonly sum?: string;
  readonly field?: string;
  readonly by?: string;
  readonly dimension:
    | string
    | ((value: string | number | null | undefined, told: ReadonlySet<string>) => string | undefined);
  readonly scale?: number;
}

async function rowsOf(
  url: string,
  id: string | undefined,
  truth: Truth,
  from: number,
  to: number,
): Promise<Row[]> {
  const { dataset = 'workloadMetrics', key = 'configurationId', sum, field = 'sum', by } = truth;
  const which = id === undefined ? '' : `, ${key}Eq: "${id}"`;
  const more = sum === undefined ? '' : `aggregate: {sum: ${sum}}`;
  const names = by === undefined ? 'ts' : `ts ${by}`;
  const rows: Row[] = [];
  for (let begin = from; begin < to; begin += HOUR) {
    const filter = `tsGte: "${time(begin)}", tsLt: "${time(Math.min(begin + HOUR, to))}"${which}`;
    const query = `{ ${dataset}(limit: 10000, groupBy: [${names.replace(' ', ', ')}], filter: {${filter}} ${more}) { ${names} ${field} } }`;
    const answer = await fetch(`${url}/metrics/graphql`, {
      method: 'POST',
      headers: { Authorization: `Token ${DEFAULT_TOKEN.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data } = (await answer.json()) as { data: Record<string, Row[]> };
    rows.push(...(data[dataset] ?? []));
  }
  return rows;
}

async function trueTotals(
  url: string,
  id: string | undefined,
  { truths, told }: { readonly truths: readonly Truth[]; readonly told: ReadonlySet<string> },
  { from, to }: { readonly from: number; readonly to: number },
) {
  const totals = new Map<string, number>();
  for (const truth of truths) {
    const { dimension, field = 'sum', by, scale = 1 } = truth;
    for (const row of await rowsOf(url, id, truth, from, to)) {
      const name = typeof dimension === 'string' ? dimension : dimension(by && row[by], told);
      if (name !== undefined) totals.set(name, (totals.get(name) ?? 0) + Number(row[field]) * scale);
    }
  }
  return totals;
}

const time = (ms: number) => new Date(ms).toISOString();

/**
 * Returns every counter of some metrics that differs from the platform's true value, and the number of
 * minutes that they cover.
 */
export async function wrongCounters(
  sandbox: Sandbox,
  state: State,
  truths: Readonly<Record<string, readonly Truth[]>>,
) {
  const platform = await sandbox.listen(0);
  const wrong: string[] = [];
  const seen = new Set<string>();
  let buckets = 0;
  for (const key of storedKeys(state, truths)) {
    const [, , , , by, id = '', metric = ''] = key;
    const stored = storedCounters(state.get(key));
    if (stored === undefined) throw new Error(`no counters under ${key.join('/')}`);
    const { since, counters } = stored;
    const [watermark = 0, ...others] = new Set([...counters].map(([, { watermark: until }]) => until));
    expect(others).toEqual([]);
    const which = by === 'product' ? undefined : id;
    const told = new Set([...counters].map(([dimension]) => dimension));
    const span = { from: since, to: watermark };
    const truth = await trueTotals(platform.url, which, { truths: truths[metric] ?? [], told }, span);
    buckets += (watermark - since) / MINUTE;
    for (const [dimension, { total, holes }] of counters) {
      const expected = truth.get(dimension) ?? 0;
      if (expected > 0) seen.add(`${metric}.${dimension}`);
      if (holes.length > 0 || Math.abs(total - expected) > 1e-9 * Math.max(1, expected))
        wrong.push(`${id}/${metric}/${dimension}: ${total}, true ${expected}, holes ${holes.length}`);
    }
    const unknown = [...truth.keys()].filter((dimension) => !told.has(dimension));
    if (unknown.length > 0) wrong.push(`${id}/${metric}: no counters of ${unknown.join(', ')}`);
  }
  await platform.close();
  return { wrong, buckets, seen };
}

function storedKeys(state: State, truths: Readonly<Record<string, unknown>>): StateKey[] {
  return [...state.keys(['series'])].filter((key) => Object.hasOwn(truths, key[6] ?? ''));
}

/** Returns the series after half an hour of each trouble, with a restart in the middle. */
export async function throughTroubles(
  simulation: Simulation,
  troubles: readonly Parameters<Sandbox['faults']['set']>[0][],
  shownMeanwhile: (samples: ParsedExposition['samples']) => void = () => undefined,
) {
  const watch = new CounterWatch();
  for (const trouble of troubles) {
    simulation.sandbox.faults.set(trouble);
    await simulation.minutes(16);
    await simulation.restart();
    watch.see(await simulation.scrape());
    await simulation.minutes(14);
    shownMeanwhile((await simulation.scrape()).samples);
  }
  const { samples } = await simulation.scrape();
  const shown = (name: string) => [...samples.keys()].filter((key) => key.startsWith(`["${name}"`)).length;
  return { samples, shown, decreases: watch.decreases };
}
