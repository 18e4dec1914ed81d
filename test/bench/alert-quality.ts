/**
 * Benchmark of the alert rules on generated histories: `npm run bench alerts` evaluates the shipped rule
 * files. `--evaluated-by=prometheus3` also queries a real Prometheus for every rule at each evaluation. Other
 * runs: `.cache/bench/test/bench/alert-quality.js --rules=DIR --alertmanager=FILE --accounts=13 --weeks=3
 * --seed=N`.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import type { Group } from '../../src/rules/promql/evaluation.ts';
import { parse as parseExpression, selectorsOf } from '../../src/rules/promql/parse.ts';
import { keyOf } from '../../src/rules/promql/vector.ts';
import { startPrometheus } from '../end-to-end/prometheus.ts';
import { evaluate, type FiredAlert } from '../rules/evaluate.ts';
import { askPrometheus, type PrometheusAnswers } from './alerts/asked-prometheus.ts';
import { EVENT_KINDS, type EventKind, type Expectation } from './alerts/event.ts';
import { drawHistory, type History, seenLive } from './alerts/history.ts';
import { notifications, readRouting } from './alerts/notifications.ts';
import { compareNotifications, realNotifications } from './alerts/real-alertmanager.ts';
import { drawRealDays } from './alerts/real-days.ts';
import { type KindScore, percentile, Score } from './alerts/score.ts';
import { EVALUATION_SEEDS } from './alerts/seeds.ts';
import { drawUnusualDays } from './alerts/unusual-days.ts';

const { values: flags } = parseArgs({
  options: {
    rules: { type: 'string', default: join('config', 'prometheus') },
    alertmanager: { type: 'string', default: join('config', 'alertmanager.yaml') },
    accounts: { type: 'string', default: '14' },
    first: { type: 'string', default: '0' },
    weeks: { type: 'string', default: '3' },
    // One or more seeds, separated by commas. Several take hardly longer than one. `evaluation` selects the
    // seeds that judge the rules.
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    // Publication delay in minutes, and the share of a minute that its lower bound contains at the minute's
    // end.
    delay: { type: 'string' },
    bound: { type: 'string' },
    // Evaluator of the rules: own, prometheus (2.42 or later) or prometheus3.
    'evaluated-by': { type: 'string', default: 'own' },
    // Folder that caches the answers of a Prometheus for these accounts and rules.
    answers: { type: 'string', default: join('.cache', 'alert-answers') },
    // Kind of history: smooth, real (`real-days.ts`) or unusual (`unusual-days.ts`).
    world: { type: 'string', default: 'smooth' },
    // Alerts to evaluate, with their recording rules. A subset takes a fraction of the time.
    alerts: { type: 'string' },
    // Length of a minute in ms for a real Alertmanager, which then sends the notifications.
    minute: { type: 'string' },
    remarks: { type: 'boolean', default: false },
  },
});

interface RuleFile {
  readonly groups: readonly Group[];
}

async function trafficRules(folder: string): Promise<readonly Group[]> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.rules.yml'))
    .sort()
    .reverse();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const groups = files.flatMap((text) => (parse(text) as RuleFile).groups);
  const wanted = flags.alerts?.split(',');
  const judged = groups.map((group) => ({
    ...group,
    rules: group.rules.filter(
      (rule) =>
        'record' in rule || (rule.labels['about'] === 'traffic' && wanted?.includes(rule.alert) !== false),
    ),
  }));
  return wanted === undefined ? judged : neededBy(judged);
}

function neededBy(all: readonly Group[]): readonly Group[] {
  const rules = all.flatMap((group) => [...group.rules]);
  const namesIn = (expr: string): readonly string[] =>
    selectorsOf(parseExpression(expr)).map(({ name }) => name);
  const needed = new Set(rules.flatMap((rule) => ('record' in rule ? [] : namesIn(rule.expr))));
  for (const name of needed) {
    for (const rule of rules) {
      if ('record' in rule && rule.record === name) for (const made of namesIn(rule.expr)) needed.add(made);
    }
  }
  return all.map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => !('record' in rule) || needed.has(rule.record)),
  }));
}

const groups = await trafficRules(flags.rules);
const routing = await readRouting(flags.alertmanager);
const [first, accounts, weeks] = [flags.first, flags.accounts, flags.weeks].map(Number);
const draw =
  { real: drawRealDays, unusual: drawUnusualDays, smooth: drawHistory }[flags.world] ?? drawHistory;
const began = performance.now();
const chosen =
  flags.seed === 'evaluation' ? EVALUATION_SEEDS[flags.world]?.map(String) : flags.seed.split(',');
const seeds = (chosen ?? []).map((seed) => ({
  seed,
  histories: Array.from({ length: Number(accounts) }, (_, index) =>
    live(ofSeed(seed, draw(Number(seed), Number(first) + index, Number(weeks)))),
  ),
}));
const histories = seeds.flatMap((one) => one.histories);

function ofSeed(seed: string, history: History): History {
  const account = `${seed}-${history.account}`;
  const inputs = history.inputs.map((input) => ({ ...input, labels: { ...input.labels, account } }));
  return { ...history, account, inputs };
}

function live(history: History): History {
  const { delay, bound } = flags;
  if (delay === undefined) return history;
  return seenLive(history, { delay: Number(delay), bound: bound === undefined ? undefined : Number(bound) });
}

// All accounts share one run, because the cost depends on rules more than on series.
const tool = flags['evaluated-by'];
const answers = tool === 'prometheus' || tool === 'prometheus3' ? await askAll(tool) : undefined;
const own =
  answers?.own ??
  evaluate({
    groups,
    inputs: histories.flatMap(({ inputs }) => inputs),
    step: 60_000,
    start: 0,
    steps: Math.min(Number(flags.steps ?? 1e9), histories[0]?.minutes ?? 0),
  });
const fired = answers?.fired ?? own;

async function askAll(which: 'prometheus' | 'prometheus3'): Promise<PrometheusAnswers> {
  await mkdir(flags.answers, { recursive: true });
  const asked = JSON.stringify([which, groups, flags.world, weeks, histories.map(({ account }) => account)]);
  const name = createHash('sha256').update(asked).digest('hex').slice(0, 12);
  const file = join(flags.answers, `${which}-${flags.world}-seed${flags.seed}-${name}.json`);
  if (!existsSync(file)) await writeFile(file, JSON.stringify(await ask(which)));
  return JSON.parse(await readFile(file, 'utf8')) as PrometheusAnswers;
}

async function ask(which: 'prometheus' | 'prometheus3'): Promise<PrometheusAnswers> {
  const prometheus = await startPrometheus({
    tool: which,
    flags: [
      '--web.enable-remote-write-receiver',
      '--query.timeout=1h',
      '--storage.tsdb.retention.time=10y',
      '--storage.tsdb.min-block-duration=1d',
      '--storage.tsdb.max-block-duration=31d',
    ],
  });
  try {
    const inputs = histories.flatMap((history) => history.inputs);
    return await askPrometheus(prometheus, groups, { inputs, minutes: histories[0]?.minutes ?? 0 });
  } finally {
    await prometheus.stop();
  }
}

function differingMinutes(): { readonly differing: number; readonly firing: number } {
  const spans = (all: readonly FiredAlert[]) =>
    new Set(
      all.flatMap(({ labels, from, to }) =>
        Array.from(
          { length: (to - from) / 60_000 },
          (_, minute) => `${keyOf(labels)} ${from / 60_000 + minute}`,
        ),
      ),
    );
  const [a, b] = [spans(own), spans(fired)];
  const firing = new Set([...a, ...b]).size;
  return {
    firing,
    differing: [...a].filter((one) => !b.has(one)).length + [...b].filter((one) => !a.has(one)).length,
  };
}

const modelled = histories.flatMap(({ account }) => notifications(firedOf(account), routing));
const real =
  flags.minute === undefined
    ? undefined
    : await realNotifications(fired, flags.alertmanager, Number(flags.minute));
const told = real ?? modelled;

function firedOf(account: string): readonly FiredAlert[] {
  return fired.filter(({ labels }) => labels['account'] === account);
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${((100 * part) / whole).toFixed(0)} %`;
}

function comparison(all: PrometheusAnswers): string {
  const { differing, firing } = differingMinutes();
  return (
    `By ${tool}: ${all.differing} of ${all.values} recorded values differ from our evaluation, ` +
    `${differing} of ${firing} minutes of alerts`
  );
}

function table(seed: string, ofIt: readonly History[]): readonly string[] {
  const score = new Score();
  for (const history of ofIt) {
    const { account, theme } = history;
    const ofAccount = told.filter(({ alerts }) => alerts[0]?.['account'] === account);
    score.add(`${account} ${theme}`, history, firedOf(account), ofAccount);
  }
  const perWeek = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([name, count]) => `${name} ${(count / score.weeks).toFixed(3)}`).join(', ') || 'none';
  const total = (counts: ReadonlyMap<string, number>): string =>
    ([...counts.values()].reduce((sum, count) => sum + count, 0) / score.weeks).toFixed(3);
  return [
    `Seed ${seed}: ${accounts} accounts, ${weeks} weeks each; ${flags.rules}`,
    '',
    '| what was injected | expected | events | found | delay, median / 95 % | share of its time | outlives it by, median / 95 % | pages | tickets |',
    '|---|---|---|---|---|---|---|---|---|',
    ...(Object.keys(EVENT_KINDS) as EventKind[]).flatMap((kind) => row(kind, score.kinds.get(kind))),
    '',
    `False pages per account and week: ${total(score.falsePages)} (${perWeek(score.falsePages)})`,
    `False tickets per account and week: ${total(score.falseTickets)} (${perWeek(score.falseTickets)})`,
    `Of these: ${[...score.falseByTheme].map(([what, count]) => `${what} ${count}`).join('; ') || 'none'}`,
    `Flaps of pages per account and week: ${(score.flaps / score.weeks).toFixed(3)}; with tickets ${(score.flapsWithTickets / score.weeks).toFixed(3)}`,
    ...worthAPage(score),
    `Notifications for a cause: ${(score.heard / score.causes).toFixed(3)} (${score.heard} for ${score.causes})`,
    ...(flags.remarks ? score.remarks : []),
    '',
  ];
}

function worthAPage({ kinds }: Score): readonly string[] {
  return (['EdgeWafSpike', 'Edge5xxRatio'] as const).map((alert) => {
    const of = [...kinds].filter(([kind]) => {
      const { expects, by }: Expectation = EVENT_KINDS[kind];
      return expects === 'page' && by.includes(alert);
    });
    const sum = (count: (score: KindScore) => number) => of.reduce((all, [, score]) => all + count(score), 0);
    const [found, events] = [sum((score) => score.found), sum((score) => score.events)];
    return `Found of what is worth a page by ${alert}: ${found} of ${events} (${share(found, events)})`;
  });
}

function row(kind: EventKind, found: KindScore | undefined): readonly string[] {
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
}

const compared = real === undefined ? undefined : compareNotifications(modelled, real);
const lines = [
  ...seeds.flatMap((one) => table(one.seed, one.histories)),
  ...(answers === undefined ? [] : [comparison(answers), ...answers.remarks]),
  ...(compared ?? []),
  `${((performance.now() - began) / 1_000).toFixed(0)} s`,
];
process.stdout.write(`${lines.join('\n')}\n`);
const unlike = (answers?.differing ?? 0) > 0 || differingMinutes().differing > 0;
if (unlike || (real !== undefined && real.length !== modelled.length)) process.exitCode = 1;
