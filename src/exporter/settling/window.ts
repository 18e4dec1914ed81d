/** A span of platform time, [from, to), both in milliseconds since the epoch and on whole UTC minutes. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const MINUTE_MS = 60_000;

/** The longest window that the platform still answers with its finest buckets. */
export const FINEST_WINDOW_MS = 60 * MINUTE_MS;

/** How much further back than the settling horizon a fresh window reaches, so that late changes are still seen. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** How much before missing buckets a window begins: rows before them show that the platform is well. */
const LEAD_MS = 5 * MINUTE_MS;

/** What is lacking may have become a part of a bucket as wide as this (ms), which the window must not cut. */
const WIDER_MS = 10 * MINUTE_MS;

export interface FreshNeeds {
  /** The platform's time. */
  readonly now: number;
  /** Up to which age (ms) buckets may still change. */
  readonly horizon: number;
  /** The bucket width seen last; windows start on a multiple of it so that no bucket is cut. */
  readonly width: number;
  /** The start of the platform's newest bucket, as far as it is known. */
  readonly newest: number | undefined;
  /** Where what the counters lack begins, as times (platform ms). */
  readonly lacking: readonly number[];
  /** Answers in a row whose buckets' width was in doubt. */
  readonly doubtful: number;
}

/**
 * The window that brings the newest buckets, up to the last whole minute. It begins before the settling horizon of the newest
 * bucket that is known, or earlier where the counters lack something within an hour; it is a whole hour where none is known. While the
 * width is in doubt each window begins at another minute: a platform that loses every second row then returns other rows.
 */
export function freshWindow({ now, horizon, width, newest, lacking, doubtful }: FreshNeeds): Window {
  const step = alignment(width);
  const to = floorTo(now, MINUTE_MS);
  if (doubtful > 0) return { from: to - FINEST_WINDOW_MS + ((doubtful * MINUTE_MS) % LEAD_MS), to };
  const earliest = ceilTo(to - FINEST_WINDOW_MS, step);
  if (newest === undefined || newest > now + MINUTE_MS) return { from: earliest, to };
  const usual = floorTo(to - horizon - OVERLAP_MS, step);
  let from = newest >= usual ? usual : floorTo(newest - horizon - OVERLAP_MS, step);
  const whole = Math.max(step, WIDER_MS);
  for (const time of lacking) if (time >= earliest) from = Math.min(from, floorTo(time, whole));
  return { from: Math.max(earliest, from), to };
}

/**
 * The window of a past read, as long as the platform's finest.
 * @param time where what is asked for begins
 * @param attempt each begins at another minute shortly before it; undefined where nothing is to be seen there
 */
export function catchUpWindow(time: number, now: number, width: number, attempt: number | undefined): Window {
  const step = alignment(width);
  const before = attempt === undefined ? 0 : LEAD_MS + ((attempt * MINUTE_MS) % LEAD_MS);
  const lead = Math.min(before, FINEST_WINDOW_MS - step);
  const from = floorTo(time - lead, step);
  return { from, to: Math.min(from + FINEST_WINDOW_MS, floorTo(now, MINUTE_MS)) };
}

/** How far back the platform's history reaches (the longest duration of section 4.12). */
export const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/**
 * The window of a coarse read: up to the present, in whatever width the platform answers so long a window with. It
 * begins well before the time that is asked for, so that it has enough rows to show their width.
 */
export function coarseWindow(time: number, now: number): Window {
  const to = floorTo(now, MINUTE_MS);
  const from = Math.max(time - (to - time) / 4, Math.min(time, to - HISTORY_MS));
  return { from: floorTo(from, MINUTE_MS), to };
}

/** The window of a coarse read of the day around a time: its buckets are of half an hour or so. */
export function dayAround(time: number, now: number): Window {
  const half = 12 * 60 * MINUTE_MS;
  return { from: floorTo(time - half, MINUTE_MS), to: floorTo(Math.min(time + half, now), MINUTE_MS) };
}

/** Whether a window is so long that its buckets are wide. */
export function isCoarse({ from, to }: Window): boolean {
  return to - from > FINEST_WINDOW_MS;
}

/** The window as the query parameters of section 4.12, in UTC. */
export function windowQuery({ from, to }: Window): { date_from: string; date_to: string } {
  return { date_from: minuteText(from), date_to: minuteText(to) };
}

/** Windows are whole minutes, and do not cut a bucket where buckets are longer (up to the finest window). */
function alignment(width: number): number {
  return Math.min(Math.max(width, MINUTE_MS), FINEST_WINDOW_MS);
}

function minuteText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}

function floorTo(time: number, step: number): number {
  return Math.floor(time / step) * step;
}

function ceilTo(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
