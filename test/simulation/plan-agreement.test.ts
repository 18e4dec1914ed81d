import { expect, it } from 'vitest';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { livePlan } from '../../src/exporter/plan/live-plan.ts';
import type { AccountPlan } from '../../src/exporter/plan/plan.ts';
import { createSandbox, DEFAULT_TOKEN, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { inLongSuite } from '../long-suite.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

interface Case {
  readonly sandbox?: SandboxOptions;
  readonly account: Record<string, unknown>;
  /** Minutes until the exporter polls at its normal rate. */
  readonly warmUp?: number;
  /** Minutes after the warm-up in which operations are counted. */
  readonly minutes?: number;
}

async function planOfCase({ sandbox, account }: Case): Promise<AccountPlan> {
  const clock = new SimulatedClock();
  const platform = await createSandbox({ now: () => clock.now(), ...sandbox }).listen(0);
  const config = CONFIG.parse({
    accounts: [{ name: 'test', api_url: platform.url, token: DEFAULT_TOKEN.token, ...account }],
  });
  const [only] = config.accounts;
  if (only === undefined) throw new Error('one account was configured');
  const { signal } = new AbortController();
  try {
    const plan = await livePlan({ account: only, clock, signal, tell: () => {}, guard: () => {} });
    if ('unreachable' in plan) throw new Error(plan.unreachable);
    return plan;
  } finally {
    await platform.close();
  }
}

const MINUTES = inLongSuite(60, 15);

async function operationsOfCase({
  sandbox = {},
  account,
  warmUp = 5,
  minutes = MINUTES,
}: Case): Promise<number> {
  simulation = await simulate({ sandbox, account });
  await simulation.minutes(warmUp);
  const before = simulation.sandbox.requests.total;
  await simulation.minutes(minutes);
  expect(simulation.sandbox.requests.byStatus.get(429)).toBeUndefined();
  return (simulation.sandbox.requests.total - before) / minutes;
}

const LIMIT = { rateLimit: { reads: 80, writes: 20, purges: 20 } };
const LITTLE = { rateLimit: { reads: 45, writes: 5, purges: 5 } };
const ALL = { products: { edge_applications: {} } };

const CASES: Record<string, Case & { readonly fits: boolean }> = {
  'a plan that fits': {
    fits: true,
    account: {
      reconciliation_share: 0,
      collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } },
    },
  },
  'a plan that does not fit': {
    fits: false,
    sandbox: { ...LITTLE, configurations: inLongSuite(10, 3) },
    account: { reconciliation_share: 0, collectors: { metrics: ALL, domains: {} } },
    warmUp: 10,
  },
  'several products on schedules of their own': {
    fits: true,
    sandbox: LIMIT,
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: {
          products: {
            edge_applications: { schedule: '*/2 * * * *', configurations: { exclude: ['news*'] } },
            edge_functions: { schedule: '30 * * * * *' },
            intelligent_dns: { schedule: '*/5 * * * *' },
          },
        },
        analytics: { schedule: '*/3 * * * *', products: { media_packager: {} } },
      },
    },
  },
  'applications without domains': {
    fits: true,
    sandbox: {
      rateLimit: { reads: 80, writes: 20, purges: 20 },
      configurations: 12,
      configurationsWithoutDomains: 8,
    },
    account: {
      reconciliation_share: 0,
      collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } },
    },
  },
  'whole products': {
    fits: true,
    sandbox: LIMIT,
    account: {
      reconciliation_share: 0,
      collectors: {
        analytics: {
          products: {
            content_delivery: { by: ['product', 'configuration'], metrics: ['waf', 'requests', 'bandwidth'] },
          },
        },
      },
    },
  },
  'a platform that answers without dimensions': {
    fits: false,
    sandbox: { ...LITTLE, metricsShape: 'bare' },
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['status_code', 'waf', 'data_offloaded'] } } },
      },
    },
    warmUp: 10,
  },
  'a few wanted dimensions of a platform that answers without': {
    fits: true,
    sandbox: { ...LIMIT, metricsShape: 'bare' },
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: {
          products: {
            edge_applications: { metrics: ['status_code', 'waf'], dimensions: ['5xx', '50*', 'threats'] },
          },
        },
      },
    },
  },
  'a reading of settings that outweighs the traffic': {
    fits: true,
    sandbox: { ...LIMIT, configurations: 400, maxPageSize: 20 },
    account: {
      reconciliation_share: 0,
      discovery: '*/5 * * * *',
      collectors: {
        domains: {},
        error_responses: {},
        metrics: {
          products: { edge_applications: { metrics: ['waf'], configurations: { include: ['shop', 'api'] } } },
        },
      },
    },
    warmUp: 15,
    minutes: inLongSuite(60, 30),
  },
  'what REST does not have': {
    fits: true,
    sandbox: LIMIT,
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: {
          products: { edge_applications: { metrics: ['waf', 'request_duration', 'upstream_responses'] } },
        },
      },
    },
    warmUp: 10,
  },
  'breakdowns by value': {
    fits: true,
    sandbox: LIMIT,
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: {
          products: {
            edge_applications: {
              top: 4,
              metrics: ['waf', 'requests_by_country', 'requests_by_cache_status'],
            },
          },
        },
      },
    },
    warmUp: 10,
  },
  'counters that are compared with the platform': {
    fits: true,
    sandbox: LIMIT,
    account: {
      reconciliation_share: 0.05,
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
    warmUp: 120,
  },
};

it.each(Object.entries(CASES))('says what then happens: %s', async (_name, { fits, ...given }) => {
  const plan = await planOfCase(given);
  const planned = plan.scopes.reduce((sum, { operations }) => sum + operations, 0);
  const happened = await operationsOfCase(given);
  expect(plan.fits).toBe(fits);
  expect(planned / happened, `${planned} planned, ${happened} happened`).toBeGreaterThan(0.98);
  expect(planned / happened, `${planned} planned, ${happened} happened`).toBeLessThan(1.02);
});
