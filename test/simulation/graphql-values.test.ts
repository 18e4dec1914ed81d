import { expect, it } from 'vitest';
import { inLongSuite } from '../long-suite.ts';
import { SCHEDULE, type Truth, throughTroubles, wrongCounters } from './graphql-truth.ts';
import { simulate } from './simulation.ts';

type Value = Parameters<Exclude<Truth['dimension'], string>>[0];

/** Requests by a field: what has no counter of its own is in that of the others. */
function byValue(by: string, isWhole = true, dataset = 'workloadMetrics'): readonly Truth[] {
  const dimension = (value: Value, told: ReadonlySet<string>) => {
    if (value === null && !isWhole) return undefined;
    const name = String(value ?? 'none');
    return told.has(name) ? name : 'other';
  };
  return [{ dataset, sum: 'requests', by, dimension }];
}

const TRUTHS: Readonly<Record<string, readonly Truth[]>> = {
  requests_by_country: byValue('geolocCountryName'),
  requests_by_host: byValue('host'),
  requests_by_location: byValue('sourceLocPop'),
  requests_by_cache_status: byValue('upstreamCacheStatus'),
  waf_requests_by_attack_family: byValue('wafAttackFamily', false),
  bot_requests_by_action: byValue('action', true, 'botManagerMetrics'),
  bot_requests_by_category: byValue('botCategory', true, 'botManagerMetrics'),
};

it('counts the largest countries, hosts and so on, and all others together, exactly, through troubles and kills', async () => {
  const metrics = Object.keys(TRUTHS);
  const ofWholes = metrics.filter((metric) => metric.startsWith('bot'));
  const simulation = await simulate({
    sandbox: {
      configurations: 2,
      domainsPerConfiguration: inLongSuite(5, 4),
      graphqlRateLimit: 400,
      graphqlMissing: [],
    },
    account: {
      collectors: {
        metrics: {
          schedule: SCHEDULE,
          products: {
            edge_applications: { top: 3, metrics: metrics.filter((metric) => !ofWholes.includes(metric)) },
          },
        },
        analytics: {
          schedule: SCHEDULE,
          products: { content_delivery: { by: ['product'], metrics: ['requests_by_country', ...ofWholes] } },
        },
      },
    },
  });
  const { sandbox, state } = simulation;
  const labels = new Set<string>();
  const { samples, shown, decreases } = await throughTroubles(
    simulation,
    [
      {},
      { late_data: { minutes: 12 } },
      { repeated_rows: { probability: 0.3 }, wrong_types: { probability: 0.3, share: 0.05 } },
      { conflicting_rows: { probability: 0.5, share: 0.1 }, graphql_errors: { probability: 0.3 } },
      {},
    ],
    (seen) => {
      for (const key of seen.keys()) if (key.startsWith('["edge_requests_by_')) labels.add(key);
    },
  );
  // No more than three and the others, and no series that was ever shown is gone.
  expect(shown('edge_requests_by_country_total')).toBe(2 * 4);
  expect(shown('edge_product_requests_by_country_total')).toBe(11);
  expect(shown('edge_requests_by_host_total')).toBe(2 * 4);
  for (const key of labels) expect([...samples.keys()], key).toContain(key);
  expect(decreases).toEqual([]);
  await simulation.stop();
  await simulation.minutes(120);
  const { wrong, buckets, seen } = await wrongCounters(sandbox, state, TRUTHS);
  expect(wrong).toEqual([]);
  expect(buckets).toBeGreaterThan(6 * 2 * 60);
  for (const metric of metrics)
    expect([...seen].filter((name) => name.startsWith(metric)).length).toBeGreaterThan(1);
});
