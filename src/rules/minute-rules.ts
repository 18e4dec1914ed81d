import type { AlertSettings } from './alert-settings.ts';
import { type Measure, SCOPE_NAMES, SCOPES, type Scope } from './measures.ts';
import { larger, range, selector, smaller } from './promql.ts';
import { latest, type Recorded, recorded } from './recorded.ts';
import type { RecordingRule } from './rule.ts';
import { applies, matchersOf } from './selection.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** How long a level that is accepted by hand is taken in as it is. */
const ACCEPTING = 3_600;

/** What is recorded of each measure every minute, and what of it is normal. */
export function minuteRules(measure: Measure, times: Times, tuning: Tuning): readonly RecordingRule[] {
  return SCOPE_NAMES.flatMap((scope) => {
    const names = recorded(scope, measure);
    return [
      { record: names.value, expr: measure.value(scope, tuning) },
      ...spikeRules(names, { scope, measure, times }),
      ...(measure.falls === true ? [fallenRule(names, times)] : []),
      ...normalRules(names, { scope, measure, times, settings: tuning.settings }),
    ];
  });
}

/** The mean of the last minutes; where a lower bound tells of later ones, and is higher, the mean of that. */
export function inLastMinutes(measure: Measure, names: Recorded, times: Times): string {
  const published = recently(names, times);
  if (measure.atLeast === undefined) return published;
  const bound = recently({ value: names.atLeast }, times);
  return `(${bound} > ${published} or ${published})`;
}

/** Whether one of the last minutes was above the limit, as published or by its lower bound. */
export function stillAbove({ atLeast }: Measure, { above, certain }: Recorded, times: Times): string {
  const still = (series: string) => `max_over_time(${range(series, times.quiet, times.minute)}) == 1`;
  return atLeast === undefined ? still(above) : `(${still(above)} or ${still(certain)})`;
}

/** The mean of the last minutes. */
export function recently({ value }: Pick<Recorded, 'value'>, { smoothing, minute }: Times): string {
  return `avg_over_time(${range(value, smoothing, minute)})`;
}

/**
 * Whether there is a spike: enough of the last minutes are above the limit. Of a spike the limit stays what it was when
 * it began, as long as the value is more than ordinary at this hour: else an attack would seem over when the day's
 * traffic grows. `active` and `limit` on the right are those of the minute before.
 *
 * Minutes whose lower bound is above the limit are counted apart from published ones, so that none counts twice: enough
 * of them begin a spike that the same minutes would begin once they are published.
 */
function spikeRules(names: Recorded, spike: SpikeOptions): readonly RecordingRule[] {
  const { scope, measure, times } = spike;
  const atLeast = measure.atLeast?.(scope);
  const threshold = latest(names.threshold, times);
  const enough = (series: string) => enoughAbove(series, spike);
  const kept = larger(names.limit, latest(names.ordinary, times));
  return [
    {
      record: names.limit,
      expr: `${smaller(kept, threshold)} and ${names.active} == 1\nor\n${threshold}`,
    },
    { record: names.above, expr: `${names.value} > bool ${names.limit}` },
    ...(atLeast === undefined
      ? [{ record: names.active, expr: enough(names.above) }]
      : [
          { record: names.atLeast, expr: atLeast },
          { record: names.certain, expr: `${names.atLeast} > bool ${names.limit}` },
          {
            record: names.active,
            expr: `clamp_max((${enough(names.above)}) + (${enough(names.certain)}), 1)\nor\n${enough(names.above)}`,
          },
        ]),
  ];
}

interface SpikeOptions {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly times: Times;
}

/**
 * Whether enough of the last minutes were above the limit. Of an attack on several configurations at once, those that show
 * it a few minutes later are told of with the first: fewer minutes are enough where another configuration has enough.
 */
function enoughAbove(series: string, { scope, measure, times }: SpikeOptions): string {
  const { of, begins, joins } = times.spike;
  const [first, joining] = [begins, joins].map((time) => Math.round(time / times.minute)) as [number, number];
  const above = `sum_over_time(${range(series, of, times.minute)})`;
  if (scope === 'account' || measure.alert !== 'EdgeWafSpike') return `${above} >= bool ${first}`;
  const account = SCOPES.account.join(', ');
  const begun = `max by (${account}) (${above}) >= bool ${first}`;
  return `${above} >= bool on (${account}) group_left () (${first} - ${first - joining} * (${begun}))`;
}

function fallenRule(names: Recorded, times: Times): RecordingRule {
  const lower = `(${latest(names.lower, times)} or ${latest(names.lowest, times)})`;
  return { record: names.fallen, expr: `${recently(names, times)} < bool ${lower}` };
}

interface NormalOptions {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly times: Times;
  readonly settings: AlertSettings;
}

/**
 * What enters the baselines: abnormal minutes do not, or an attack would become what is usual; in their place is what
 * is usual at this hour. A level that stays abnormal for long, with pauses of an hour at most, is accepted.
 */
function normalRules(names: Recorded, options: NormalOptions): readonly RecordingRule[] {
  const { times, measure } = options;
  const abnormal = [`${names.active} == 1`, ...(measure.falls === true ? [`${names.fallen} == 1`] : [])];
  const any = abnormal.length === 1 ? abnormal.join('') : `(${abnormal.join(' or ')})`;
  return [
    {
      record: names.since,
      expr: `(last_over_time(${range(names.since, times.hour, times.minute)}) or time() + 0 * ${names.active}) and ${any}`,
    },
    { record: names.accepted, expr: accepted(names, options) },
    {
      record: names.normal,
      expr: [
        `${names.value} unless (${names.above} == 1 or ${abnormal.join(' or ')})`,
        `${names.value} and ${names.accepted}`,
        `${latest(names.seasonal, times)} and ${names.value}`,
        names.value,
      ].join('\nor\n'),
    },
  ];
}

function accepted(names: Recorded, { scope, settings }: NormalOptions): string {
  const byHand = settings.accepted
    .filter(({ where }) => applies(where, SCOPES[scope]))
    .map(({ where, from }) => {
      const seconds = Math.floor(from / 1_000);
      const now = `time() - ${seconds} + 0 * ${selector(names.value, matchersOf(where))}`;
      return `((${now}) >= 0) < ${ACCEPTING}`;
    });
  const long = `time() - ${names.since} > ${settings.acceptAfter / 1_000}`;
  return [long, ...byHand].join('\nor\n');
}
