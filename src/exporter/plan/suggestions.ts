import { groupedBy } from '../grouped-by.ts';
import { demandPerMinute, fits } from '../rate-limit/poll-intervals.ts';
import { duration, plainNumber } from '../text/figures.ts';
import { type ExpectedJob, partKey, type ScopeLimit } from './demand.ts';

/** Returns changes, each of which alone would make the jobs of a scope fit, as sentences. Empty if they fit. */
export function suggestions(jobs: readonly ExpectedJob[], limit: ScopeLimit): string[] {
  const demand = demandPerMinute(jobs);
  if (fits(demand, limit.allowance)) return [];
  const over = demand - limit.allowance;
  const parts = [...groupedBy(jobs, partKey).values()];
  const part = parts.reduce((most, one) => (demandPerMinute(one) > demandPerMinute(most) ? one : most), []);
  const found = [
    longerSchedule(part, over) ?? everythingLonger(demand, limit.allowance),
    lessOfPart(part, over),
    moreQuota(demand, limit),
  ];
  return found.filter((text) => text !== undefined);
}

function placeOf([first]: readonly ExpectedJob[]): string {
  const { collector = '', product, metric } = first?.subject ?? {};
  if (collector === 'discovery') return 'discovery';
  return product === undefined || metric === undefined
    ? `collectors.${collector}`
    : `collectors.${collector}.products.${product}`;
}

/** Numbers of minutes that divide the hour, so that a cron pattern can express them. */
const EVEN_MINUTES = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

function longerSchedule(part: readonly ExpectedJob[], over: number): string | undefined {
  const demand = demandPerMinute(part);
  const cost = part.reduce((sum, job) => sum + job.cost, 0);
  const minutes = EVEN_MINUTES.find((every) => demand - cost / every >= over);
  if (minutes === undefined) return undefined;
  const place = placeOf(part);
  const key = place === 'discovery' ? place : `${place}.schedule`;
  return `a longer schedule: ${key}: "*/${minutes} * * * *" saves ${plainNumber(demand - cost / minutes)} operations per minute`;
}

function lessOfPart(part: readonly ExpectedJob[], over: number): string | undefined {
  const demand = demandPerMinute(part);
  if (part[0]?.subject.metric === undefined || demand <= over) return undefined;
  return `fewer metrics or configurations in ${placeOf(part)}: it needs ${plainNumber(demand)} operations per minute, and saving ${plainNumber(Math.ceil(over))} is enough`;
}

function everythingLonger(demand: number, allowance: number): string {
  const factor = Math.ceil((demand / allowance) * 10) / 10;
  return `longer schedules everywhere: all ${plainNumber(factor)} times as long, for instance every ${duration(Math.ceil(factor) * 60)} instead of every 1 min`;
}

function moreQuota(demand: number, { limit, reserve, scope }: ScopeLimit): string {
  const needed = Math.ceil(demand / (1 - reserve));
  const bearable = Math.floor((1 - demand / limit) * 100) / 100;
  const lower = bearable >= 0 ? `, or quota.reserve: ${bearable} instead of ${reserve}` : '';
  return `more quota: a limit of at least ${needed} operations per minute for ${scope} instead of ${limit}${lower}`;
}
