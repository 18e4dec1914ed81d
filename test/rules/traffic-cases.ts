import type { AlertCase, Given } from './alert-case.ts';

const SHOP = 'account="production", product="edge_applications", configuration_id="1", configuration="shop"';
const OF_SHOP = 'scope="configuration", configuration="shop"';
const OF_ACCOUNT = 'scope="account", account="production"';

function threats(perMinute: number): Given {
  return { [`edge_waf_threats_per_minute{${SHOP}}`]: perMinute };
}

function blocked(perMinute: number): Given {
  return { [`edge_waf_blocked_per_minute{${SHOP}}`]: perMinute };
}

function family(perMinute: number): Given {
  return {
    [`edge_waf_threats_by_family_per_minute{${SHOP}, family="sql"}`]: perMinute,
    [`edge_waf_threats_by_family_per_minute{${SHOP}, family="xss"}`]: 10,
  };
}

function requests(perMinute: number): Given {
  return { [`edge_requests_per_minute{${SHOP}}`]: perMinute };
}

function responses(counts: {
  readonly ok: number;
  readonly missing?: number;
  readonly failed?: number;
}): Given {
  return {
    [`edge_responses_per_minute{${SHOP}, class="2xx", code="200"}`]: counts.ok,
    [`edge_responses_per_minute{${SHOP}, class="4xx", code="404"}`]: counts.missing ?? 20,
    [`edge_responses_per_minute{${SHOP}, class="5xx", code="503"}`]: counts.failed ?? 0,
  };
}

function cached(saved: number, missed: number): Given {
  return {
    [`edge_requests_by_cache_per_minute{${SHOP}, cache="saved"}`]: saved,
    [`edge_requests_by_cache_per_minute{${SHOP}, cache="missed"}`]: missed,
    ...requests(saved + missed),
  };
}

/** Requests that were more for a while, which is over when the bad time begins. */
function afterSurge(perMinute: number, surge: number): Given {
  const value = (minute: number): number => (minute >= 60 && minute < 135 ? surge : perMinute);
  return { [`edge_requests_per_minute{${SHOP}}`]: value };
}

const spike = { lasts: 20, resolves: 45 } as const;

/** Every alert of traffic. */
export const TRAFFIC_CASES: readonly AlertCase[] = [
  ...[OF_SHOP, OF_ACCOUNT].flatMap((which) => [
    { ...spike, alert: 'EdgeWafSpike', which, normal: threats(20), bad: threats(500), mild: threats(55) },
    { ...spike, alert: 'EdgeWafSpike', which, normal: threats(0), bad: threats(45), mild: threats(39) },
    {
      ...spike,
      alert: 'EdgeWafBlockedSpike',
      which,
      normal: blocked(20),
      bad: blocked(500),
      mild: blocked(55),
    },
    {
      ...spike,
      alert: 'EdgeTrafficFlood',
      which,
      normal: requests(2_000),
      bad: requests(9_000),
      mild: requests(5_500),
    },
    {
      ...spike,
      alert: 'EdgeTrafficDrop',
      which,
      normal: requests(2_000),
      bad: requests(100),
      mild: requests(900),
    },
    {
      // On the first day a surge that ends is no drop: there is no yesterday to tell what is usual.
      ...spike,
      alert: 'EdgeTrafficDrop',
      which,
      normal: afterSurge(2_000, 12_000),
      bad: requests(100),
      mild: requests(900),
    },
  ]),
  {
    ...spike,
    alert: 'EdgeWafFamilyAttack',
    which: `${OF_SHOP}, family="sql"`,
    normal: family(10),
    bad: family(200),
    mild: family(25),
  },
  {
    ...spike,
    alert: 'EdgeStatusCodeSurge',
    which: `${OF_SHOP}, code="404"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, missing: 300 }),
    mild: responses({ ok: 1_000, missing: 55 }),
  },
  {
    ...spike,
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, burn="fast", severity="page"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 900, failed: 100 }),
    mild: responses({ ok: 1_000, failed: 10 }),
  },
  {
    // A small site that fails as a whole.
    ...spike,
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, burn="fast", severity="page"`,
    normal: responses({ ok: 30 }),
    bad: responses({ ok: 10, failed: 20 }),
    mild: responses({ ok: 26, failed: 4 }),
  },
  {
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, burn="slow", severity="page"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, failed: 30 }),
    mild: responses({ ok: 1_000, failed: 4 }),
    lasts: 90,
    resolves: 60,
  },
  {
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, burn="creeping", severity="ticket"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, failed: 20 }),
    mild: responses({ ok: 4_000, failed: 3 }),
    lasts: 120,
    resolves: 420,
  },
  {
    alert: 'Edge4xxRatio',
    which: OF_SHOP,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, missing: 600 }),
    mild: responses({ ok: 1_000, missing: 200 }),
    lasts: 25,
    resolves: 45,
  },
  {
    alert: 'EdgeOffloadCollapse',
    which: OF_SHOP,
    normal: cached(900, 100),
    bad: cached(200, 800),
    mild: cached(700, 300),
    lasts: 25,
    resolves: 45,
  },
];
