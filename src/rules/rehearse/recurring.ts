import { type Measure, measures } from '../shipped/measures.ts';
import { DAY, MINUTE } from '../shipped/times.ts';
import type { RehearsedAlert } from './rehearsal.ts';

/** Alerts within so long of an hour of the day are of that hour. */
const ALIKE = 45 * MINUTE;

/** On so many days it is no chance. */
const DAYS = 3;

/** An alert begins so long after what it tells of at most; rounded up, to be on the safe side. */
const BEFORE = 20 * MINUTE;
const ROUNDED = 10 * MINUTE;

/** What comes at the same time of each day, and how an alerts file accepts it. */
export interface Recurring {
  readonly alert: string;
  readonly days: number;
  readonly accounts: readonly string[];
  readonly configurations: readonly string[] | undefined;
  /** `02:00-02:40`, UTC. */
  readonly daily: string;
  readonly times: number;
}

/** What would be told day after day at its hour: the job of a night more likely than an attack. */
export function recurring(alerts: readonly RehearsedAlert[]): readonly Recurring[] {
  const alike = new Map<string, RehearsedAlert[]>();
  for (const alert of alerts) {
    if (alert.labels['severity'] === 'info' || measureOf(alert) === undefined) continue;
    const { alertname, account, product, configuration } = alert.labels;
    const key = JSON.stringify([alertname, account, product, configuration]);
    alike.set(key, [...(alike.get(key) ?? []), alert]);
  }
  return [...alike.values()].flatMap((group) => ofGroup(group) ?? []);
}

function ofGroup(group: readonly RehearsedAlert[]): Recurring | undefined {
  const [best] = group
    .map(({ from }) => ({ start: from, members: group.filter((other) => after(from, other.from) < ALIKE) }))
    .sort((a, b) => days(b.members) - days(a.members));
  const first = best?.members[0];
  if (best === undefined || first === undefined || days(best.members) < DAYS) return undefined;
  const { start, members } = best;
  const lasts = Math.max(...members.map(({ from, to }) => after(start, from) + to - from));
  const { account = '', configuration } = first.labels;
  const little = measureOf(first)?.little ?? 0;
  const many = members.map(({ peak, usual }) => peak / ((Number.isNaN(usual) ? 0 : usual) + little));
  return {
    alert: first.labels['alertname'] ?? '',
    days: days(members),
    accounts: [account],
    configurations: configuration === undefined ? undefined : [configuration],
    daily: `${timeOfDay(start - BEFORE, Math.floor)}-${timeOfDay(start + lasts, Math.ceil)}`,
    times: Math.ceil(1.2 * Math.max(...many)),
  };
}

/** How long after a time of the day another one is. */
function after(one: number, other: number): number {
  return (((other - one) % DAY) + DAY) % DAY;
}

function days(alerts: readonly RehearsedAlert[]): number {
  return new Set(alerts.map(({ from }) => Math.floor((from - BEFORE) / DAY))).size;
}

function timeOfDay(at: number, round: (value: number) => number): string {
  return new Date(round(at / ROUNDED) * ROUNDED).toISOString().slice(11, 16);
}

/** The measure that an alert compares with its past; undefined where nothing can be accepted by the hour. */
function measureOf({ labels }: RehearsedAlert): Measure | undefined {
  const { alertname: name } = labels;
  return measures().find(({ alert, elevated }: Measure) => alert === name || elevated === name);
}

/** A line of `accepted` in an alerts file. */
export function acceptedText({ accounts, configurations, daily, times }: Recurring): string {
  const names = (list: readonly string[]): string => JSON.stringify(list);
  const of = configurations === undefined ? '' : `, configurations: ${names(configurations)}`;
  return `- { accounts: ${names(accounts)}${of}, daily: "${daily}", times: ${times} }`;
}
