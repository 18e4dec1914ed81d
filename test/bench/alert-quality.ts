/**
 * How many attacks and failures the alert rules find, how soon, and how often they cry for nothing, beside three
 * rules that are in use elsewhere. Compile with `tsc -p test/bench/alerts`, then run the result in `.cache/bench/`.
 */
import { THRESHOLDS } from '../../config/prometheus/source/thresholds.ts';
import { type Firing, firings, type Patience } from './alerts/firing.ts';
import { drawHistory, type History, type Traffic } from './alerts/history.ts';
import { burns, spikes } from './alerts/our-rules.ts';
import { aHalfMore, moreThan100, zScore } from './alerts/rivals.ts';
import { Score } from './alerts/score.ts';

const SEED = Number(process.argv[2] ?? 20_261_120);
const ACCOUNTS = Number(process.argv[3] ?? 120);

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

const attacks = new Map<string, Score>();
const failures = new Map<string, Score>();
for (let account = 0; account < ACCOUNTS; account++) {
  const history = drawHistory(SEED, account);
  judge(onThreats, attacks, history, history.attacks);
  judge(onErrors, failures, history, history.failures);
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
    `| ${title} | found | of the doubtful | false alarms per account and week | delay, median / 95 % (minutes) |`,
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

process.stdout.write(
  `seed ${SEED}, ${ACCOUNTS} accounts\n\n${table('attacks', attacks)}\n\n${table('failures', failures)}\n`,
);
const missed = attacks.get('EdgeWafSpike')?.missed ?? [];
for (const { shape, from, minutes, added } of missed) {
  process.stderr.write(
    `missed: ${shape} at ${from}, ${minutes} minutes, peak ${Math.max(...added).toFixed(0)}\n`,
  );
}
for (const { shape, from, minutes, added } of [...failures.values()][0]?.missed ?? []) {
  process.stderr.write(
    `failure missed: ${shape} at ${from}, ${minutes} minutes, peak ${Math.max(...added).toFixed(2)}\n`,
  );
}
