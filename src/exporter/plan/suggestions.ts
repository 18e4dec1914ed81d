import { demandPerMinute, fits } from '../rate-limit/demand-forecast.ts';
import { duration } from '../text/duration.ts';
import { plainNumber } from '../text/numbers.ts';
import { type ExpectedJob, groupedBy, type ScopeLimit } from './planned-job.ts';
import { partKey } from './rows.ts';

/** What is too much, and where most of it comes from. */
interface Excess {
  /** Operations per minute over what is allowed. */
  readonly over: number;
  /** The jobs of the part that asks for most. */
  readonly part: readonly ExpectedJob[];
  /** Its place in the configuration. */
  readonly place: string;
}

/** What would make the jobs of a scope fit, each by itself, in plain words. Empty when they do. */
export function suggestions(jobs: readonly ExpectedJob[], limit: ScopeLimit): string[] {
  const demand = demandPerMinute(jobs);
  if (fits(demand, limit.allowance)) return [];
  const over = demand - limit.allowance;
  const product = greatest(jobs, partKey);
  const collector = greatest(jobs, ({ subject }) => subject.collector);
  const inProduct = { over, part: product, place: placeOf(product) };
  const inCollector = { over, part: collector, place: `collectors.${collector[0]?.subject.collector}` };
  const found = [
    longerSchedule(inProduct) ?? longerSchedule(inCollector) ?? everythingLonger(demand, limit.allowance),
    fewerMetrics(inProduct),
    fewerConfigurations(inProduct),
    wholeProduct(inProduct),
    moreQuota(demand, limit),
  ];
  return found.filter((text) => text !== undefined);
}

function greatest(jobs: readonly ExpectedJob[], keyOf: (job: ExpectedJob) => string): readonly ExpectedJob[] {
  const parts = [...groupedBy(jobs, keyOf).values()];
  return parts.reduce((most, part) => (demandPerMinute(part) > demandPerMinute(most) ? part : most), []);
}

function placeOf([first]: readonly ExpectedJob[]): string {
  const { collector = '', product } = first?.subject ?? {};
  if (collector === 'discovery') return 'discovery';
  return product === undefined || first?.subject.metric === undefined
    ? `collectors.${collector}`
    : `collectors.${collector}.products.${product}`;
}

/** Whole minutes that divide the hour, so that a cron pattern can say them. */
const EVEN_MINUTES = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

function longerSchedule({ over, part, place }: Excess): string | undefined {
  const demand = demandPerMinute(part);
  const cost = part.reduce((sum, job) => sum + job.cost, 0);
  const minutes = EVEN_MINUTES.find((every) => demand - cost / every >= over);
  if (minutes === undefined) return undefined;
  const key = place === 'discovery' ? place : `${place}.schedule`;
  return `a longer schedule: ${key}: "*/${minutes} * * * *" saves ${plainNumber(demand - cost / minutes)} operations per minute`;
}

function fewerMetrics({ over, part, place }: Excess): string | undefined {
  const byMetric = groupedBy(part, ({ subject }) => subject.metric ?? '');
  const leastFirst = [...byMetric].sort(([, a], [, b]) => (a[0]?.weight ?? 0) - (b[0]?.weight ?? 0));
  const left: string[] = [];
  let saved = 0;
  for (const [metric, jobs] of leastFirst.slice(0, -1)) {
    if (saved >= over) break;
    left.push(metric);
    saved += demandPerMinute(jobs);
  }
  if (saved < over) return undefined;
  return `fewer metrics: ${place}.metrics without ${left.join(', ')} saves ${plainNumber(saved)} operations per minute`;
}

function fewerConfigurations({ over, part, place }: Excess): string | undefined {
  const configurations = new Set(part.flatMap(({ subject }) => subject.configuration_id ?? [])).size;
  if (configurations === 0 || part[0]?.subject.metric === undefined) return undefined;
  const each = demandPerMinute(part) / configurations;
  const leave = Math.ceil(over / each);
  if (leave >= configurations) return undefined;
  return `fewer configurations: ${place}.configurations.exclude with ${leave} of the ${configurations} saves ${plainNumber(leave * each)} operations per minute`;
}

function wholeProduct({ over, part, place }: Excess): string | undefined {
  const single = part.filter(({ subject }) => subject.configuration_id !== undefined);
  if (part[0]?.subject.collector !== 'analytics' || single.length === 0) return undefined;
  const perMetric = groupedBy(single, ({ subject }) => subject.metric);
  const whole = [...perMetric.values()].flatMap((jobs) => jobs.slice(0, 1));
  const saved = demandPerMinute(single) - demandPerMinute(whole);
  if (saved < over) return undefined;
  return `totals only: ${place}.by: [product] saves ${plainNumber(saved)} operations per minute`;
}

function everythingLonger(demand: number, allowance: number): string {
  const factor = Math.ceil((demand / allowance) * 10) / 10;
  return `longer schedules everywhere: all ${plainNumber(factor)} times as long, for instance every ${duration(Math.ceil(factor) * 60)} instead of every 1 min`;
}

function moreQuota(demand: number, { limit, reserve, name }: ScopeLimit): string {
  const needed = Math.ceil(demand / (1 - reserve));
  const bearable = Math.floor((1 - demand / limit) * 100) / 100;
  const lower = bearable >= 0 ? `, or quota.reserve: ${bearable} instead of ${reserve}` : '';
  return `more quota: a limit of at least ${needed} operations per minute for ${name} instead of ${limit}${lower}`;
}
