/**
 * What the alert rules make of histories: run by `npm run bench alerts`, which evaluates the shipped rule files.
 * Others: `.cache/bench/test/bench/alert-quality.js --rules=DIR --alertmanager=FILE --accounts=13 --weeks=3 --seed=N`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { evaluate } from '../../src/promql/evaluate.ts';
import type { Group } from '../../src/promql/rule-group.ts';
import { EVENT_KINDS, type EventKind } from './alerts/event.ts';
import { drawHistory } from './alerts/history.ts';
import { notifications, readRouting } from './alerts/notifications.ts';
import { percentile, Score } from './alerts/score.ts';

const { values: flags } = parseArgs({
  options: {
    rules: { type: 'string', default: join('config', 'prometheus') },
    alertmanager: { type: 'string', default: join('config', 'alertmanager.yaml') },
    accounts: { type: 'string', default: '14' },
    first: { type: 'string', default: '0' },
    weeks: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    remarks: { type: 'boolean', default: false },
  },
});

interface RuleFile {
  readonly groups: readonly Group[];
}

/** The groups of rules that alerts of traffic are made of. */
async function trafficRules(folder: string): Promise<readonly Group[]> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.rules.yml'))
    .sort()
    .reverse();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const groups = files.flatMap((text) => (parse(text) as RuleFile).groups);
  return groups.map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => 'record' in rule || rule.labels['about'] === 'traffic'),
  }));
}

const groups = await trafficRules(flags.rules);
const routing = await readRouting(flags.alertmanager);
const score = new Score();
const [first, accounts, weeks, seed] = [flags.first, flags.accounts, flags.weeks, flags.seed].map(Number);
const began = performance.now();
const histories = Array.from({ length: Number(accounts) }, (_, index) =>
  drawHistory(Number(seed), Number(first) + index, Number(weeks)),
);
// All accounts at once: what it costs is evaluating a rule, hardly how many series it has.
const fired = evaluate({
  groups,
  inputs: histories.flatMap(({ inputs }) => inputs),
  step: 60_000,
  start: 0,
  steps: Math.min(Number(flags.steps ?? 1e9), histories[0]?.minutes ?? 0),
});
for (const history of histories) {
  const own = fired.filter(({ labels }) => labels['account'] === history.account);
  score.add(`${history.account} ${history.theme}`, history, own, notifications(own, routing));
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(0)} %`;
}

const rows = (Object.keys(EVENT_KINDS) as EventKind[]).flatMap((kind) => {
  const found = score.kinds.get(kind);
  if (found === undefined) return [];
  const { events, delays, outlived, minutes, covered, pages, tickets, wrongPages } = found;
  const { expects } = EVENT_KINDS[kind];
  const cells = [
    kind,
    expects,
    events,
    expects === 'no page' ? `${wrongPages} pages` : share(found.found, events),
    expects === 'no page' ? '' : `${percentile(delays, 0.5)} / ${percentile(delays, 0.95)}`,
    expects === 'page' ? share(covered, minutes) : '',
    expects !== 'no page' ? `${percentile(outlived, 0.5)} / ${percentile(outlived, 0.95)}` : '',
    (pages / events).toFixed(2),
    (tickets / events).toFixed(2),
  ];
  return [`| ${cells.join(' | ')} |`];
});
const perWeek = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${(count / score.weeks).toFixed(3)}`).join(', ') || 'none';
const total = (counts: ReadonlyMap<string, number>): string =>
  ([...counts.values()].reduce((sum, count) => sum + count, 0) / score.weeks).toFixed(3);
const lines = [
  `Seed ${flags.seed}: ${accounts} accounts, ${weeks} weeks each; ${flags.rules}`,
  '',
  '| what was injected | expected | events | found | delay, median / 95 % | share of its time | outlives it by, median / 95 % | pages | tickets |',
  '|---|---|---|---|---|---|---|---|---|',
  ...rows,
  '',
  `False pages per account and week: ${total(score.falsePages)} (${perWeek(score.falsePages)})`,
  `False tickets per account and week: ${total(score.falseTickets)} (${perWeek(score.falseTickets)})`,
  `Flaps of pages per account and week: ${(score.flaps / score.weeks).toFixed(3)}`,
  `${((performance.now() - began) / 1_000).toFixed(0)} s`,
  ...(flags.remarks ? score.remarks : []),
];
process.stdout.write(`${lines.join('\n')}\n`);
