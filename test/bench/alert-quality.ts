/**
 * How many attacks and failures the alert rules find, how soon, and how often they cry for nothing, beside three
 * rules that are in use elsewhere. Compile with `tsc -p test/bench/alerts`, then run
 * `.cache/bench/test/bench/alert-quality.js 120 config/prometheus/quality.md`; it takes a quarter of an hour.
 */
import { writeFile } from 'node:fs/promises';
import { THRESHOLDS } from '../../config/prometheus/source/thresholds.ts';
import { type Firing, firings, type Patience } from './alerts/firing.ts';
import { drawHistory, type History } from './alerts/history.ts';
import type { Traffic } from './alerts/labelled.ts';
import { burns, spikes } from './alerts/our-rules.ts';
import { QUALITY_PAGE } from './alerts/quality-page.ts';
import { aHalfMore, moreThan100, zScore } from './alerts/rivals.ts';
import { Score } from './alerts/score.ts';
import { WEEKS } from './alerts/span.ts';

/** The rules were made with accounts of the first seed in sight; the last seed was evaluated once, after every choice. */
const SEEDS = [20_261_120, 4_711, 86_028_121];
const ACCOUNTS = Number(process.argv[2] ?? 120);

const { times, spike } = THRESHOLDS;
const held: Patience = { hold: times.hold / 60_000, keepFiring: times.keepFiring / 60_000 };
/** Spikes count minutes instead of waiting for `for`. */
const counted: Patience = { hold: 0, keepFiring: held.keepFiring };
const burnt: Patience = { hold: 2, keepFiring: held.keepFiring };

type Rule = (traffic: Traffic) => Firing[];

const onThreats: Readonly<Record<string, Rule>> = {
  EdgeWafSpike: ({ threats }) => firings(spikes(threats, spike.floors.threats), counted),
  'more than 100 in 5 minutes': ({ threats }) => firings(moreThan100(threats), held),
  '1.5 times the last 50 minutes': ({ threats }) => firings(aHalfMore(threats), held),
  'z(6 h) > 3.5 and > 200': ({ threats }) => firings(zScore(threats), held),
};
const onErrors: Readonly<Record<string, Rule>> = {
  'Edge5xxRatio (page) or EdgeStatusCodeSurge': ({ errors, requests }) => [
    ...firings(burns(errors, requests), burnt),
    ...firings(spikes(errors, spike.floors.errors), counted),
  ],
  'more than 100 in 5 minutes': ({ errors }) => firings(moreThan100(errors), held),
  '1.5 times the last 50 minutes': ({ errors }) => firings(aHalfMore(errors), held),
  'z(6 h) > 3.5 and > 200': ({ errors }) => firings(zScore(errors), held),
};

function judge(
  rules: Readonly<Record<string, Rule>>,
  scores: Map<string, Score>,
  { traffic }: History,
  incidents: History['attacks'],
): void {
  for (const [name, rule] of Object.entries(rules)) {
    const score = scores.get(name) ?? new Score();
    scores.set(name, score);
    score.add(traffic.flatMap(rule), incidents);
  }
}

function sectionOf(seed: number): string {
  const attacks = new Map<string, Score>();
  const failures = new Map<string, Score>();
  for (let account = 0; account < ACCOUNTS; account++) {
    const history = drawHistory(seed, account);
    judge(onThreats, attacks, history, history.attacks);
    judge(onErrors, failures, history, history.failures);
  }
  return [
    `## Seed ${seed}, ${ACCOUNTS} accounts, ${WEEKS} weeks`,
    table('attacks', attacks),
    table('failures of origins', failures),
  ].join('\n\n');
}

function table(title: string, scores: Map<string, Score>): string {
  const rows = [...scores].map(([name, score]) => {
    const cells = [
      name,
      `${((100 * score.found) / score.plain).toFixed(1)} % of ${score.plain}`,
      `${((100 * score.doubtfulFound) / score.doubtful).toFixed(0)} % of ${score.doubtful}`,
      score.falseAlarmsPerWeek.toFixed(3),
      `${score.delay(0.5)} / ${score.delay(0.95)}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `| ${title} | found | of the doubtful | false alarms per account and week | delay, median / 95 % |`,
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const page = [QUALITY_PAGE, ...SEEDS.map(sectionOf)].join('\n\n');
process.stdout.write(`${page}\n`);
if (process.argv[3] !== undefined) await writeFile(process.argv[3], `${page}\n`);
