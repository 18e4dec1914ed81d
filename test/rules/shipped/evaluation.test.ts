import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { Input } from '../../../src/rules/promql/evaluation.ts';
import { SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ruleFiles, ruleText } from '../../../src/rules/shipped/rule-files.ts';
import { TIMES, type Times } from '../../../src/rules/shipped/times.ts';
import { Random } from '../../bench/alerts/random.ts';
import { promtoolsFor, testRules } from '../../end-to-end/promtool.ts';
import { evaluate } from '../evaluate.ts';

const MINUTE = 60_000;
const LENGTH = 640;

/**
 * Times with short days and weeks, so that three weeks take six hours. promtool evaluates all groups equally
 * often.
 */
const SHORT: Times = {
  ...TIMES,
  baseline: MINUTE,
  hour: 20 * MINUTE,
  apart: 25 * MINUTE,
  remains: 30 * MINUTE,
  holdHour: 5 * MINUTE,
  growing: 6 * MINUTE,
  around: 15 * MINUTE,
  keepTicket: 10 * MINUTE,
  day: 40 * MINUTE,
  week: 120 * MINUTE,
  burn: {
    fast: [5 * MINUTE, 20 * MINUTE],
    slow: [10 * MINUTE, 60 * MINUTE],
    creeping: [30 * MINUTE, 120 * MINUTE],
  },
};

const FILES = ruleFiles({ ...SHIPPED, acceptAfter: 45 * MINUTE }, SHORT);

const TRAFFIC = [
  ...new Set(
    FILES.alerts.groups.flatMap(({ rules }) =>
      rules.filter(({ labels }) => labels.about === 'traffic').map(({ alert }) => alert),
    ),
  ),
];

type Events = readonly (readonly [from: number, to: number, factor: number])[];

function drawValues(random: Random, level: number, events: Events, gaps = true): Float64Array {
  const values = Float64Array.from({ length: LENGTH }, (_, minute) => {
    const factor = events.reduce((all, [from, to, by]) => (minute >= from && minute < to ? by : all), 1);
    return random.poisson(level * (1.5 + Math.sin((2 * Math.PI * minute) / 40)) * factor);
  });
  if (gaps) {
    values.fill(Number.NaN, 160, 175);
    values.fill(Number.NaN, 400, 415);
  }
  return values;
}

function earlier(random: Random, attacks: Events): Float64Array {
  const sooner = attacks.map(([from, to, factor]) => [from - 2, to - 2, factor] as const);
  return drawValues(random, 14, sooner);
}

function grown(values: Float64Array): Float64Array {
  return values.map((value, minute) => (minute >= 280 && minute < 340 ? value + (minute - 280) : value));
}

function history(): readonly Input[] {
  const random = new Random(6);
  const attacks: Events = [
    [70, 95, 12],
    [225, 240, 8],
    [270, 276, 30],
    [360, 365, 20],
    [450, 520, 9],
  ];
  // Events at the same time of each short day.
  const nightly: Events = [440, 480, 520].map((from) => [from, from + 8, 200] as const);
  const failures: Events = [
    [100, 130, 200],
    [310, 330, 30],
    [545, 600, 15],
  ];
  const changed: Input = {
    name: 'edge_waf_ruleset_changed_timestamp_seconds',
    labels: { account: 'a', waf_ruleset: 'main', waf_ruleset_id: '1' },
    values: Float64Array.from({ length: LENGTH }, (_, minute) => (minute < 128 ? -100_000 : 128 * 60)),
  };
  const ofSites = ['shop', 'blog'].flatMap((configuration, index) => {
    const labels = { account: 'a', product: 'p', configuration_id: String(index), configuration };
    const draw = (level: number, events: Events): Float64Array =>
      drawValues(random, level / (1 + 2 * index), index === 0 ? events : []);
    const requests = draw(1_500, [
      [80, 100, 8],
      [345, 385, 0],
      [525, 575, 0.05],
      [577, 597, 9],
    ]);
    const one = (name: string, values: Float64Array, more = {}): Input => ({
      name,
      labels: { ...labels, ...more },
      values,
    });
    const responses = (code: string, values: Float64Array): Input =>
      one('edge_responses_per_minute', values, { class: `${code[0]}xx`, code });
    return [
      one('edge_waf_threats_per_minute', index === 0 ? draw(20, attacks) : grown(draw(20, attacks))),
      one('edge_waf_blocked_per_minute', draw(15, [...attacks, [130, 158, 20], [420, 447, 20]])),
      one('edge_waf_threats_by_family_per_minute', draw(10, [[602, 621, 15]]), { family: 'sql' }),
      one('edge_waf_threats_by_family_per_minute', draw(10, []), { family: 'xss' }),
      one('edge_requests_per_minute', requests),
      one('edge_requests_by_cache_per_minute', draw(1_300, [[180, 212, 0.05]]), { cache: 'saved' }),
      one('edge_requests_by_cache_per_minute', draw(200, [[180, 212, 8]]), { cache: 'missed' }),
      responses('200', requests),
      responses('404', draw(30, [[380, 397, 12]])),
      responses(
        '401',
        draw(4, [
          [420, 490, 6],
          [132, 158, 400],
        ]),
      ),
      responses('503', index === 0 ? draw(1, failures) : drawValues(random, 1, nightly)),
      one('edge_upstream_responses_per_minute', draw(400, []), { class: '2xx', code: '200' }),
      one('edge_upstream_responses_per_minute', draw(2, [[205, 240, 60]]), { class: '5xx', code: '503' }),
      one('edge_upstream_response_seconds_per_minute', draw(100, [[610, 630, 12]])),
      one(
        'edge_data_until_timestamp_seconds',
        Float64Array.from({ length: LENGTH }, (_, at) => at * 60),
        {
          metric: 'cdn_requests',
        },
      ),
      one('edge_configuration_info', new Float64Array(LENGTH).fill(1)),
      // Lower bounds of an incomplete minute: two minutes earlier, and smaller.
      one('edge_waf_threats_at_least_per_minute', earlier(new Random(index), index === 0 ? attacks : [])),
    ];
  });
  return [changed, ...ofSites];
}

function samplesOf(values: Float64Array): string {
  const texts = [...values].map((value, minute) => {
    if (!Number.isNaN(value)) return String(value);
    return Number.isNaN(values[minute - 1] ?? Number.NaN) ? '_' : 'stale';
  });
  return texts.join(' ');
}

function selectorOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(', ')}}`;
}

const INPUTS = history();

const GROUPS = [
  ...FILES.recording.groups,
  ...FILES.alerts.groups
    .map((group) => ({ ...group, rules: group.rules.filter(({ labels }) => labels.about === 'traffic') }))
    .filter(({ rules }) => rules.length > 0),
];

const RECORDED = new Map<string, number>();

const FIRED = evaluate({
  groups: GROUPS,
  inputs: INPUTS,
  step: MINUTE,
  start: 0,
  steps: LENGTH,
  recorded: (name, _series, _moment, values) => {
    const count = values.filter((value) => !Number.isNaN(value)).length;
    RECORDED.set(name, (RECORDED.get(name) ?? 0) + count);
  },
});

function look(minute: number): object {
  const firing = FIRED.filter(({ from, to }) => from <= minute * MINUTE && minute * MINUTE < to);
  return {
    expr: 'ALERTS{alertstate="firing"}',
    eval_time: `${minute}m`,
    exp_samples: firing.map(({ labels }) => ({
      labels: selectorOf('ALERTS', { ...labels, alertstate: 'firing' }),
      value: 1,
    })),
  };
}

it.each(TRAFFIC)('the history gives %s a reason to fire and to end', (alert) => {
  const fired = FIRED.filter(({ labels, open }) => labels['alertname'] === alert && !open);
  expect(fired.length).toBeGreaterThan(0);
});

it('the history has threats that grow slowly enough to be told as that', () => {
  expect(RECORDED.get('configuration:edge_waf_threats_per_minute:rising')).toBeGreaterThan(5);
});

it.each(promtoolsFor(0))(
  'alerts fire here when they do in Prometheus, minute by minute (%s)',
  async (tool) => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const test = {
      rule_files: ['all.rules.yml'],
      evaluation_interval: '1m',
      group_eval_order: GROUPS.map(({ name }) => name),
      tests: [
        {
          interval: '1m',
          input_series: INPUTS.map(({ name, labels, values }) => ({
            series: selectorOf(name, labels),
            values: samplesOf(values),
          })),
          promql_expr_test: Array.from({ length: LENGTH }, (_, minute) => look(minute)),
        },
      ],
    };
    await writeFile(join(folder, 'all.rules.yml'), ruleText({ groups: GROUPS }));
    const file = join(folder, 'test.yml');
    await writeFile(file, stringify(test, { lineWidth: 0 }));
    expect((await testRules(tool, file)).slice(0, 4_000)).toBe('');
  },
);
