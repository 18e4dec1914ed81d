import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { recorded } from '../../config/prometheus/source/baseline-rules.ts';
import { MEASURE } from '../../config/prometheus/source/measures.ts';
import { ruleFiles } from '../../config/prometheus/source/rule-files.ts';
import { ruleText } from '../../config/prometheus/source/rule-text.ts';
import { THRESHOLDS, type Thresholds } from '../../config/prometheus/source/thresholds.ts';
import { baseline, spikes } from '../bench/alerts/our-rules.ts';
import { Random } from '../bench/alerts/random.ts';
import { PROMTOOLS, testRules } from '../end-to-end/promtool.ts';
import { neededRules } from './needed-rules.ts';

const MINUTE = 60_000;
const LENGTH = 900;
const LABELS = '{account="a", product="p", configuration="shop"}';

/** Short days and weeks, so that three weeks are ten hours. promtool evaluates all groups equally often. */
const SHORT: Thresholds = {
  ...THRESHOLDS,
  times: {
    ...THRESHOLDS.times,
    baseline: MINUTE,
    hour: 20 * MINUTE,
    recent: 30 * MINUTE,
    day: 60 * MINUTE,
    week: 180 * MINUTE,
  },
};

/** Days of an hour with noise, attacks, and times without data. */
function drawValues(random: Random): Float64Array {
  const values = Float64Array.from({ length: LENGTH }, (_, minute) => {
    const attack = [100, 350, 420, 700].some((from) => minute >= from && minute < from + 15);
    return random.poisson(30 + 20 * Math.sin((2 * Math.PI * minute) / 60) + (attack ? 400 : 0));
  });
  values.fill(Number.NaN, 250, 275);
  values.fill(Number.NaN, 610, 700);
  return values;
}

function samplesOf(values: Float64Array): string {
  const texts = [...values].map((value, minute) => {
    if (!Number.isNaN(value)) return String(value);
    return Number.isNaN(values[minute - 1] ?? Number.NaN) ? '_' : 'stale';
  });
  return texts.join(' ');
}

it('evaluates a spike as the benchmark does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const values = drawValues(new Random(6));
  const { threshold } = baseline(values, SHORT.spike.floors.threats, SHORT);
  const firing = spikes(values, SHORT.spike.floors.threats, SHORT);
  const names = recorded('configuration', MEASURE.threats);
  const minutes = Array.from({ length: LENGTH / 5 }, (_, index) => index * 5 + 2);
  const looks = minutes.flatMap((minute) => {
    const expected = threshold[minute] ?? Number.NaN;
    const at = `${minute}m`;
    const alert = `count(ALERTS{alertname="EdgeWafSpike", scope="configuration", alertstate="firing"})`;
    return [
      Number.isNaN(expected)
        ? { expr: names.threshold, eval_time: at, exp_samples: [] }
        : {
            expr: `abs(${names.threshold} - ${expected}) < bool 0.001`,
            eval_time: at,
            exp_samples: [{ labels: LABELS, value: 1 }],
          },
      // What keeps an alert firing is its own: only where the condition holds it must fire.
      ...(firing.subarray(minute - 2, minute + 1).every((now) => now === 1)
        ? [{ expr: alert, eval_time: at, exp_samples: [{ labels: '{}', value: 1 }] }]
        : []),
    ];
  });
  const needed = neededRules(ruleFiles(SHORT), 'EdgeWafSpike');
  const test = {
    rule_files: ['needed.rules.yml'],
    evaluation_interval: '1m',
    group_eval_order: needed.groups.map(({ name }) => name),
    tests: [
      {
        interval: '1m',
        input_series: [
          {
            series:
              'edge_waf_threats_per_minute{account="a", product="p", configuration_id="1", configuration="shop"}',
            values: samplesOf(values),
          },
        ],
        promql_expr_test: looks,
      },
    ],
  };
  expect(firing.reduce((sum, now) => sum + now, 0)).toBeGreaterThan(20);
  await writeFile(join(folder, 'needed.rules.yml'), ruleText(needed));
  const file = join(folder, 'test.yml');
  await writeFile(file, stringify(test, { lineWidth: 0 }));
  for (const tool of PROMTOOLS) expect(await testRules(tool, file), tool).toBe('');
}, 120_000);
