import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { beginningsOf, DELAY_CHANGES } from '../../../grafana/source/annotations.ts';
import { filledIn } from '../../../grafana/source/filled-in.ts';
import { PROMTOOLS, testRules } from '../../end-to-end/promtool.ts';

const LABELS = 'account="a", product="waf", metric="waf"';

const publish = `edge_exporter_publish_delay_seconds{${LABELS}, instance="one"}`;
const settle = `edge_exporter_settle_delay_seconds{${LABELS}, instance="one"}`;

function marked(minute: number, ...delays: ('publish' | 'settle')[]) {
  return {
    expr: filledIn(DELAY_CHANGES, { account: 'a' }),
    eval_time: `${minute}m`,
    exp_samples: delays.map((delay) => ({
      labels: `{account="a", delay="${delay}"}`,
      value: delay === 'publish' ? 420 : 300,
    })),
  };
}

it.each(PROMTOOLS)('a learned delay is marked in the minute in which it changes, once (%s)', (tool) =>
  expectMarks(tool, {
    input_series: [
      { series: publish, values: '120 120 540 540 540 120 120 stale _ _ 540' },
      // The delay occasionally changes by some minutes.
      { series: settle, values: '600 610 890 650 350 350 350 350 350 350 350' },
      { series: publish.replace('"a"', '"c"'), values: '120 120 540 540' },
      // Another metric of the account changes at the same time, which adds no mark.
      { series: publish.replaceAll('waf', 'requests'), values: '60 60 400 400 400 60 60' },
    ],
    promql_expr_test: [
      ...[0, 1, 3, 6, 7, 8].map((minute) => marked(minute)),
      marked(2, 'publish'),
      marked(4, 'settle'),
      marked(5, 'publish'),
      // A value that was unknown a minute ago has not changed: the exporter has started.
      marked(10),
    ],
  }),
);

it.each(PROMTOOLS)('one that goes on growing is one mark, not a region (%s)', (tool) =>
  expectMarks(tool, {
    input_series: [{ series: publish, values: '120 540 960 1380 1380 1380' }],
    promql_expr_test: [marked(1, 'publish'), ...[2, 3, 4, 5].map((minute) => marked(minute))],
  }),
);

it.each(PROMTOOLS)('an alert is marked when it begins to fire, not for as long as it fires (%s)', (tool) => {
  const about = 'account="a", alertname="EdgeDataStale", severity="page"';
  const at = (minute: number, ...labels: string[]) => ({
    expr: filledIn(beginningsOf('page'), { account: 'a' }),
    eval_time: `${minute}m`,
    exp_samples: labels.map((text) => ({ labels: text, value: 1 })),
  });
  return expectMarks(tool, {
    input_series: [
      // The alert stops for three minutes, which does not start another alert, and later for longer.
      {
        series: `ALERTS{${about}, alertstate="firing", instance="one"}`,
        values: '_ 1 1 1 stale _ _ 1 1 stale _ _ _ _ _ _ 1 1',
      },
      { series: `ALERTS{${about}, alertstate="firing", instance="two"}`, values: '_ _ 1 1 stale' },
      { series: `ALERTS{${about}, alertstate="pending"}`, values: '1 stale' },
    ],
    promql_expr_test: [
      ...[0, 2, 3, 5, 7, 8, 12, 17].map((minute) => at(minute)),
      ...[1, 16].map((minute) => at(minute, `{${about}}`)),
    ],
  });
});

async function expectMarks(
  tool: Parameters<typeof testRules>[0],
  test: { readonly input_series: readonly object[]; readonly promql_expr_test: readonly object[] },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'marks-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'test.yml');
  await writeFile(file, stringify({ tests: [{ interval: '1m', ...test }] }, { lineWidth: 0 }));
  expect(await testRules(tool, file)).toBe('');
}
