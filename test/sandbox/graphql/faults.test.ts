import { describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { type Bench, NOON, startBench } from '../client.ts';
import { ask, documentOf, type Row, rowsOf } from './ask.ts';

const MINUTE = 60_000;
const WINDOW = { begin: NOON - 20_000 - 2 * 60 * MINUTE, end: NOON - 20_000 - 110 * MINUTE };
const FIELDS = ['requestsTotal', 'savedRequests'];
const QUESTION = documentOf({ ...WINDOW, groupBy: ['ts', 'configurationId'], fields: FIELDS });

describe('a fault of the GraphQL analytics', () => {
  let bench: Bench;

  /** Returns the true rows, and the rows of answers with the faults. */
  async function rows(faults: FaultSettings): Promise<{ whole: readonly Row[]; damaged: readonly Row[] }> {
    bench = await startBench({ graphqlRateLimit: 1000 });
    const whole = await rowsOf(bench, QUESTION);
    bench.sandbox.faults.set(faults);
    return { whole, damaged: await rowsOf(bench, QUESTION) };
  }
  const answer = async (faults: FaultSettings) => {
    bench = await startBench({ faults });
    const { status, text } = await ask(bench, QUESTION);
    return { status, text };
  };

  it('cuts answers silently', async () => {
    const { whole, damaged } = await rows({ cut_rows: { rows: 7 } });
    expect(damaged).toEqual(whole.slice(0, 7));
  });

  it('repeats rows', async () => {
    const { whole, damaged } = await rows({ repeated_rows: { share: 0.3 } });
    const isFirst = (row: Row, index: number) => JSON.stringify(row) !== JSON.stringify(damaged[index - 1]);
    expect(damaged.filter(isFirst)).toEqual(whole);
    expect(damaged.length).toBeGreaterThan(whole.length);
  });

  it('repeats rows with other values', async () => {
    const { whole, damaged } = await rows({ conflicting_rows: { share: 1, factor: 2 } });
    expect(damaged).toHaveLength(2 * whole.length);
    expect(damaged[1]?.['requestsTotal']).toBe(2 * Number(whole[0]?.['requestsTotal']) + 1);
  });

  it('loses fields, those that are named or all that are counted', async () => {
    const { whole, damaged } = await rows({
      missing_fields: { fields: ['configurationId', 'savedRequests'] },
    });
    expect(damaged).toEqual(whole.map(({ ts, requestsTotal }) => ({ ts, requestsTotal })));
    bench.sandbox.faults.set({ missing_fields: {} });
    expect(await rowsOf(bench, QUESTION)).toEqual(
      whole.map(({ ts, configurationId }) => ({ ts, configurationId })),
    );
  });

  it('loses rows', async () => {
    const { whole, damaged } = await rows({ missing_rows: { every: 3 } });
    expect(damaged).toEqual(whole.filter((_, index) => index % 3 !== 2));
  });

  it('writes numbers as text', async () => {
    const { whole, damaged } = await rows({ number_strings: {} });
    const text = (row: Row) => ({
      ...row,
      requestsTotal: String(row['requestsTotal']),
      savedRequests: String(row['savedRequests']),
    });
    expect(damaged).toEqual(whole.map(text));
  });

  it('makes answers as long as is asked for', async () => {
    const { whole, damaged } = await rows({ huge_answer: { rows: 25_000 } });
    expect(damaged).toHaveLength(25_000);
    expect(damaged.slice(0, whole.length)).toEqual(whole);
  });

  it('moves times, and makes values absurd', async () => {
    const { whole, damaged } = await rows({ timestamp_jitter: { ms: 500 }, absurd_values: { share: 1 } });
    const apart = damaged.map(
      ({ ts }, index) => Date.parse(String(ts)) - Date.parse(String(whole[index]?.['ts'])),
    );
    expect(apart.every((ms) => Math.abs(ms) <= 500) && apart.some((ms) => ms !== 0)).toBe(true);
    expect(new Set(damaged.map((row) => row['requestsTotal']))).toEqual(new Set([1e21]));
  });

  const KINDS = [
    [
      'string_value',
      (row) => ({ ...row, requestsTotal: String(row['requestsTotal']), savedRequests: expect.any(String) }),
    ],
    ['null_value', (row) => ({ ...row, requestsTotal: null, savedRequests: null })],
    ['nan_text', (row) => ({ ...row, requestsTotal: 'NaN', savedRequests: 'NaN' })],
    [
      'object_value',
      (row) => ({
        ...row,
        requestsTotal: { value: row['requestsTotal'] },
        savedRequests: expect.any(Object),
      }),
    ],
    [
      'negative_value',
      (row) => ({
        ...row,
        requestsTotal: -1 - Number(row['requestsTotal']),
        savedRequests: expect.any(Number),
      }),
    ],
    ['not_a_pair', ({ ts: _, ...row }) => row],
    ['seconds_timestamp', (row) => ({ ...row, ts: Date.parse(String(row['ts'])) / 1000 })],
  ] as const satisfies readonly (readonly [string, (row: Row) => object])[];

  it.each(KINDS)('damages rows: %s', async (kind, damage) => {
    const { whole, damaged } = await rows({ wrong_types: { kinds: [kind], share: 1 } });
    expect(damaged).toEqual(whole.map((row) => damage(row)));
  });

  it('adds rows of the future, rows twice, and rows out of order', async () => {
    const { whole, damaged } = await rows({ wrong_types: { kinds: ['future_point'], share: 1 } });
    expect(damaged).toHaveLength(2 * whole.length);
    expect(damaged[1]).toEqual({ ...whole[0], ts: '2026-11-20T13:35:00Z' });
    bench.sandbox.faults.set({ wrong_types: { kinds: ['duplicate'], share: 1 } });
    expect(await rowsOf(bench, QUESTION)).toEqual(whole.flatMap((row) => [row, row]));
    bench.sandbox.faults.set({ wrong_types: { kinds: ['out_of_order'], share: 1 } });
    const turned = await rowsOf(bench, QUESTION);
    expect(turned).not.toEqual(whole);
    expect(turned).toEqual(expect.arrayContaining([...whole]));
  });

  it('answers with errors and 200, with data or without', async () => {
    const { status, text } = await answer({ graphql_errors: {} });
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { data: null, errors: [{ message: expect.any(String) }] },
    ]);
    bench.sandbox.faults.set({ graphql_errors: { data: 'whole' } });
    const { data, errors } = JSON.parse((await ask(bench, QUESTION)).text) as {
      data: { workloadMetrics: Row[] };
      errors: unknown[];
    };
    expect([data.workloadMetrics.length > 0, errors.length]).toEqual([true, 1]);
  });

  const WHOLE: readonly (readonly [FaultSettings, number, string])[] = [
    [{ no_content: {} }, 204, ''],
    [{ rate_limited: {} }, 429, '{"detail":"You have reached the request rate limit!"}'],
    [{ server_error: { status: 503, form: 'empty' } }, 503, ''],
    [{ forbidden: {} }, 404, '{"detail":"The following resource could not be found."}'],
    [{ not_found: {} }, 404, '{"detail":"The following resource could not be found."}'],
    [{ empty_answer: {} }, 200, '{"data":{"workloadMetrics":[]}}'],
    [{ empty_answer: { form: 'object' } }, 200, '{}'],
    [{ empty_answer: { form: 'body' } }, 200, ''],
    [{ empty_answer: { form: 'null' } }, 200, 'null'],
  ];

  it.each(WHOLE)('%j: is answered %i', async (faults, status, text) => {
    expect(await answer(faults)).toEqual({ status, text });
  });

  it('is confined to the endpoint by its path, as those of REST are', async () => {
    const at = { paths: ['/metrics/graphql$'] };
    const { status } = await answer({ server_error: { ...at }, latency: { ...at, ms: 1 } });
    expect(status).toBe(500);
    expect((await bench.get('/analytics/metadata', 1)).status).toBe(200);
    bench.sandbox.faults.set({ not_found: { paths: ['/analytics', '/metrics/products'] } });
    expect((await bench.get('/analytics/metadata', 1)).status).toBe(404);
    expect((await ask(bench, QUESTION)).status).toBe(200);
  });

  it('cuts the connection, or the body, or makes it no JSON', async () => {
    bench = await startBench({ faults: { malformed_body: {} } });
    const malformed = await ask(bench, QUESTION);
    expect(() => malformed.json()).toThrow();
    bench.sandbox.faults.set({ truncated_body: {} });
    const truncated = await ask(bench, QUESTION);
    expect(() => truncated.json()).toThrow();
    bench.sandbox.faults.set({ connection_reset: {} });
    await expect(ask(bench, QUESTION)).rejects.toThrow();
  });
});
