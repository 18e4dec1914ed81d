import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { MinuteSamples } from '../../../src/rules/rehearse/history.ts';
import { type Rehearsed, rehearse } from '../../../src/rules/rehearse/rehearsal.ts';
import { rehearsedRules } from '../../../src/rules/rehearse/rehearsed-rules.ts';
import { compare, reportOf } from '../../../src/rules/rehearse/report.ts';
import { reportJson } from '../../../src/rules/rehearse/report-json.ts';
import { reportPage } from '../../../src/rules/rehearse/report-page.ts';
import { reportText } from '../../../src/rules/rehearse/report-text.ts';
import { type AlertSettings, SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ALERTS_FILE } from '../../../src/rules/shipped/alerts-file.ts';
import { ATTACK, ATTACKED_MINUTES, attackedSeries, HOUR, historyOf, MINUTE, samples } from './history-of.ts';

const signal = new AbortController().signal;

function settings(text: string): AlertSettings {
  return ALERTS_FILE.parse(parse(text));
}

const DEAF = settings('alerts: { EdgeWafSpike: { floor: 2000 } }');

async function rehearsed(
  all: readonly AlertSettings[] = [SHIPPED],
  chunk?: number,
  series = attackedSeries(),
) {
  const history = historyOf(series, ATTACKED_MINUTES, chunk);
  const rules = all.map((one, index) => ({ name: `rules ${index}`, rules: rehearsedRules(one) }));
  const result: Rehearsed = await rehearse(
    history,
    rules.map((one) => one.rules),
    signal,
  );
  return { result, report: reportOf({ history, rehearsed: result, rules }) };
}

const shipped = rehearsed();
const compared = rehearsed([SHIPPED, DEAF]);

it('an attack is a page of its configuration, with its value against what is usual and the threshold', async () => {
  const { report } = await shipped;
  const pages = report.alerts.filter(({ labels }) => labels['severity'] === 'page');
  expect(pages).toHaveLength(1);
  const [page] = pages;
  expect(page?.labels).toMatchObject({
    alertname: 'EdgeWafSpike',
    configuration: 'shop',
    scope: 'configuration',
  });
  expect(page?.from).toBeGreaterThan(ATTACK.from);
  expect(page?.from).toBeLessThan(ATTACK.from + 12 * MINUTE);
  expect(page?.to).toBeLessThan(ATTACK.to + HOUR / 2);
  expect(page).toMatchObject({ open: false, peak: 900, threshold: 40 });
  expect(page?.usual).toBeCloseTo(2, 0);
});

it('its trace shows what was before, the attack, and what came after', async () => {
  const { report } = await shipped;
  const trace = report.alerts.find(({ labels }) => labels['alertname'] === 'EdgeWafSpike')?.trace;
  expect(trace?.start).toBeLessThan(ATTACK.from);
  const at = (moment: number) => trace?.points[(moment - Number(trace?.start)) / Number(trace?.step)]?.value;
  expect(at(ATTACK.from - 5 * MINUTE)).toBeLessThan(5);
  expect(at(ATTACK.from + 15 * MINUTE)).toBe(900);
  expect(at(ATTACK.to + 20 * MINUTE)).toBeLessThan(5);
});

it.each([1, 61, 5_000])('chunks of %i minutes make no difference', async (chunk) => {
  const { result } = await rehearsed([SHIPPED], chunk);
  const whole = await shipped;
  expect(result.alerts).toEqual(whole.result.alerts);
});

it('configurations are told apart: the noisiest first, the quiet one with nothing', async () => {
  const { report } = await shipped;
  expect(report.configurations.map(({ configuration, counts }) => [configuration, counts.page])).toEqual([
    ['shop', 1],
    ['blog', 0],
  ]);
  expect(report.weeks).toHaveLength(1);
  expect(report.weeks[0]?.counts).toEqual(report.counts);
});

it('tells which alerts it could not judge, and what they lack', async () => {
  const { report } = await shipped;
  const names = report.notJudged.map(({ alert }) => alert);
  expect(names).toContain('EdgeCertificateExpiring');
  expect(names).not.toContain('EdgeWafSpike');
  expect(report.notJudged.find(({ alert }) => alert === 'Edge5xxRatio')?.missing).toEqual([
    'edge_responses_per_minute',
  ]);
});

it('another alerts file is told by what it changes', async () => {
  const { report } = await compared;
  const changes = report.comparison?.changes ?? [];
  const kinds = changes.map(({ kind, before, after }) => [kind, (before ?? after)?.labels['alertname']]);
  expect(kinds).toContainEqual(['gone', 'EdgeWafSpike']);
  expect(report.comparison?.counts.page).toBe(0);
  expect(report.counts.page).toBe(1);
});

it('a severity that differs is a change, not another alert', async () => {
  const { report } = await rehearsed([SHIPPED, settings('alerts: { EdgeWafSpike: { severity: ticket } }')]);
  const [change, ...rest] = report.comparison?.changes ?? [];
  expect(rest).toEqual([]);
  expect([change?.before?.labels['severity'], change?.after?.labels['severity']]).toEqual(['page', 'ticket']);
});

it('the same alerts file changes nothing', async () => {
  const { report } = await rehearsed([SHIPPED, SHIPPED]);
  expect(report.comparison?.changes).toEqual([]);
  expect(compare(report.alerts, report.alerts)).toEqual([]);
});

it('a condition that Prometheus has evaluated fires when it has held for as long as the rule says', async () => {
  const rules = rehearsedRules(SHIPPED);
  const [name = ''] = [...rules.asked].find(([, query]) => query.includes('edge_firewall_active')) ?? [];
  const condition = samples(name, { account: 'production', firewall: 'front' }, ATTACKED_MINUTES, (minute) =>
    minute >= 100 && minute < 140 ? 0 : undefined,
  );
  const { report } = await rehearsed([SHIPPED], 60, [condition]);
  expect(report.alerts).toMatchObject([
    { labels: { alertname: 'EdgeFirewallDisabled', firewall: 'front', severity: 'page' } },
  ]);
  const [alert] = report.alerts;
  expect(Number(alert?.to) - Number(alert?.from)).toBe(35 * MINUTE);
});

it('the text names the alert, when, how long, of what, and what was decisive', async () => {
  const { report } = await compared;
  const text = reportText(report, (_, words) => words);
  expect(text).toMatch(/^1 page, \d+ tickets?, \d+ infos?; per week/m);
  expect(text).toMatch(
    /^2026-01-05 04:0\d +\d+ min +EdgeWafSpike +production, shop +\d+ +900 +2\.?\d* +40 +page$/m,
  );
  expect(text).toMatch(
    /^CONFIGURATION +ACCOUNT +PRODUCT +PAGES +TICKETS +INFO\nshop +production +edge_applications +1 /m,
  );
  expect(text).toMatch(/^- EdgeWafSpike of production, shop: 2026-01-05 04:0\d for .*, page$/m);
  expect(text).toContain('The history begins at 2026-01-05 00:00');
});

it('the JSON has everything, and null for what there is not', async () => {
  const { report } = await compared;
  const document = JSON.parse(reportJson(report));
  expect(document).toMatchObject({ rules: 'rules 0', counts: { page: 1 }, comparison: { rules: 'rules 1' } });
  expect(
    document.alerts.find((one: { labels: { severity: string } }) => one.labels.severity === 'page'),
  ).toMatchObject({
    labels: { alertname: 'EdgeWafSpike' },
    threshold: 40,
    peak: 900,
  });
});

it('the page has a chart for each alert, needs nothing else, and escapes every name', async () => {
  const evil = '"><script>alert(1)</script>&';
  const series = attackedSeries({
    account: evil,
    product: 'edge_applications',
    configuration_id: '1',
    configuration: evil,
  });
  const { report } = await rehearsed([SHIPPED, DEAF], 360, series);
  const page = reportPage(report);
  expect(page.match(/<svg class="chart" viewBox="0 0 900/g)).toHaveLength(report.alerts.length);
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(page).not.toMatch(/(src|href)="(?!data:)/);
  expect(page).not.toContain('NaN');
});

async function firstOf(name: string, threats: (minute: number) => number) {
  const minutes = 2 * 1_440;
  const shop = { account: 'production', product: 'p', configuration_id: '1', configuration: 'shop' };
  const series = [
    samples('edge_waf_threats_per_minute', shop, minutes, (minute) => threats(minute) + (minute % 3)),
    samples('edge_requests_per_minute', shop, minutes, (minute) => 2_000 + (minute % 50)),
  ];
  const result = await rehearse(historyOf(series, minutes, 1_440), [rehearsedRules(SHIPPED)], signal);
  return result.alerts[0]?.find(({ labels }) => labels['alertname'] === name);
}

it.each([
  // From minute 2,000 on, growth by an eighth every half hour is slow enough to raise the one-minute
  // threshold.
  ['EdgeWafSpike', (minute: number) => 20 * 1.125 ** Math.max(0, (minute - 2_000) / 30)],
  ['EdgeWafElevated', (minute: number) => (minute < 2_000 ? 20 : 52)],
] as const)('%s for growth or for an hour does not show the threshold of a minute', async (name, threats) => {
  const alert = await firstOf(name, threats);
  expect(alert?.value).toBeGreaterThan(1.8 * Number(alert?.usual));
  expect(alert?.threshold).toBeNaN();
});

/** Returns days of threats, with a job of the configuration `shop` every night from 02:00 to 02:25. */
function nights(days: number): readonly MinuteSamples[] {
  const shop = { account: 'production', product: 'p', configuration_id: '1', configuration: 'shop' };
  const job = (minute: number): boolean => minute % 1_440 >= 120 && minute % 1_440 < 145;
  return [
    samples('edge_waf_threats_per_minute', shop, days * 1_440, (minute) =>
      job(minute) ? 300 : 20 + (minute % 7),
    ),
    samples('edge_requests_per_minute', shop, days * 1_440, (minute) => 2_000 + (minute % 50)),
  ];
}

async function ofNights(days: number, all: readonly AlertSettings[]) {
  const history = historyOf(nights(days), days * 1_440, 1_440);
  const rules = all.map((one, index) => ({ name: `rules ${index}`, rules: rehearsedRules(one) }));
  const result = await rehearse(
    history,
    rules.map((one) => one.rules),
    signal,
  );
  return reportOf({ history, rehearsed: result, rules });
}

it('what comes at its hour each day is reported, with a time interval that mutes it', async () => {
  const report = await ofNights(4, [SHIPPED]);
  expect(report.counts.page).toBeGreaterThanOrEqual(3);
  expect(report.recurring[0]).toMatchObject({
    alert: 'EdgeWafSpike',
    accounts: ['production'],
    configurations: ['shop'],
  });
  const text = reportText(report, (_, plain) => plain);
  expect(text).toMatch(
    /EdgeWafSpike comes at the same time on 4 days.*start_time: "01:40", end_time: "02:40"/,
  );
});
