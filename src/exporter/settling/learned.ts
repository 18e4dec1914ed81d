import { type Completeness, type Growth, leastAgeWith, NO_COMPLETENESS, withGrown } from './completeness.ts';
import { MINUTE_MS } from './window.ts';

/** Way to read a metric's dimensions: all in one answer, or each with a separate operation. */
export type ReadMode = 'metric' | 'dimensions';

/** Memory of an account about one metric of a product, over all targets. A poll replaces it as a whole. */
export interface MetricMemory {
  readonly completeness: Completeness;
  /** Learned age (ms) at which a bucket is exposed. */
  readonly publishDelay: number;
  /** Restatements of each of the last hours, ascending. */
  readonly hours: readonly Restated[];
  /** Greatest age, from the usual delay on, at which buckets were not final yet, by slot, ascending. */
  readonly late: readonly Timed[];
  /** Least lag of each of the last slots, ascending. */
  readonly lags: readonly Timed[];
  /** Time (platform ms) until which each dimension is read separately, before a common read is tried again. */
  readonly singlyUntil: number;
  /** Time (platform ms) at which the dimensions of the missing metric were last tried; undefined before the first time. */
  readonly triedAt: number | undefined;
}

/** Numbers of changed buckets within one hour, by direction. */
export interface Restated {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly up: number;
  readonly down: number;
}

/** Greatest age of a late change, or least lag of an answer, in one slot of time. */
interface Timed {
  readonly slot: number;
  readonly ms: number;
}

/** Evidence of one poll about the platform. It counts even if the poll's commit failed. */
export interface MetricEvidence {
  /** Platform's time (ms). */
  readonly now: number;
  /** Time (ms) since the end of the newest bucket; undefined if the answer does not reach the present. */
  readonly lagMs: number | undefined;
  /** Number of changed buckets, and of those that became smaller. */
  readonly changes: number;
  readonly downwards: number;
  /** Greatest age (ms, by the platform's progress) at which a changed bucket still had its former value; 0 for none. */
  readonly unsettledAge: number;
  readonly grown: readonly Growth[];
  /** Way in which the dimensions were read, if the poll discovered it. */
  readonly mode?: ReadMode | undefined;
  /** True if the platform knows the target, but not the metric. */
  readonly isMissing?: boolean;
}

/** Configured delay: a time in ms, or `auto` for a learned one. */
export type ConfiguredDelay = number | 'auto';

/** Configured delays of an account's metrics. */
export type DelaySettings = Readonly<Record<'publish_delay' | 'settle_delay', ConfiguredDelay>>;

/** Delays before enough measurements: the newest one or two buckets always dip, and the platform aggregates for ten minutes. */
export const USUAL_PUBLISH_MS = 2 * MINUTE_MS;
export const USUAL_SETTLE_MS = 10 * MINUTE_MS;

/** Longest learned delay (ms): receivers accept samples half an hour old, and one read contains all unsettled buckets. */
const LONGEST_SETTLE_MS = 30 * MINUTE_MS;

export const NOTHING_LEARNED: MetricMemory = {
  completeness: NO_COMPLETENESS,
  publishDelay: USUAL_PUBLISH_MS,
  hours: [],
  late: [],
  lags: [],
  singlyUntil: 0,
  triedAt: undefined,
};

/** Returns the evidence of a poll without buckets. @param now platform ms */
export function nothingShown(now: number): MetricEvidence {
  return {
    now,
    changes: 0,
    downwards: 0,
    unsettledAge: 0,
    lagMs: undefined,
    grown: [],
  };
}

/** Returns the memory after a poll. */
export function learn(known: MetricMemory, evidence: MetricEvidence): MetricMemory {
  const { now, lagMs, grown, mode, isMissing = false } = evidence;
  const completeness = withGrown(known.completeness, grown);
  return {
    ...known,
    completeness,
    publishDelay: nextDelay(known, completeness),
    hours: withRestated(known.hours, evidence),
    late: withLate(known.late, evidence),
    lags: lagMs === undefined ? known.lags : withLag(known.lags, lagMs, now),
    singlyUntil: mode === 'dimensions' ? now + MODE_MS : known.singlyUntil,
    triedAt: isMissing && mayTry(known, now) ? now : known.triedAt,
  };
}

/** Time (ms) after which a metric that is read dimension by dimension is tried with one operation again. */
const MODE_MS = 24 * 60 * MINUTE_MS;

/** Returns the way to read a metric. @param now platform ms */
export function readMode({ singlyUntil }: MetricMemory, now: number): ReadMode {
  return now < singlyUntil && singlyUntil <= now + MODE_MS ? 'dimensions' : 'metric';
}

/** Time (ms) after which the dimensions of a missing metric are tried again, since each try costs an operation. */
const TRIED_MS = 60 * MINUTE_MS;

/** Returns true if the dimensions of a missing metric may be tried one by one. @param now platform ms */
export function mayTry({ triedAt }: MetricMemory, now: number): boolean {
  return triedAt === undefined || now >= triedAt + TRIED_MS || now < triedAt;
}

/** Share of its final value that a bucket must have before it is exposed. */
const COMPLETE = 0.98;

/** Share from which the delay is shortened. It is slightly greater, so that the delay does not oscillate. */
const COMPLETE_TO_ADVANCE = 0.985;

function nextDelay({ publishDelay }: MetricMemory, completeness: Completeness): number {
  const wanted = leastAgeWith(completeness, COMPLETE) ?? publishDelay;
  // The oldest ages are known first. Completeness at the youngest known age says nothing about younger ages.
  if (wanted > publishDelay && wanted !== leastAgeWith(completeness, 0)) return wanted;
  return Math.min(publishDelay, leastAgeWith(completeness, COMPLETE_TO_ADVANCE) ?? publishDelay);
}

const HOUR_MS = 60 * MINUTE_MS;

/** Time (hours) for which restatements are remembered, so that a slow daily peak is remembered until the next. */
const MEMORY_HOURS = 24;

function withRestated(
  hours: readonly Restated[],
  { changes, downwards, now }: MetricEvidence,
): readonly Restated[] {
  if (changes === 0) return hours;
  const hour = Math.floor(now / HOUR_MS);
  const last = hours.find((known) => known.hour === hour) ?? { hour, up: 0, down: 0 };
  // An hour in the future was recorded before the platform's clock was set back.
  const kept = hours.filter((known) => known.hour >= hour - MEMORY_HOURS && known.hour < hour);
  return [...kept, { hour, up: last.up + changes - downwards, down: last.down + downwards }];
}

/** Length (ms) of a slot, and the number of slots with late events from which they count as usual. */
const SLOT_MS = 10 * MINUTE_MS;
const SLOTS = 3;

/** Rate at which a late age decreases after a day. If the delay fell at once, one poll would count all its buckets. */
const FADING = 0.5;
const MEMORY_SLOTS = (MEMORY_HOURS * HOUR_MS + LONGEST_SETTLE_MS / FADING) / SLOT_MS;

function faded({ slot, ms }: Timed, now: number): number {
  return ms - FADING * Math.max(0, now - slot * SLOT_MS - MEMORY_HOURS * HOUR_MS);
}

/** Returns the late ages with new evidence. Ages within the usual delay are not recorded. */
function withLate(late: readonly Timed[], { unsettledAge, now }: MetricEvidence): readonly Timed[] {
  const slot = Math.floor(now / SLOT_MS);
  // A slot in the future was recorded before the platform's clock was set back.
  const kept = late.filter((known) => known.slot > slot - MEMORY_SLOTS && known.slot <= slot);
  const last = kept.find((known) => known.slot === slot);
  if (unsettledAge < USUAL_SETTLE_MS || unsettledAge <= (last?.ms ?? 0)) return kept;
  return [...kept.filter((known) => known !== last), { slot, ms: Math.min(unsettledAge, LONGEST_SETTLE_MS) }];
}

function withLag(lags: readonly Timed[], ms: number, now: number): readonly Timed[] {
  const slot = Math.floor(now / SLOT_MS);
  const last = lags.find((known) => known.slot === slot);
  // A slot in the future was recorded before the platform's clock was set back.
  const kept = lags.filter((known) => known.slot > slot - SLOTS && known.slot < slot);
  return [...kept, { slot, ms: Math.min(ms, last?.ms ?? ms) }];
}

/** Current delays (ms) of one metric: as configured, or as learned. */
export interface Delays {
  /** Age at which a bucket is exposed as a gauge, from its end to the end of the platform's newest bucket. */
  readonly publish: number;
  /** Age at which a bucket has settled, and is counted. */
  readonly settle: number;
  /** Age up to which buckets are read again, to detect late changes. */
  readonly horizon: number;
  /** Usual lag of the newest buckets behind the clock. */
  readonly lag: number;
}

/** Returns the current delays of a metric. @param now platform ms */
export function delaysOf(known: MetricMemory, settings: DelaySettings, now: number): Delays {
  const settle = settleDelay(known, settings, now);
  return {
    publish: publishDelay(known, settings),
    settle,
    horizon: Math.max(USUAL_SETTLE_MS, settle),
    lag: usualLag(known),
  };
}

/**
 * Returns the age (ms) at which a bucket is pushed as a gauge. A receiver accepts no other value for the same time. So until
 * completeness is known, buckets must settle first.
 * @param now platform ms
 */
export function pushDelay(known: MetricMemory, settings: DelaySettings, now: number): number {
  const publish = publishDelay(known, settings);
  const isKnown =
    settings.publish_delay !== 'auto' || Number(leastAgeWith(known.completeness, COMPLETE)) <= publish;
  return isKnown ? publish : Math.max(publish, settleDelay(known, settings, now));
}

function publishDelay(known: MetricMemory, { publish_delay }: DelaySettings): number {
  return publish_delay === 'auto' ? known.publishDelay : publish_delay;
}

/**
 * Factor and time (ms) added to the greatest age before a late change, since changes come after it, and later ones may be older.
 */
const MARGIN = 1.25;
const MARGIN_MS = 2 * MINUTE_MS;

/**
 * Returns the age (ms) at which a bucket has settled, and is counted. It is longer than usual only if changes came late repeatedly
 * within the last day. A single event has no effect.
 * @param now platform ms
 */
function settleDelay({ late }: MetricMemory, delays: DelaySettings, now: number): number {
  const { settle_delay, publish_delay } = delays;
  if (settle_delay !== 'auto') return settle_delay;
  const again = late.map((known) => faded(known, now)).sort((a, b) => b - a)[SLOTS - 1];
  const learned = again === undefined ? 0 : Math.min(again * MARGIN + MARGIN_MS, LONGEST_SETTLE_MS);
  return Math.max(USUAL_SETTLE_MS, publish_delay === 'auto' ? 0 : publish_delay, learned);
}

/** Longest plausible lag (ms): the platform aggregates for up to ten minutes, and a longer lag is a fault. */
export const LONGEST_LAG_MS = 10 * MINUTE_MS;

/** Returns the usual lag (ms) of the newest buckets behind the clock: the least of the last half hour; 0 before the first. */
function usualLag({ lags }: Pick<MetricMemory, 'lags'>): number {
  if (lags.length === 0) return 0;
  return lags.reduce((least, { ms }) => Math.min(least, ms), LONGEST_LAG_MS);
}

/** Number of restatements from which their direction is trusted. */
const ENOUGH_RESTATEMENTS = 1_000;

/** Least share of upward restatements with which young buckets are lower bounds. */
const LEAST_SHARE = 0.999;

/** Returns the share (0 to 1) of upward restatements within the last day; undefined if there were too few. */
export function upwardShare(known: MetricMemory, now: number): number | undefined {
  const { up, down } = restatedWithin(known, MEMORY_HOURS, now);
  return up + down < ENOUGH_RESTATEMENTS ? undefined : up / (up + down);
}

/** Returns true if young buckets are lower bounds, by the last day and the last hour. The latter shows a change at once. */
export function onlyGrow(known: MetricMemory, now: number): boolean {
  const { up, down } = restatedWithin(known, 1, now);
  return Number(upwardShare(known, now)) >= LEAST_SHARE && up >= LEAST_SHARE * (up + down);
}

function restatedWithin({ hours }: MetricMemory, count: number, now: number): { up: number; down: number } {
  const first = Math.floor(now / HOUR_MS) - count;
  let [up, down] = [0, 0];
  for (const hour of hours) {
    if (hour.hour < first) continue;
    up += hour.up;
    down += hour.down;
  }
  return { up, down };
}
