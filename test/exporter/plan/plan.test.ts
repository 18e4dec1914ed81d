import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedJob, ScopeLimit } from '../../../src/exporter/plan/demand.ts';
import { type AccountPlan, planWithin } from '../../../src/exporter/plan/plan.ts';
import { planText } from '../../../src/exporter/plan/text.ts';

const MINUTE = 60_000;

const LIMIT: ScopeLimit = {
  scope: 'reads',
  limit: 80,
  limit_named_by: 'platform',
  reserve: 0.2,
  allowance: 64,
};

interface Given {
  readonly configurations: number;
  readonly metrics: readonly (readonly [metric: string, weight: number])[];
  readonly collector?: string;
  readonly periodMs?: number;
}

function jobsOf({ configurations, metrics, collector = 'metrics', periodMs = MINUTE }: Given): PlannedJob[] {
  return Array.from({ length: configurations }, (_, index) =>
    metrics.map(([metric, weight]) => ({
      subject: { collector, product: 'edge_applications', configuration_id: String(index), metric },
      group: collector,
      weight,
      periodMs,
      cost: 1,
      series: 10,
      bucketMs: MINUTE,
    })),
  ).flat();
}

function planOf(jobs: readonly PlannedJob[], limitOf = (_group: string) => LIMIT): AccountPlan {
  return {
    account: 'shop',
    api_url: 'https://api.example.net',
    ...planWithin(jobs, limitOf, 2 * MINUTE),
    notes: [],
    listed_products: 0,
    unlisted_products: [],
  };
}

const SECURITY = [
  ['waf', 4],
  ['status_code', 4],
] as const;
const VOLUMES = [
  ['cdn_requests', 2],
  ['data_transferred_total', 1],
] as const;

describe('a plan', () => {
  it('that fits asks for its demand and keeps its schedules', () => {
    const plan = planOf(jobsOf({ configurations: 10, metrics: SECURITY }));
    expect(plan).toMatchObject({ fits: true, gives: [], suggestions: [] });
    expect(plan.scopes).toMatchObject([{ scope: 'reads', demand: 20, operations: 20, share_of_limit: 0.25 }]);
    expect(plan.rows).toMatchObject([
      { jobs: 20, series: 200, scheduled_seconds: [60, 60], interval_seconds: [60, 60], age_seconds: 240 },
    ]);
  });

  it('that does not fit uses the allowance, and stretches by weight', () => {
    const plan = planOf(jobsOf({ configurations: 40, metrics: [...SECURITY, ...VOLUMES] }));
    expect(plan).toMatchObject({ fits: false });
    expect(plan.scopes[0]).toMatchObject({ demand: 160, operations: 64, fits: false });
    expect(plan.gives.map(({ metrics }) => metrics)).toEqual([
      ['waf', 'status_code'],
      ['cdn_requests'],
      ['data_transferred_total'],
    ]);
    const [security, requests, volumes] = plan.gives.map(({ interval_seconds }) => interval_seconds);
    expect(Number(requests) / Number(security)).toBeCloseTo(2, 3);
    expect(Number(volumes) / Number(security)).toBeCloseTo(4, 3);
    expect(plan.rows[0]?.operations).toBeCloseTo(64, 3);
    expect(plan.rows[0]?.age_seconds).toBeCloseTo(180 + Number(volumes), 3);
  });

  it('counts each limit scope for itself', () => {
    const jobs = [
      ...jobsOf({ configurations: 30, metrics: SECURITY }),
      ...jobsOf({ configurations: 30, metrics: SECURITY, collector: 'analytics' }),
    ];
    const other = { ...LIMIT, scope: 'analytics', limit: 20, allowance: 16 };
    const plan = planOf(jobs, (group) => (group === 'analytics' ? other : LIMIT));
    expect(plan.fits).toBe(false);
    expect(plan.scopes).toMatchObject([
      { scope: 'reads', fits: true, operations: 60 },
      { scope: 'analytics', fits: false, operations: 16 },
    ]);
    expect(new Set(plan.gives.map(({ collector }) => collector))).toEqual(new Set(['analytics']));
  });

  it('performs what its intervals say, and never more than is allowed', () => {
    const given = fc.record({
      configurations: fc.integer({ min: 1, max: 60 }),
      periodMs: fc.constantFrom(MINUTE, 2 * MINUTE, 5 * MINUTE),
      metrics: fc.subarray([...SECURITY, ...VOLUMES], { minLength: 1 }),
    });
    const property = fc.property(fc.array(given, { minLength: 1, maxLength: 4 }), (parts) => {
      const plan = planOf(parts.flatMap(jobsOf));
      const performed = plan.rows.reduce((sum, { operations }) => sum + operations, 0);
      expect(performed).toBeCloseTo(plan.scopes[0]?.operations ?? Number.NaN, 3);
      expect(performed).toBeLessThanOrEqual(64.001);
      expect(plan.fits).toBe(plan.gives.length === 0);
      expect(plan.fits).toBe(plan.suggestions.length === 0);
    });
    // The second seed has a sum of shares that equals the limit except for rounding.
    fc.assert(property, { numRuns: 50 });
    fc.assert(property, { seed: 227903644, path: '10' });
  });
});

describe('suggestions', () => {
  it('name a longer schedule, fewer metrics or configurations, and more quota, each enough by itself', () => {
    const { suggestions } = planOf(jobsOf({ configurations: 30, metrics: [...SECURITY, ...VOLUMES] }));
    expect(suggestions).toEqual([
      'a longer schedule: collectors.metrics.products.edge_applications.schedule: "*/2 * * * *" saves 60 operations per minute',
      'fewer metrics or configurations in collectors.metrics.products.edge_applications: it needs 120 operations per minute, and saving 56 is enough',
      'more quota: a limit of at least 150 operations per minute for reads instead of 80',
    ]);
  });

  it('name a smaller reserve where that is enough', () => {
    const { suggestions } = planOf(jobsOf({ configurations: 35, metrics: SECURITY, collector: 'analytics' }));
    expect(suggestions.slice(-1)).toEqual([
      'more quota: a limit of at least 88 operations per minute for reads instead of 80, or quota.reserve: 0.12 instead of 0.2',
    ]);
  });

  it('say so where no schedule of an hour is long enough', () => {
    const { suggestions } = planOf(jobsOf({ configurations: 2_000, metrics: SECURITY }));
    expect(suggestions[0]).toBe(
      'longer schedules everywhere: all 62.5 times as long, for instance every 1 h 3 min instead of every 1 min',
    );
  });
});

it('reads as a table, without trailing spaces and without colours', () => {
  const text = planText(planOf(jobsOf({ configurations: 20, metrics: [...SECURITY, ...VOLUMES] })));
  expect(text).toBe(`account shop at https://api.example.net: the plan DOES NOT FIT the quota
  reads: 80 operations per minute are needed, 64 are available (limit 80, named by the platform; 20% reserved): 100% of the limit

COLLECTOR  PRODUCT            LIMIT  JOBS  OPS/MIN  SHARE  SERIES  EVERY                DATA AGE
metrics    edge_applications  reads    80       80   100%     800  1 min to 2 min 30 s  up to 5 min 30 s
total                                  80       80            800
SERIES are those of the platform: what the exporter shows of itself comes on top.

These intervals stretch:
  metrics edge_applications (cdn_requests): every 1 min 15 s instead of 1 min (25% longer)
  metrics edge_applications (data_transferred_total): every 2 min 30 s instead of 1 min (150% longer)

Each of these would make it fit:
  a longer schedule: collectors.metrics.products.edge_applications.schedule: "*/2 * * * *" saves 40 operations per minute
  fewer metrics or configurations in collectors.metrics.products.edge_applications: it needs 80 operations per minute, and saving 16 is enough
  more quota: a limit of at least 100 operations per minute for reads instead of 80, or quota.reserve: 0 instead of 0.2
`);
});
