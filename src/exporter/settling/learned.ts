import { type Completeness, type Growth, leastAgeWith, NO_COMPLETENESS, withGrown } from './completeness.ts';
import { MINUTE_MS } from './window.ts';

/** Way to read a metric's dimensions: all in one answer, or each with its own operation. */
export type ReadMode = 'metric' | 'dimensions';

/** Memory of an account about one metric of a product, over all targets. A poll replaces it as a whole. */
export interface MetricMemory {
  readonly completeness: Completeness;
  /** Age (ms) at which a bucket is shown, if the publish delay is learned. */
  readonly publishDelay: number;
  /** The restatements of each of the last hours, ascending. */
  readonly hours: readonly Restated[];
  /** The greatest age, from the usual delay on, at which buckets were not final yet, by slot, ascending. */
  readonly late: readonly Timed[];
  /** The least lag of each of the last slots, ascending. */
  readonly lags: readonly Timed[];
  /** Until when (platform ms) each dimension is read by an operation of its own, before one for all is tried again. */
  readonly singlyUntil: number;
  /** Time (platform ms) at which the metric was last found missing and its dimensions were tried one by one. */
  readonly triedAt: number | undefined;
}

/** Changes of buckets within one hour, after they were first seen. */
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

/** Evidence of one poll about the platform, whether or not its counts were committed. */
export interface MetricEvidence {
  /** The platform's time. */
  readonly now: number;
  /** Time (ms) since the newest bucket of the answer ended; undefined if it does not reach the present. */
  readonly lagMs: number | undefined;
  /** Number of buckets with another value than before, and of those that became smaller. */
  readonly changes: number;
  readonly downwards: number;
  /** The greatest age (ms) at which one of them still had its earlier value, by how far the platform had come; 0 without any. */
  readonly unsettledAge: number;
  readonly grown: readonly Growth[];
  /** Way in which its dimensions were read, if it is new. */
  readonly mode?: ReadMode | undefined;
  /** True if the platform knows the target, and not the metric. */
  readonly isMissing?: boolean;
}

/** A delay of the configuration: a time in ms, or `auto` for a learned one. */
export type ConfiguredDelay = number | 'auto';

/** The delays of an account's metrics as configured. */
export type DelaySettings = Readonly<Record<'publish_delay' | 'settle_delay', ConfiguredDelay>>;

/** Until enough was measured: the newest bucket or two always dip, and the platform aggregates for up to ten minutes. */
export const USUAL_PUBLISH_MS = 2 * MINUTE_MS;
export const USUAL_SETTLE_MS = 10 * MINUTE_MS;

/** Upper bound of a learned delay: a receiver takes what is half an hour old, and one read brings all that is not settled yet. */
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

/** The evidence of a poll that showed nothing. @param now the platform's time */
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

/** Returns what is known after a poll. */
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

/** A metric that is read dimension by dimension is tried with one operation again after this time: platforms improve. */
const MODE_MS = 24 * 60 * MINUTE_MS;

/** Returns the way to read a metric. @param now the platform's time */
export function readMode({ singlyUntil }: MetricMemory, now: number): ReadMode {
  return now < singlyUntil && singlyUntil <= now + MODE_MS ? 'dimensions' : 'metric';
}

/** The dimensions of a metric that is missing are tried again after this time (ms): each try costs an operation. */
const TRIED_MS = 60 * MINUTE_MS;

/** Returns true if the dimensions of a metric that is missing may be tried one by one. @param now the platform's time */
export function mayTry({ triedAt }: MetricMemory, now: number): boolean {
  return triedAt === undefined || now >= triedAt + TRIED_MS || now < triedAt;
}

/** Share of its final value that a bucket must hold to be exposed. */
const COMPLETE = 0.98;

/** The delay is shortened only when buckets hold a little more than that, so that it does not go back and forth. */
const COMPLETE_TO_ADVANCE = 0.985;

function nextDelay({ publishDelay }: MetricMemory, completeness: Completeness): number {
  const wanted = leastAgeWith(completeness, COMPLETE) ?? publishDelay;
  // The oldest ages are known first: that buckets are complete at the youngest of these says nothing of younger ones.
  if (wanted > publishDelay && wanted !== leastAgeWith(completeness, 0)) return wanted;
  return Math.min(publishDelay, leastAgeWith(completeness, COMPLETE_TO_ADVANCE) ?? publishDelay);
}

const HOUR_MS = 60 * MINUTE_MS;

/** Restatements are remembered for a day: a slow daily peak must be remembered until the next one. */
const MEMORY_HOURS = 24;

function withRestated(
  hours: readonly Restated[],
  { changes, downwards, now }: MetricEvidence,
): readonly Restated[] {
  if (changes === 0) return hours;
  const hour = Math.floor(now / HOUR_MS);
  const last = hours.find((known) => known.hour === hour) ?? { hour, up: 0, down: 0 };
  // An hour to come was noted before the platform's clock was set back.
  const kept = hours.filter((known) => known.hour >= hour - MEMORY_HOURS && known.hour < hour);
  return [...kept, { hour, up: last.up + changes - downwards, down: last.down + downwards }];
}

/** Events in several slots of this length (ms) are usual; in one slot they are a single event. */
const SLOT_MS = 10 * MINUTE_MS;
const SLOTS = 3;

/** After a day an age counts for less, by half the time since: a delay that fell at once would count its buckets in one poll. */
const FADING = 0.5;
const MEMORY_SLOTS = (MEMORY_HOURS * HOUR_MS + LONGEST_SETTLE_MS / FADING) / SLOT_MS;

function faded({ slot, ms }: Timed, now: number): number {
  return ms - FADING * Math.max(0, now - slot * SLOT_MS - MEMORY_HOURS * HOUR_MS);
}

/** Ages that the usual delay covers are not noted. */
function withLate(late: readonly Timed[], { unsettledAge, now }: MetricEvidence): readonly Timed[] {
  const slot = Math.floor(now / SLOT_MS);
  // A slot to come was noted before the platform's clock was set back.
  const kept = late.filter((known) => known.slot > slot - MEMORY_SLOTS && known.slot <= slot);
  const last = kept.find((known) => known.slot === slot);
  if (unsettledAge < USUAL_SETTLE_MS || unsettledAge <= (last?.ms ?? 0)) return kept;
  return [...kept.filter((known) => known !== last), { slot, ms: Math.min(unsettledAge, LONGEST_SETTLE_MS) }];
}

function withLag(lags: readonly Timed[], ms: number, now: number): readonly Timed[] {
  const slot = Math.floor(now / SLOT_MS);
  const last = lags.find((known) => known.slot === slot);
  // A slot to come was noted before the platform's clock was set back.
  const kept = lags.filter((known) => known.slot > slot - SLOTS && known.slot < slot);
  return [...kept, { slot, ms: Math.min(ms, last?.ms ?? ms) }];
}

/** The delays of one metric at a moment, in ms: as configured, or as learned. */
export interface Delays {
  /** Age at which a bucket is shown as a gauge, from its end to the end of the platform's newest. */
  readonly publish: number;
  /** Age at which a bucket has settled, and is counted. */
  readonly settle: number;
  /** Age up to which buckets are read again, so that late changes are seen. */
  readonly horizon: number;
  /** Usual lag of the newest buckets behind the clock. */
  readonly lag: number;
}

/** @param now the platform's time */
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
 * Age (ms) at which a bucket is pushed as a gauge. A receiver takes no other value for the same time: until it is known when
 * buckets are complete, they are to settle. @param now the platform's time
 */
export function pushDelay(known: MetricMemory, settings: DelaySettings, now: number): number {
  const publish = publishDelay(known, settings);
  const isKnown =
    settings.publish_delay !== 'auto' || Number(leastAgeWith(known.completeness, COMPLETE)) <= publish;
  return isKnown ? publish : Math.max(publish, settleDelay(known, settings, now));
}

/** Age at which a bucket is shown as a gauge: ms from its end to the end of the platform's newest. */
function publishDelay(known: MetricMemory, { publish_delay }: DelaySettings): number {
  return publish_delay === 'auto' ? known.publishDelay : publish_delay;
}

/** Added to the age at which buckets were last seen before they changed: they change after it, and the next ones later still. */
const MARGIN = 1.25;
const MARGIN_MS = 2 * MINUTE_MS;

/**
 * Age (ms) at which a bucket has settled, and is counted: longer than usual where changes came too late again and again
 * within the last day, so that one event alone moves nothing. @param now the platform's time
 */
function settleDelay({ late }: MetricMemory, delays: DelaySettings, now: number): number {
  const { settle_delay, publish_delay } = delays;
  if (settle_delay !== 'auto') return settle_delay;
  const again = late.map((known) => faded(known, now)).sort((a, b) => b - a)[SLOTS - 1];
  const learned = again === undefined ? 0 : Math.min(again * MARGIN + MARGIN_MS, LONGEST_SETTLE_MS);
  return Math.max(USUAL_SETTLE_MS, publish_delay === 'auto' ? 0 : publish_delay, learned);
}

/** The platform aggregates for up to ten minutes; one that is further behind is not as it should be. */
export const LONGEST_LAG_MS = 10 * MINUTE_MS;

/** Returns the usual lag (ms) of the newest buckets behind the clock: the least of the last half an hour; 0 before any. */
function usualLag({ lags }: Pick<MetricMemory, 'lags'>): number {
  if (lags.length === 0) return 0;
  return lags.reduce((least, { ms }) => Math.min(least, ms), LONGEST_LAG_MS);
}

/** From how many restatements on their share is trusted. */
const ENOUGH_RESTATEMENTS = 1_000;

/** Young buckets are lower bounds where at least this share of the restatements went upwards. */
const LEAST_SHARE = 0.999;

/** Share (0 to 1) of the last day's restatements that went upwards; undefined before enough were seen. */
export function upwardShare(known: MetricMemory, now: number): number | undefined {
  const { up, down } = restatedWithin(known, MEMORY_HOURS, now);
  return up + down < ENOUGH_RESTATEMENTS ? undefined : up / (up + down);
}

/** Returns true if a young bucket is a lower bound, by the last day and by the last hour, so that a change shows at once. */
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
