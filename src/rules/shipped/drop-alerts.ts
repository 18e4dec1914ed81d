import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { recently } from './baselines.ts';
import { stale } from './freshness-rules.ts';
import { latest, MEASURES, recorded, SCOPES } from './measures.ts';
import { ago, larger, range } from './promql.ts';
import { eitherScope, ofTraffic, SITE, seriesValue } from './scopes.ts';
import type { Times } from './times.ts';

const REQUESTS = recorded('configuration', MEASURES.requests);
const JUDGED_REQUESTS = { series: REQUESTS.value, labels: SCOPES.configuration } as const;

/** Returns the alerts of sites that lose their traffic: a page for a dead site, a ticket for a partial drop. */
export function dropAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const usual = seriesValue(() => REQUESTS.usual, { scopes: ['configuration'] });
  const row = (reason: string, expr: string) =>
    ({
      ...ofTraffic(MEASURES.requests),
      alert: 'EdgeTrafficDrop',
      labels: { metric: 'requests', reason },
      expr: eitherScope(() => `${expr}${unlessElsewhere(times)}`, ['configuration']),
    }) as const;
  return [
    {
      ...row('dead', dead(times, tuning)),
      hold: times.holdDead,
      keepFiring: times.keepFiring,
      summary: `${SITE} is dead: {{ $value | humanize }} requests a minute`,
      description: `{{ $value | humanize }} requests a minute; usual at this hour: ${usual}. The data is fresh, and no other configuration has the traffic.`,
    },
    {
      ...row('share', dropped(times, tuning)),
      severity: 'ticket',
      hold: times.holdHour,
      keepFiring: times.keepTicket,
      summary: `Only {{ $value | humanize }} requests a minute on ${SITE}`,
      description: `{{ $value | humanize }} requests a minute in half an hour; usual at this hour: ${usual}. The data is fresh.`,
    },
  ];
}

/** Returns the lowest hour around this time of day, `back` ago. */
function hours(back: number, around: number, { hour, baseline }: Times): string {
  return `min_over_time(${ago(range(REQUESTS.hourly, 2 * around - hour, baseline), back - around)})`;
}

/** Returns the lowest hour where it is high enough: with few requests, a minute without any is chance. */
function lowest(back: number, around: number, times: Times): string {
  return `(${hours(back, around, times)} >= ${LEAST_LOWEST})`;
}

/** Minimum requests per minute of the lowest hour: with fewer, none for some minutes are chance. */
const LEAST_LOWEST = 3;

/** Returns the sites with almost no traffic compared with the lowest hour around this one in each of the last two weeks. */
function dead(times: Times, tuning: Tuning): string {
  const { week } = times;
  const share = tuning.value('EdgeTrafficDrop', 'dead', JUDGED_REQUESTS);
  const mean = recently(REQUESTS, times);
  const weeks = [week, 2 * week].map((back) => `${mean} < ${share} * ${lowest(back, times.around, times)}`);
  return [...weeks, ...judgeable(share, times, tuning)].join('\nand\n');
}

/**
 * Returns the condition of a ticket for a drop. Either half an hour is below a share of both weeks. Or the last minutes are a
 * fraction of the previous hour and of yesterday, for which two days of history suffice. A dead site is a page instead.
 */
function dropped(times: Times, tuning: Tuning): string {
  const { week, day, hour, settled, minute } = times;
  const share = tuning.value('EdgeTrafficDrop', 'share', JUDGED_REQUESTS);
  const least = tuning.value('EdgeTrafficDrop', 'least_requests', JUDGED_REQUESTS);
  const mean = recently(REQUESTS, times);
  // Traffic that recovers ends the drop at once.
  const half = larger(`avg_over_time(${range(REQUESTS.value, settled, minute)})`, mean);
  const weeks = [week, 2 * week].map((back) => `${half} < ${share} * ${lowest(back, times.near, times)}`);
  const before = latest(REQUESTS.hourly, times, 4 * times.smoothing);
  const sudden = [
    `${mean} < ${SUDDEN} * (${before} >= ${least})`,
    `${mean} < ${SUDDEN} * ${lowest(day, times.around, times)}`,
    `quantile_over_time(0.25, ${ago(range(REQUESTS.value, hour, minute), 4 * times.smoothing)}) > ${SUDDEN} * ${before}`,
  ];
  const around = (back: number): string => hours(back, times.near, times);
  // A drop that began yesterday, or a changed clock, was a ticket then.
  const known = `(${half} >= ${share} * ${around(day)} and ${around(day)} < ${share} * ${around(day + week)})`;
  // A site that closes regularly also did so a week ago.
  const closes = `${mean} >= ${SUDDEN} * ${around(week)}`;
  const shared = [...weeks, ...judgeable(share, times, tuning)].join('\nand\n');
  return `(\n${shared}\nunless\n${known}\nor\n${sudden.join('\nand\n')}\nunless\n${closes}\n)\nunless\n(\n${dead(times, tuning)}\n)`;
}

const SUDDEN = 0.15;

/** Returns the sites that had enough requests last week, in most minutes: a site that is idle in between is not dead. */
function judgeable(share: string, times: Times, tuning: Tuning): readonly string[] {
  const { week, day, hour, baseline, minute } = times;
  const least = tuning.value('EdgeTrafficDrop', 'least_requests', JUDGED_REQUESTS);
  // A weekend with little traffic does not make a site small.
  const days = [week, week + 3 * day].map(
    (back) => `avg_over_time(${ago(range(REQUESTS.hourly, day, baseline), back)})`,
  ) as [string, string];
  const minutes = ago(range(REQUESTS.value, hour, minute), week - hour / 2);
  return [
    `${larger(...days)} >= ${least}`,
    `quantile_over_time(0.25, ${minutes}) > ${share} * ${lowest(week, times.around, times)}`,
  ];
}

/** Returns the condition that data is present, so that missing data never counts as missing traffic. */
function unlessElsewhere(times: Times): string {
  return `\nunless\n${moved(times)}\nunless on (${SCOPES.configuration.join(', ')})\n${stale('requests')}`;
}

/**
 * Returns the configurations whose traffic another one of the account has gained. The gain is about as large as the loss, and large
 * compared with its own last week.
 */
function moved(times: Times): string {
  const names = recorded('configuration', MEASURES.requests);
  const now = recently(names, times);
  const lastWeek = latest(names.hourly, times, times.week - times.hour / 2);
  // If last week's data is missing, a configuration is new only if it was absent three days ago as well.
  const known = `(${lastWeek} or ${latest(names.hourly, times, 3 * times.day)})`;
  const gained = `max by (account, product) ((${now} > ${MOVED.growth} * ${lastWeek}) - ${lastWeek} or ${now} unless ${known})`;
  const lost = `(${latest(names.usual, times)} - ${now})`;
  const on = 'on (account, product) group_left ()';
  return `(${MOVED.least} * ${lost} <= ${on} ${gained} and ${MOVED.most} * ${lost} >= ${on} ${gained})`;
}

/** Limits of a gain: shares of the other configuration's loss, and the factor of its own growth. */
const MOVED = { least: 0.3, most: 2.5, growth: 1.7 };
