import { expect, it } from 'vitest';
import type { State, StateKey } from '../../src/exporter/state/state.ts';
import { DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { storedCounters } from '../stored-series.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CODES = ['200', '204', '206', '301', '302', '304', '400', '403', '404', '500', '502', '503'];

type Row = Readonly<Record<string, string | number | null>>;

/** What the platform says once everything has settled, by dimension, from the start of a counter to its watermark. */
async function trueTotals(url: string, which: string, metric: string, from: number, to: number) {
  const totals = new Map<string, number>();
  const add = (dimension: string, value: unknown) =>
    totals.set(dimension, (totals.get(dimension) ?? 0) + Number(value));
  const rows = async (groupBy: string, selected: string, more: string) => {
    const found: Row[] = [];
    for (let begin = from; begin < to; begin += HOUR) {
      const end = Math.min(begin + HOUR, to);
      const filter = `tsGte: "${time(begin)}", tsLt: "${time(end)}"${which}`;
      const query = `{ workloadMetrics(limit: 10000, groupBy: [${groupBy}], filter: {${filter}} ${more}) { ${selected} } }`;
      const headers = { Authorization: `Token ${DEFAULT_TOKEN.token}`, 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/metrics/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      const { data } = (await answer.json()) as { data: { workloadMetrics: Row[] } };
      found.push(...data.workloadMetrics);
    }
    return found;
  };
  if (metric === 'request_duration') {
    for (const { sum } of await rows('ts', 'ts sum', 'aggregate: {sum: requestTime}')) add('seconds', sum);
    for (const { requestsTotal } of await rows('ts', 'ts requestsTotal', '')) add('requests', requestsTotal);
    return totals;
  }
  for (const { sum } of await rows('ts', 'ts sum', 'aggregate: {sum: upstreamResponseTime}'))
    add('seconds', sum);
  const byStatus = await rows('ts, upstreamStatus', 'ts upstreamStatus sum', 'aggregate: {sum: requests}');
  for (const { upstreamStatus, sum } of byStatus) {
    const code = String(upstreamStatus);
    if (upstreamStatus !== null) add(CODES.includes(code) ? code : `${code[0]}xx`, sum);
  }
  return totals;
}

const time = (ms: number) => new Date(ms).toISOString();

/** Every counter of these metrics that is not what the platform says of its time. */
async function wrongCounters(sandbox: Sandbox, state: State) {
  const platform = await sandbox.listen(0);
  const wrong: string[] = [];
  let buckets = 0;
  for (const key of storedKeys(state)) {
    const [, , , , by, id = '', metric = ''] = key;
    const which = by === 'product' ? '' : `, configurationIdEq: "${id}"`;
    const stored = storedCounters(state.get(key));
    if (stored === undefined) throw new Error(`no counters under ${key.join('/')}`);
    const { since, counters } = stored;
    const [watermark = 0, ...others] = new Set([...counters].map(([, { watermark: until }]) => until));
    expect(others).toEqual([]);
    const truth = await trueTotals(platform.url, which, metric, since, watermark);
    buckets += (watermark - since) / MINUTE;
    for (const [dimension, { total, missing }] of counters) {
      const expected = truth.get(dimension) ?? 0;
      if (missing.length > 0 || Math.abs(total - expected) > 1e-9 * Math.max(1, expected))
        wrong.push(`${id}/${metric}/${dimension}: ${total}, true ${expected}, missing ${missing.length}`);
    }
  }
  await platform.close();
  return { wrong, buckets };
}

function storedKeys(state: State): StateKey[] {
  return [...state.keys(['series'])].filter((key) =>
    /request_duration|upstream_responses/.test(key[6] ?? ''),
  );
}

it('counts seconds and responses of origins exactly by GraphQL, beside REST, through troubles and kills', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 3, domainsPerConfiguration: 2, graphqlRateLimit: 200 },
    account: {
      collectors: {
        metrics: {
          products: {
            edge_applications: { metrics: ['status_code', 'request_duration', 'upstream_responses'] },
          },
        },
        analytics: { products: { content_delivery: { by: ['product'], metrics: ['upstream_responses'] } } },
      },
    },
  });
  const { sandbox, state } = simulation;
  const watch = new CounterWatch();
  const troubles = [
    {},
    { late_data: { minutes: 12 } },
    { repeated_rows: { probability: 0.3 }, wrong_types: { probability: 0.3, share: 0.1 } },
    { conflicting_rows: { probability: 0.5, share: 0.1 }, graphql_errors: { probability: 0.3 } },
    {},
  ];
  for (const trouble of troubles) {
    sandbox.faults.set(trouble);
    await simulation.minutes(16);
    await simulation.restart();
    watch.see(await simulation.scrape());
    await simulation.minutes(14);
  }
  const { samples } = await simulation.scrape();
  const shown = (name: string) => [...samples.keys()].filter((key) => key.startsWith(`["${name}"`)).length;
  // One series for each configuration, whatever its domains, and one for each code: that none came is a zero.
  expect(shown('edge_request_duration_seconds_total')).toBe(3);
  expect(shown('edge_timed_requests_total')).toBe(3);
  expect(shown('edge_upstream_response_seconds_total')).toBe(3);
  expect(shown('edge_upstream_responses_total')).toBe(3 * 17);
  expect(shown('edge_upstream_responses_per_minute')).toBe(3 * 17);
  expect(shown('edge_product_upstream_responses_total')).toBe(17);
  expect(watch.decreases).toEqual([]);
  await simulation.stop();
  // Whatever the platform still changes has been changed.
  await simulation.minutes(120);
  const { wrong, buckets } = await wrongCounters(sandbox, state);
  expect(wrong).toEqual([]);
  expect(buckets).toBeGreaterThan(3 * 2 * 2 * 60);
  await simulation.close();
});
