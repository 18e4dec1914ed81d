import type { AccountStatus } from '../status.ts';
import { duration, grouped, plainShare, timeOfDay } from '../text/figures.ts';
import { type Cause, numberOf } from './covered.ts';
import { greatestFirst, type Tally } from './tally.ts';

/** What causes of which no poll fails are found in. */
interface Seen {
  readonly account: AccountStatus;
  readonly whole: Tally;
  readonly now: number;
  readonly hasProducts: boolean;
}

/** From here on a difference of the clocks (s) is an operator's business. */
const CLOCK_SKEW_SECONDS = 30;

/** Intervals are reported when they are this many times as long as planned. */
export const NOTABLE_STRETCH = 1.5;

const OWN_TOKEN =
  'Others use up the quota of this token: give the exporter a token of its own, or leave more to them with `quota.reserve`.';

const PLAN = '`edge-exporter plan` shows what the quota is used for, and what would help.';

/** Nothing fails, and there is no data: either not yet, or the platform has none. Settings are no traffic. */
export function nothingThere({ account, whole, now, hasProducts }: Seen): Cause[] {
  const { hadData, pending, jobs, series } = whole;
  const { up, note, unmatched } = account;
  if (hadData && (series > 0 || !hasProducts)) return [];
  const rest = { symptoms: [], jobs };
  if (pending > 0 || jobs === 0) {
    const unanswered = `the platform has not answered yet${note === '' ? '' : `: ${note}`}`;
    const text = up === null ? unanswered : unreadText(pending, whole, now);
    return [{ kind: 'first_polls', text, next: nextOfUnread(account), ...rest }];
  }
  if (unmatched.length > 0) {
    const text = `the platform has no configuration called ${unmatched.map((name) => `“${name}”`).join(', ')}`;
    const next = 'Correct `configurations.include`: names are compared exactly, apart from `*`.';
    return [{ kind: 'nothing_there', text, alike: text, next, ...rest }];
  }
  const text =
    series === 0
      ? 'the platform lists no active configurations of what is collected'
      : 'the platform answers every read, with nothing in it';
  const next =
    'Is it the right account? If there should be traffic, compare with what the platform’s console shows.';
  return [{ kind: 'nothing_there', text, alike: text, next, ...rest }];
}

/** Some of what is configured has never been read, while other parts have. */
export function notReadYet({ account, whole, now }: Seen): Cause[] {
  const { hadData, unread } = whole;
  if (!hadData || unread === 0) return [];
  const text = `${unreadText(unread, whole, now)}${othersOf(account)}`;
  return [{ kind: 'not_read_yet', text, next: nextOfUnread(account), symptoms: [], jobs: unread }];
}

function unreadText(unread: number, { jobs, readBy }: Tally, now: number): string {
  const by = readBy > new Date(now).toISOString() ? `, first data expected by ${timeOfDay(readBy, now)}` : '';
  return `not read yet: ${grouped(unread)} of ${grouped(jobs)}${by}`;
}

function nextOfUnread(account: AccountStatus): string {
  return account.stretch < NOTABLE_STRETCH
    ? 'The first answers take a few seconds, the first data a few minutes.'
    : shareOf(account);
}

/** Counters that stand still while gauges are in time look like no traffic at all. */
export function behind({ behind, behindBy, late }: Tally): Cause[] {
  const [worst, ...others] = greatestFirst(behindBy);
  if (worst === undefined) return [];
  const and = others.length === 0 ? '' : ` and ${numberOf(others.length, 'other part')}`;
  const by = `${others.length === 0 ? '' : 'up to '}${duration(behindBy.get(worst) ?? 0)} behind`;
  const text = `counters of ${worst}${and} are ${by}${late === 0 ? ', gauges are in time' : ''}`;
  const next = 'What is missing is read again as soon as it can be: until then `increase()` lacks it.';
  return [{ kind: 'counters_behind', text, next, symptoms: [], jobs: behind }];
}

/** A greater share of buckets that answers lack is told: a few may be missing after an incident of the platform. */
export const TOLERATED_MISSING = 0.1;

/** Answers lack buckets between others: what is counted of them is too little, and nothing fails. */
export function rowsMissing(parts: ReadonlyMap<string, Tally>): Cause[] {
  const lacking = [...parts].filter(([, { missingShare = 0 }]) => missingShare > TOLERATED_MISSING);
  const [worst, ...others] = lacking.toSorted(
    ([, a], [, b]) => Number(b.missingShare) - Number(a.missingShare),
  );
  if (worst === undefined) return [];
  const [name, { missingShare = 0 }] = worst;
  const and = others.length === 0 ? '' : ` and up to that of ${numberOf(others.length, 'other part')}`;
  const text = `${plainShare(missingShare)} of the buckets of ${name}${and} are missing in the platform’s answers`;
  const next =
    'Counters wait 20 minutes for what is missing, and then go on without it: sums are too small by as much. Ask the platform, or whatever stands before it, for the rows.';
  const jobs = lacking.reduce((sum, [, { series }]) => sum + series, 0);
  return [{ kind: 'rows_missing', text, next, symptoms: [], jobs }];
}

/** The quota stretches intervals, and nothing is late of it. */
export function stretched(account: AccountStatus): Cause[] {
  const { stretch, demand_per_minute: demand } = account;
  if (stretch < NOTABLE_STRETCH) return [];
  const text = `the quota suffices for intervals ${grouped(stretch)} times as long as planned${othersOf(account)}`;
  const planned = `${grouped(demand)} operations a minute are planned: ${PLAN}`;
  const next = othersPerMinute(account) >= 1 ? OWN_TOKEN : planned;
  return [{ kind: 'quota', text, next, symptoms: [], jobs: 0 }];
}

/** A difference of the clocks, and which of them has moved. */
export function clockCause({ clock_skew_seconds: skew, clock_moved: moved }: AccountStatus): Cause[] {
  if (Math.abs(skew) < CLOCK_SKEW_SECONDS) return [];
  const apart = duration(Math.abs(skew));
  const rest = { symptoms: [], jobs: 0 };
  const wrong = skew > 0 ? 'what is called late may be fresh' : `what is called fresh is ${apart} older`;
  if (moved === 'platform') {
    const text = `the platform’s clock was set ${skew > 0 ? 'forward' : 'back'}: it is ${apart} ${skew > 0 ? 'ahead of' : 'behind'} this machine’s`;
    const next = `This machine’s clock has run on steadily: leave it, and tell the platform’s operator. Data is polled and aged by the platform’s clock: ${wrong}.`;
    return [{ kind: 'platform_clock', text, next, ...rest }];
  }
  const text = `this machine’s clock is ${apart} ${skew > 0 ? 'behind' : 'ahead of'} the platform’s${moved === null ? '' : `: it was set ${skew > 0 ? 'back' : 'forward'}`}`;
  const counters = skew > 0 ? '; new counters wait ten minutes, until it is sure' : '';
  const unless =
    moved === null
      ? ` If this one is right already, the platform’s is wrong, or answers come from a cache: ${wrong}.`
      : '';
  const next = `Set this machine’s clock (NTP). Data is polled and aged by the platform’s clock, so none is lost${counters}.${unless}`;
  return [{ kind: 'clock', text, next, ...rest }];
}

/** Operations a minute of other clients, as far as the platform's headers show any. */
function othersPerMinute({ quota }: AccountStatus): number {
  const shown = quota.map(({ limit, others_per_minute: others }) =>
    limit === null ? 0 : Math.min(limit, others),
  );
  return Math.round(Math.max(0, ...shown));
}

/** Other programs that spend the quota. */
export function othersOf(account: AccountStatus): string {
  const others = grouped(othersPerMinute(account));
  return others === '0' ? '' : `; other clients of the token take about ${others} operations a minute`;
}

/** Remedies if the quota does not suffice. */
export function shareOf(account: AccountStatus): string {
  return othersPerMinute(account) >= 1 ? OWN_TOKEN : PLAN;
}

/** `in 40 s`, of an ISO time. */
export function within(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  return seconds > 0.5 ? `in ${duration(seconds)}` : 'now';
}
