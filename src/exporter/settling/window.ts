/** A span of platform time, [from, to), both in milliseconds since the epoch and on whole UTC minutes. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const MINUTE_MS = 60_000;

/** The longest window that the platform still answers with its finest buckets. */
export const FINEST_WINDOW_MS = 60 * MINUTE_MS;

/** A fresh window reaches this far (ms) behind the settling horizon, so that late changes are still seen. */
const OVERLAP_MS = 5 * MINUTE_MS;

export interface FreshNeeds {
  /** Platform's time. */
  readonly now: number;
  /** Age (ms) up to which buckets may still change. */
  readonly horizon: number;
  /** Bucket width (ms): windows start on a multiple of it, so that no bucket is cut. */
  readonly width: number;
  /** Start of the platform's newest bucket. */
  readonly newest: number;
  /** Start of the time that is still to be counted (platform ms). */
  readonly due: number;
}

/**
 * The window that brings the newest buckets, up to the last whole minute. It begins before the settling horizon of the newest
 * bucket, or earlier if something of the last hour is still to be counted.
 */
export function freshWindow({ now, horizon, width, newest, due }: FreshNeeds): Window {
  const hour = hourBefore(now);
  // A newest bucket in the future dates from before the platform's clock was set back.
  if (newest > now + MINUTE_MS) return hour;
  const step = alignment(width);
  const usual = floorTo(hour.to - horizon - OVERLAP_MS, step);
  const behind = newest >= usual ? usual : floorTo(newest - horizon - OVERLAP_MS, step);
  const from = Math.min(behind, floorTo(due - OVERLAP_MS, step));
  return { from: Math.max(ceilTo(hour.from, step), from), to: hour.to };
}

/** The last hour. */
export function hourBefore(now: number): Window {
  const to = floorTo(now, MINUTE_MS);
  return { from: to - FINEST_WINDOW_MS, to };
}

/** Windows that begin at different minutes; they begin within so long (ms) after the hour does. */
const SHIFT_MS = 10 * MINUTE_MS;

/** Most of the last hour. Each turn begins at another minute, so that a platform that loses every second row returns others. */
export function shiftedHour(now: number, turn: number): Window {
  const { from, to } = hourBefore(now);
  return { from: ceilTo(from, SHIFT_MS) + ((turn * MINUTE_MS) % SHIFT_MS), to };
}

/** The hour from a past time on. */
export function hourFrom(time: number, now: number, width: number): Window {
  const from = floorTo(time, alignment(width));
  return { from, to: Math.min(from + FINEST_WINDOW_MS, floorTo(now, MINUTE_MS)) };
}

/** Length (ms) of the platform's history (the longest duration of section 4.12). */
export const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/** Returns true if a window is so long that its buckets are wide. */
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

/** A window that ends within this time (ms) of the present reaches it: the answer took its time. */
const PRESENT_MS = 5 * MINUTE_MS;

/** True if a window reaches up to the present, so that its newest bucket is the platform's. */
export function reachesPresent({ to }: Window, now: number): boolean {
  return to > now - PRESENT_MS;
}
