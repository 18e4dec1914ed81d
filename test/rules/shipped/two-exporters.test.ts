import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ruleFiles, ruleText } from '../../../src/rules/shipped/rule-files.ts';
import { TIMES } from '../../../src/rules/shipped/times.ts';
import { Random } from '../../bench/alerts/random.ts';
import { promtoolsFor, testRules } from '../../end-to-end/promtool.ts';
import { ACCOUNT, type AlertCase, BEFORE } from './alert-case.ts';
import { COUNTER_CASES } from './counter-cases.ts';
import { DISCOVERY_CASES } from './discovery-cases.ts';
import { EXPORTER_CASES } from './exporter-cases.ts';
import { POLL_CASES } from './poll-cases.ts';
import { SETTINGS_CASES } from './settings-cases.ts';

const MINUTE = 60_000;
const LENGTH = 310;

const MOVES = 170;

/**
 * Rule files with weeks of two hours, so that all series are recorded. promtool evaluates all groups equally
 * often.
 */
const { recording, alerts } = ruleFiles(SHIPPED, {
  ...TIMES,
  baseline: MINUTE,
  hour: 20 * MINUTE,
  day: 40 * MINUTE,
  week: 120 * MINUTE,
  burn: {
    fast: [5 * MINUTE, 20 * MINUTE],
    slow: [10 * MINUTE, 60 * MINUTE],
    creeping: [30 * MINUTE, 120 * MINUTE],
  },
});
const GROUPS = [...recording.groups, ...alerts.groups];

const TARGETS = [
  'instance="a:9801", job="edge-exporter", pod="edge-0"',
  'instance="b:9801", job="edge-standby", pod="edge-1"',
] as const;

interface Series {
  readonly series: string;
  readonly values: readonly string[];
}

function traffic(): readonly Series[] {
  const random = new Random(11);
  return ['shop', 'blog'].flatMap((configuration, index) => {
    const draw = (level: number, from = 0, to = 0, factor = 1): readonly string[] =>
      Array.from({ length: LENGTH }, (_, minute) =>
        String(random.poisson(level * (minute >= from && minute < to ? factor : 1))),
      );
    const one = (family: string, values: readonly string[], more = ''): Series => ({
      series: `${family}{${ACCOUNT}, product="p", configuration_id="${index}", configuration="${configuration}"${more}}`,
      values,
    });
    return [
      one('edge_requests_per_minute', draw(2_000, 265, 300, 0.02)),
      one('edge_requests_by_cache_per_minute', draw(1_500), ', cache="saved"'),
      one('edge_requests_by_cache_per_minute', draw(500), ', cache="missed"'),
      one('edge_waf_threats_per_minute', draw(20, 155, 190, 20)),
      one('edge_waf_threats_at_least_per_minute', draw(14, 155, 190, 20)),
      one('edge_waf_blocked_per_minute', draw(15, 155, 190, 20)),
      one('edge_waf_threats_by_family_per_minute', draw(9, 155, 190, 20), ', family="sql"'),
      one('edge_responses_per_minute', draw(1_900), ', class="2xx", code="200"'),
      one('edge_responses_per_minute', draw(60), ', class="4xx", code="404"'),
      one('edge_responses_per_minute', draw(2, 215, 240, 300), ', class="5xx", code="503"'),
      one('edge_upstream_responses_per_minute', draw(400), ', class="2xx", code="200"'),
      one('edge_upstream_responses_per_minute', draw(2, 155, 190, 60), ', class="5xx", code="502"'),
      one('edge_upstream_response_seconds_per_minute', draw(100, 215, 240, 12)),
      one(
        'edge_configuration_info',
        draw(0).map(() => '1'),
      ),
      one(
        'edge_data_until_timestamp_seconds',
        draw(0).map((_, minute) => String(60 * Math.min(minute, 294))),
        ', metric="cdn_requests"',
      ),
    ];
  });
}

function badTime({ normal, bad, lasts }: AlertCase): readonly Series[] {
  return [...new Set([...Object.keys(normal), ...Object.keys(bad)])].map((series) => ({
    series,
    values: Array.from({ length: BEFORE + lasts }, (_, minute) => {
      const value = (minute >= BEFORE ? bad[series] : undefined) ?? normal[series];
      if (typeof value === 'function') return String(value(minute));
      if (value === 'absent') return 'stale';
      return value === undefined ? '_' : String(value);
    }),
  }));
}

const CASES = [
  ...SETTINGS_CASES,
  ...EXPORTER_CASES,
  ...POLL_CASES,
  ...DISCOVERY_CASES,
  ...COUNTER_CASES,
].filter(({ normal, bad }) =>
  [...Object.keys(normal), ...Object.keys(bad)].every(
    (series) => series.includes(ACCOUNT) && !series.includes('instance='),
  ),
);

function scraped(
  all: readonly Series[],
  account: string,
  targets: readonly { readonly target: string; readonly from?: number; readonly to?: number }[],
): readonly object[] {
  return targets.flatMap(({ target, from = 0, to = Number.POSITIVE_INFINITY }) =>
    all.map(({ series, values }) => ({
      series: series.replace(ACCOUNT, `account="${account}", ${target}`),
      values: values
        .map((value, minute) => (minute >= from && minute < to ? value : minute === to ? 'stale' : '_'))
        .join(' '),
    })),
  );
}

const [A, B] = TARGETS.map((target) => ({ target })) as [{ target: string }, { target: string }];

const INPUTS = [
  ...scraped(traffic(), 'traffic-one', [A]),
  ...scraped(traffic(), 'traffic-two', [A, B]),
  ...scraped(traffic(), 'traffic-moved', [
    { ...A, to: MOVES },
    { ...B, from: MOVES },
  ]),
  ...CASES.flatMap((given, index) => [
    ...scraped(badTime(given), `case${index}-one`, [A]),
    ...scraped(badTime(given), `case${index}-two`, [A, B]),
  ]),
];

function made(ending: string, of = '.*'): string {
  const all = `{__name__=~".+:.+|ALERTS", account=~"${of}-${ending}"}`;
  const named = `label_replace(${all}, "of", "$1", "__name__", "(.+)")`;
  return `label_replace(${named}, "account", "$1", "account", "(.+)-.+")`;
}

function different(one: string, other: string): string {
  return `(${one} unless ${other}) or (${other} unless ${one}) or (${one} != ${other})`;
}

function firing(alert: string, account: string, minute: number): object {
  return {
    expr: `count(ALERTS{alertname="${alert}", account="${account}", alertstate="firing"}) >= bool 1`,
    eval_time: `${minute}m`,
    exp_samples: [{ labels: '{}', value: 1 }],
  };
}

it.each(promtoolsFor(1))(
  'two exporters of an account, or one that takes over, change nothing that is recorded and no alert (%s)',
  async (tool) => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const minutes = [30, 100, 160, 171, 175, 200, 225, 235, 270, 285, 308];
    const ended = CASES.map(({ lasts }) => BEFORE + lasts - 1);
    const test = {
      rule_files: ['all.rules.yml'],
      evaluation_interval: '1m',
      group_eval_order: GROUPS.map(({ name }) => name),
      tests: [
        {
          interval: '1m',
          input_series: INPUTS,
          promql_expr_test: [
            ...[...new Set([...minutes, ...ended])].map((minute) => ({
              expr: different(made('one'), made('two')),
              eval_time: `${minute}m`,
              exp_samples: [],
            })),
            ...minutes.map((minute) => ({
              expr: different(made('one', 'traffic'), made('moved', 'traffic')),
              eval_time: `${minute}m`,
              exp_samples: [],
            })),
            // These alerts fire, so that the comparison is not empty.
            ...CASES.flatMap(({ alert, which }, index) =>
              // Cases that need a whole day are skipped.
              which === 'reason="fewer"' ? [] : [firing(alert, `case${index}-two`, ended[index] ?? 0)],
            ),
            ...(
              [
                ['EdgeWafSpike', 170],
                ['Edge5xxRatio', 230],
                ['EdgeOriginErrors', 175],
                ['EdgeOriginSlow', 230],
              ] as const
            ).map(([alert, minute]) => firing(alert, 'traffic-two', minute)),
          ],
        },
      ],
    };
    await writeFile(join(folder, 'all.rules.yml'), ruleText({ groups: GROUPS }));
    const file = join(folder, 'test.yml');
    await writeFile(file, stringify(test, { lineWidth: 0 }));
    expect((await testRules(tool, file)).slice(0, 4_000)).toBe('');
  },
);
