// npm run bench -- edges [--minutes=360] [--only=platform]: every edge of test/simulation/edge-scenarios.ts, and of
// edge-platform-scenarios.ts, for hours each.
import { parseArgs } from 'node:util';
import { MORE_PLATFORM_SCENARIOS, PLATFORM_SCENARIOS } from '../simulation/edge-platform-scenarios.ts';
import { type Findings, play, unexpected } from '../simulation/edge-play.ts';
import { SCENARIOS } from '../simulation/edge-scenarios.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '360' }, only: { type: 'string' } },
});
const minutes = Number(values.minutes);

const COLUMNS: Readonly<Record<string, (findings: Findings) => number>> = {
  'buckets checked': ({ buckets }) => buckets,
  'series lost': ({ lostSeries }) => lostSeries,
  'series doubled': ({ doubledSeries }) => doubledSeries,
  'counters gone back': ({ decreases }) => decreases,
  'gauges checked': ({ gauges }) => gauges,
  'gauges wrong': ({ wrongGauges }) => wrongGauges,
  'bounds wrong': ({ wrongBounds }) => wrongBounds,
  'min blank': ({ blankMinutes }) => blankMinutes,
  'min stale, up and ready': ({ unseenStaleMinutes }) => unseenStaleMinutes,
  'min until current': ({ minutesUntilCurrent }) => minutesUntilCurrent,
  'min until counted': ({ minutesUntilCounted }) => minutesUntilCounted,
  's settle delay': ({ settleSeconds }) => settleSeconds,
};

process.stdout.write(
  `| ${minutes} minutes in which | ${Object.keys(COLUMNS).join(' | ')} | log | page | metrics |\n`,
);
process.stdout.write(`|---|${'--:|'.repeat(Object.keys(COLUMNS).length)}---|---|---|\n`);
const scenarios = [
  ...(values.only === 'platform' ? [] : SCENARIOS),
  ...PLATFORM_SCENARIOS,
  ...MORE_PLATFORM_SCENARIOS,
];
for (const scenario of scenarios) {
  const findings = await play(scenario, minutes);
  const cells = Object.values(COLUMNS).map((column) => column(findings));
  const log = Object.entries(findings.warnings).map(([message, times]) => `${times} × ${message}`);
  const metrics = Object.entries(findings.metrics).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(
    `| ${scenario.name} | ${cells.join(' | ')} | ${log.join('; ')} | ${findings.page.join(' ')} | ${metrics.join('; ')} |\n`,
  );
  for (const [finding, why] of Object.entries(scenario.unknowable ?? {}))
    process.stderr.write(`${scenario.name}: ${finding} cannot be helped: ${why}\n`);
  const problems = unexpected(scenario, findings);
  if (problems.length > 0) {
    process.stderr.write(`${scenario.name}: ${problems.join(', ')}\n`);
    process.exitCode = 1;
  }
}
