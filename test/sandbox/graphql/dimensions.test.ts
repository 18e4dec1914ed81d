import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/sandbox/graphql/datasets.ts';
import { type Bench, NOON, startBench } from '../client.ts';
import { type DatasetQuery, documentOf, type Row, rowsOf } from './ask.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = NOON - 20_000 - 34 * MINUTE - 2 * HOUR;

describe('the datasets of the GraphQL analytics', () => {
  let bench: Bench;
  const settings = { graphqlRateLimit: 10_000, graphqlMissing: [] };
  beforeAll(async () => {
    bench = await startBench(settings);
    const [application] = bench.sandbox.account.applications;
    const attack = { kind: 'waf_attack', configuration: application?.id ?? 0, per_minute: 3000 } as const;
    bench.sandbox.inject({ ...attack, from: BEGIN, to: BEGIN + 2 * MINUTE });
  });
  afterAll(() => bench.close());

  const rows = (query: Omit<DatasetQuery, 'begin' | 'end'>, end = BEGIN + 10 * MINUTE) =>
    rowsOf(bench, documentOf({ begin: BEGIN, end, ...query }));

  const sumOf = (all: readonly Row[], field = 'sum') => all.reduce((sum, row) => sum + Number(row[field]), 0);

  const summed = (dataset: string, measure: string, groupBy: readonly string[], filter = '') =>
    rows({ dataset, groupBy, fields: ['sum'], more: `aggregate: {sum: ${measure}}`, filter });

  const cases = DATASETS.flatMap(({ names: [name], dimensions, measures }) =>
    Object.keys(measures).map((measure) => [name, measure, Object.keys(dimensions)] as const),
  );

  it.each(cases)(
    '%s: the sum of %s is the same by each dimension, and by two of them',
    async (dataset, measure, names) => {
      const total = sumOf(await summed(dataset, measure, []));
      expect(total).toBeGreaterThan(0);
      for (const [index, name] of names.entries()) {
        const one = await summed(dataset, measure, [name]);
        expect([name, sumOf(one)]).toEqual([name, expect.closeTo(total, 3)]);
        const other = names[(index + 1) % names.length] ?? name;
        const two = await summed(dataset, measure, [name, other]);
        expect(sumOf(two)).toBeCloseTo(total, 3);
        for (const { [name]: value, sum } of one) {
          expect(sumOf(two.filter((row) => row[name] === value))).toBeCloseTo(Number(sum), 3);
        }
      }
    },
  );

  it.each(cases)('%s: %s is the same in hours and in minutes', async (dataset, measure) => {
    const minutes = await summed(dataset, measure, ['ts']);
    const hourly = documentOf({
      dataset,
      groupBy: ['ts'],
      fields: ['sum'],
      more: `aggregate: {sum: ${measure}}`,
      begin: BEGIN - 70 * HOUR,
      end: BEGIN + HOUR,
    });
    const hours = await rowsOf(bench, hourly);
    expect(hours).toHaveLength(71);
    const hour = hours.at(-1);
    expect(hour?.['ts']).toBe('2026-11-20T10:00:00Z');
    const all = await rowsOf(
      bench,
      documentOf({
        dataset,
        groupBy: ['ts'],
        fields: ['sum'],
        more: `aggregate: {sum: ${measure}}`,
        begin: BEGIN,
        end: BEGIN + HOUR,
      }),
    );
    expect(minutes).toEqual(all.slice(0, 10));
    // The origin's time is random for each bucket.
    const isTime = measure.endsWith('Time');
    expect(sumOf(all) / Number(hour?.['sum'])).toBeCloseTo(1, isTime ? 2 : 9);
  });

  it('has a row for what there was, and none for nothing', async () => {
    const all = await rows({
      groupBy: ['ts', 'host', 'status', 'upstreamCacheStatus'],
      fields: ['requestsTotal', 'dataTransferredTotal'],
    });
    expect(all.every((row) => Number(row['requestsTotal']) + Number(row['dataTransferredTotal']) > 0)).toBe(
      true,
    );
    const idle = [...bench.sandbox.account.domains].find(({ id }) => id % 8 === 4);
    const hosts = new Set((await rows({ groupBy: ['host'] })).map(({ host }) => host));
    expect(hosts.size).toBeGreaterThan(3);
    expect(idle === undefined || !hosts.has(idle.cnames[0] ?? '')).toBe(true);
  });

  it('says the same by a filter, by a dimension, and by a calculated field', async () => {
    const byStatus = await rows({ groupBy: ['status'], fields: ['requestsTotal'] });
    const [calculated] = await rows({ groupBy: [], fields: ['requestsStatusCode404'] });
    const [filtered] = await rows({ groupBy: [], fields: ['requestsTotal'], filter: 'statusEq: 404' });
    const grouped = byStatus.find(({ status }) => status === 404);
    expect(grouped?.['requestsTotal']).toBe(calculated?.['requestsStatusCode404']);
    expect(filtered?.['requestsTotal']).toBe(calculated?.['requestsStatusCode404']);
  });

  it('divides what is blocked by family, as the calculated fields do', async () => {
    const families = await rows({
      groupBy: ['wafAttackFamily'],
      fields: ['requestsTotal'],
      filter: 'wafAttackFamilyIsNull: false',
    });
    const fields = ['Xss', 'Rfi', 'Sql', 'Others'].map((family) => `wafRequests${family}Attacks`);
    const [all] = await rows({ groupBy: [], fields: [...fields, 'wafRequestsBlocked', 'wafRequestsThreat'] });
    const found = Object.fromEntries(families.map((row) => [row['wafAttackFamily'], row['requestsTotal']]));
    expect(found).toEqual({
      $XSS: all?.['wafRequestsXssAttacks'],
      $RFI: all?.['wafRequestsRfiAttacks'],
      $SQL: all?.['wafRequestsSqlAttacks'],
      $OTHERS: all?.['wafRequestsOthersAttacks'],
    });
    expect(sumOf(families, 'requestsTotal')).toBe(
      Number(all?.['wafRequestsBlocked']) + Number(all?.['wafRequestsThreat']),
    );
    const [blocked] = await rows({ groupBy: [], fields: ['requestsTotal'], filter: 'wafBlockEq: "1"' });
    expect(blocked?.['requestsTotal']).toBe(all?.['wafRequestsBlocked']);
  });

  it('has a latency that requests to the origin raise, and errors of the origin more', async () => {
    const mean = async (filter: string) => {
      const [time] = await summed('workloadMetrics', 'requestTime', [], filter);
      const [requests] = await summed('workloadMetrics', 'requests', [], filter);
      return Number(time?.['sum']) / Number(requests?.['sum']);
    };
    const hit = await mean('upstreamCacheStatusEq: "HIT"');
    const miss = await mean('upstreamCacheStatusEq: "MISS", statusEq: 200');
    const failed = await mean('upstreamStatusGte: 500');
    expect(hit).toBeCloseTo(0.012, 6);
    expect(miss).toBeGreaterThan(0.05);
    expect(failed).toBeGreaterThan(2.5);
    const [atOrigin] = await summed(
      'workloadMetrics',
      'upstreamResponseTime',
      [],
      'upstreamCacheStatusEq: "HIT"',
    );
    expect(atOrigin?.['sum']).toBe(0);
  });

  it('shows a slow origin in the times of the configuration whose it is, and in no counts', async () => {
    const [slow, other] = [...bench.sandbox.account.applications].map(({ id }) => String(id));
    const begin = BEGIN - 5 * HOUR;
    const read = async (measure: string) => {
      const query = {
        groupBy: ['ts', 'configurationId'],
        fields: ['sum'],
        more: `aggregate: {sum: ${measure}}`,
      };
      const all = await rowsOf(bench, documentOf({ ...query, begin, end: begin + 3 * MINUTE }));
      return (id: string | undefined) =>
        all.filter((row) => row['configurationId'] === id).map(({ sum }) => Number(sum));
    };
    const [times, atOrigin, counts] = [
      await read('requestTime'),
      await read('upstreamResponseTime'),
      await read('requests'),
    ];
    const incident = { kind: 'slow_origin', configuration: Number(slow), per_minute: 0 } as const;
    bench.sandbox.inject({ ...incident, from: begin + MINUTE, to: begin + 2 * MINUTE });
    const [slowTimes, slowAtOrigin, slowCounts] = [
      await read('requestTime'),
      await read('upstreamResponseTime'),
      await read('requests'),
    ];
    expect(slowCounts(slow)).toEqual(counts(slow));
    expect(slowTimes(other)).toEqual(times(other));
    const ratios = slowAtOrigin(slow).map((sum, minute) => sum / (atOrigin(slow)[minute] ?? 0));
    expect(ratios).toEqual([1, expect.any(Number), 1]);
    expect(ratios[1]).toBeGreaterThan(8);
    expect(slowTimes(slow)[1]).toBeGreaterThan(2 * (times(slow)[1] ?? 0));
  });

  it('has no upstream status where no origin was asked', async () => {
    const all = await rows({ groupBy: ['upstreamCacheStatus', 'upstreamStatus'], fields: ['requestsTotal'] });
    const isNull = (row: Row) => row['upstreamStatus'] === null;
    expect(all.filter(isNull).map((row) => row['upstreamCacheStatus'])).toEqual(['HIT']);
    expect(all.filter((row) => !isNull(row) && row['upstreamCacheStatus'] === 'HIT')).toEqual([]);
  });

  it.each(DATASETS.flatMap(({ names: [name, ...former] }) => former.map((old) => [old, name])))(
    '%s still answers as %s does',
    async (former, name) => {
      const groupBy = ['ts', 'sourceLocPop'];
      expect(await rows({ dataset: former, groupBy })).toEqual(await rows({ dataset: name, groupBy }));
    },
  );

  it('keeps what has many values in hours only', async () => {
    const query = {
      dataset: 'workloadBreakdownMetrics',
      groupBy: ['ts', 'requestPath'],
      fields: ['requests', 'blockedRequests', 'wafThreatRequests'],
    };
    const hourly = await rows(query, BEGIN + HOUR);
    expect(new Set(hourly.map(({ ts }) => ts))).toEqual(new Set(['2026-11-20T10:00:00Z']));
    const [total] = await rows(
      { groupBy: [], fields: ['requestsTotal', 'wafRequestsBlocked'] },
      BEGIN + HOUR,
    );
    expect(sumOf(hourly, 'requests')).toBe(total?.['requestsTotal']);
    expect(sumOf(hourly, 'blockedRequests')).toBe(total?.['wafRequestsBlocked']);
  });

  it('knows users that are connected, and bots where the account has subscribed to that', async () => {
    const users = await rows({
      dataset: 'connectedUsersMetrics',
      groupBy: ['ts', 'host'],
      fields: ['uniqueSessions', 'uniqueSessionsTotal'],
    });
    expect(users.length).toBeGreaterThan(0);
    const bots = await summed('botManagerMetrics', 'requests', ['classified', 'action']);
    expect(bots.map(({ classified }) => classified)).toEqual(
      expect.arrayContaining(['legitimate', 'good bot', 'bad bot']),
    );
    const [all] = await rows({ groupBy: [], fields: ['requestsTotal'] });
    expect(sumOf(bots)).toBe(all?.['requestsTotal']);
  });

  it('names functions by their own id, and the application at which they run', async () => {
    const invoked = await rows({
      dataset: 'functionsMetrics',
      groupBy: ['configurationId', 'functionId', 'functionLanguage', 'initiatorType'],
      fields: ['applicationInvocations', 'firewallInvocations'],
    });
    const { functions, applications } = bench.sandbox.account;
    expect(invoked.length).toBeGreaterThan(0);
    for (const row of invoked) {
      expect(functions.get(Number(row['functionId']))?.language).toBe(row['functionLanguage']);
      expect(applications.get(Number(row['configurationId']))).toBeDefined();
      expect([row['initiatorType'], row['firewallInvocations']]).toEqual([1, 0]);
    }
  });
});
