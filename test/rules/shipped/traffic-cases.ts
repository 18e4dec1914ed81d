import { type AlertCase, BEFORE, type Given } from './alert-case.ts';

const SHOP = 'account="production", product="edge_applications", configuration_id="1", configuration="shop"';
const OF_SHOP = 'scope="configuration", configuration="shop"';
const OF_ACCOUNT = 'scope="account", account="production"';

function threats(perMinute: number): Given {
  return { [`edge_waf_threats_per_minute{${SHOP}}`]: perMinute };
}

function atLeast(perMinute: number): Given {
  return { [`edge_waf_threats_at_least_per_minute{${SHOP}}`]: perMinute };
}

function blocked(perMinute: number): Given {
  return { ...threats(20), [`edge_waf_blocked_per_minute{${SHOP}}`]: perMinute };
}

function family(perMinute: number): Given {
  return {
    ...threats(20),
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

function origin(given: { readonly ok: number; readonly failed?: number; readonly seconds?: number }): Given {
  const { ok, failed = 0, seconds = 0.2 } = given;
  return {
    [`edge_upstream_responses_per_minute{${SHOP}, class="2xx", code="200"}`]: ok,
    [`edge_upstream_responses_per_minute{${SHOP}, class="5xx", code="503"}`]: failed,
    [`edge_upstream_response_seconds_per_minute{${SHOP}}`]: (ok + failed) * seconds,
  };
}

function cached(saved: number, missed: number): Given {
  return {
    [`edge_requests_by_cache_per_minute{${SHOP}, cache="saved"}`]: saved,
    [`edge_requests_by_cache_per_minute{${SHOP}, cache="missed"}`]: missed,
    ...requests(saved + missed),
  };
}

function spread(perMinute: number): Given {
  return Object.fromEntries(
    ['one', 'two', 'three', 'four'].map((name) => [
      `edge_waf_threats_per_minute{account="production", product="edge_applications", configuration_id="${name}", configuration="${name}"}`,
      perMinute,
    ]),
  );
}

function burst(minutes: number): Given {
  const value = (minute: number): number => (minute >= BEFORE && minute < BEFORE + minutes ? 3_000 : 0);
  return { [`edge_waf_threats_per_minute{${SHOP}}`]: value };
}

const ruleSetChanged: Given = {
  'edge_waf_ruleset_changed_timestamp_seconds{account="production", waf_ruleset="main", waf_ruleset_id="1"}':
    (minute) => (minute < BEFORE ? -100_000 : BEFORE * 60),
};

function restart(): Given {
  const during = (minute: number): boolean => minute === BEFORE + 15 || minute === BEFORE + 16;
  return {
    [`edge_responses_per_minute{${SHOP}, class="2xx", code="200"}`]: (minute) => (during(minute) ? 0 : 1_000),
    [`edge_responses_per_minute{${SHOP}, class="5xx", code="503"}`]: (minute) => (during(minute) ? 1_000 : 0),
  };
}

const spike = { lasts: 20, resolves: 15 } as const;

const ticket = { lasts: 25, resolves: 140 } as const;

/** Case of a few failures that last. */
export const CREEPING: Omit<AlertCase, 'resolves'> = {
  alert: 'Edge5xxRatio',
  which: `${OF_SHOP}, severity="ticket"`,
  normal: responses({ ok: 1_000 }),
  bad: responses({ ok: 1_000, failed: 5 }),
  mild: responses({ ok: 12_000, failed: 5 }),
  lasts: 270,
};

/** Cases of all traffic alerts that need no history. */
export const TRAFFIC_CASES: readonly AlertCase[] = [
  {
    ...spike,
    alert: 'EdgeWafSpike',
    which: OF_SHOP,
    normal: threats(20),
    bad: threats(500),
    mild: threats(55),
  },
  {
    // Only the lower bounds of the newest minutes show the attack.
    ...spike,
    alert: 'EdgeWafSpike',
    which: OF_SHOP,
    normal: { ...threats(20), ...atLeast(5) },
    bad: atLeast(500),
    mild: atLeast(55),
    lasts: 7,
  },
  {
    ...spike,
    alert: 'EdgeWafSpike',
    which: OF_SHOP,
    normal: threats(0),
    bad: threats(45),
    mild: threats(39),
  },
  {
    // No single configuration is conspicuous, but their sum is.
    ...spike,
    alert: 'EdgeWafSpike',
    which: OF_ACCOUNT,
    normal: spread(0),
    bad: spread(20),
    mild: spread(6),
  },
  {
    alert: 'EdgeWafElevated',
    which: OF_SHOP,
    normal: threats(0),
    bad: burst(5),
    mild: burst(3),
    // From the end of the burst it is a quarter of an hour.
    lasts: 16,
    resolves: 140,
  },
  {
    ...ticket,
    alert: 'EdgeWafBlockedSpike',
    which: OF_SHOP,
    normal: blocked(20),
    bad: blocked(500),
    mild: blocked(55),
  },
  {
    ...spike,
    alert: 'EdgeTrafficFlood',
    which: `${OF_SHOP}, severity="info"`,
    normal: requests(2_000),
    bad: requests(9_000),
    mild: requests(5_500),
  },
  {
    ...ticket,
    alert: 'EdgeWafFamilyAttack',
    which: `${OF_SHOP}, family="sql"`,
    normal: family(10),
    bad: family(200),
    mild: family(25),
  },
  {
    ...ticket,
    alert: 'EdgeStatusCodeSurge',
    which: `${OF_SHOP}, code="404"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, missing: 300 }),
    mild: responses({ ok: 1_000, missing: 55 }),
  },
  {
    // The errors have grown only as much as the traffic itself.
    ...ticket,
    alert: 'EdgeStatusCodeSurge',
    which: `${OF_SHOP}, code="404"`,
    normal: { ...responses({ ok: 5_000, missing: 50 }), ...requests(5_000) },
    bad: { ...responses({ ok: 5_000, missing: 300 }), ...requests(5_000) },
    mild: { ...responses({ ok: 30_000, missing: 300 }), ...requests(30_000) },
  },
  {
    ...spike,
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, severity="page"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 900, failed: 100 }),
    mild: responses({ ok: 1_000, failed: 4 }),
  },
  {
    // A restart takes two minutes.
    ...spike,
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, severity="page"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 0, failed: 1_000 }),
    mild: restart(),
  },
  {
    ...spike,
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, severity="page"`,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, failed: 30 }),
    mild: responses({ ok: 1_000, failed: 4 }),
    lasts: 90,
  },
  {
    // For a small site, the number of failures decides about a page.
    alert: 'Edge5xxRatio',
    which: `${OF_SHOP}, severity="page"`,
    normal: responses({ ok: 2, missing: 0 }),
    bad: responses({ ok: 0, missing: 0, failed: 2 }),
    mild: responses({ ok: 2, missing: 0, failed: 1 }),
    lasts: 20,
    resolves: 30,
  },
  {
    ...ticket,
    alert: 'Edge4xxRatio',
    which: OF_SHOP,
    normal: responses({ ok: 1_000 }),
    bad: responses({ ok: 1_000, missing: 600 }),
    mild: responses({ ok: 1_000, missing: 200 }),
  },
  {
    // The bad rule set blocks more since its change. The mild one has changed but blocks as before.
    alert: 'EdgeRuleSetSwitched',
    normal: { ...blocked(20), ...threats(20), ...ruleSetChanged },
    bad: blocked(500),
    mild: blocked(25),
    lasts: 20,
    resolves: 200,
  },
  {
    alert: 'EdgeOriginErrors',
    which: OF_SHOP,
    normal: origin({ ok: 200 }),
    bad: origin({ ok: 200, failed: 40 }),
    mild: origin({ ok: 200, failed: 8 }),
    lasts: 20,
    resolves: 10,
  },
  {
    // Too few responses for a judgement.
    alert: 'EdgeOriginErrors',
    which: OF_SHOP,
    normal: origin({ ok: 200 }),
    bad: origin({ ok: 6, failed: 6 }),
    mild: origin({ ok: 4, failed: 4 }),
    lasts: 20,
    resolves: 10,
  },
  {
    alert: 'EdgeOriginSlow',
    which: OF_SHOP,
    normal: origin({ ok: 200, seconds: 0.5 }),
    bad: origin({ ok: 200, seconds: 2 }),
    mild: origin({ ok: 200, seconds: 1.4 }),
    lasts: 20,
    resolves: 10,
  },
  {
    // The origin is far slower than usual, but still fast.
    alert: 'EdgeOriginSlow',
    which: OF_SHOP,
    normal: origin({ ok: 200, seconds: 0.05 }),
    bad: origin({ ok: 200, seconds: 1.1 }),
    mild: origin({ ok: 200, seconds: 0.9 }),
    lasts: 20,
    resolves: 10,
  },
  {
    ...ticket,
    alert: 'EdgeOffloadCollapse',
    which: OF_SHOP,
    normal: cached(900, 100),
    bad: cached(200, 800),
    mild: cached(700, 300),
  },
];
