/** Span of platform time, [from, to), both in milliseconds since the epoch and on whole UTC minutes. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const MINUTE_MS = 60_000;

/** Length (ms) of the longest window that the platform answers with its finest buckets. */
export const FINEST_WINDOW_MS = 60 * MINUTE_MS;

/** Time (ms) by which a window of the present extends beyond the settling horizon, to detect late changes. */
const OVERLAP_MS = 5 * MINUTE_MS;

export interface FreshNeeds {
  /** Platform's time (ms). */
  readonly now: number;
  /** Age (ms) up to which buckets may still change. */
  readonly horizon: number;
  /** Bucket width (ms). Windows start on a multiple of it, so that no bucket is cut. */
  readonly width: number;
  /** Start of the platform's newest bucket (platform ms). */
  readonly newest: number;
  /** Start of the time that is still to be counted (platform ms). */
  readonly due: number;
}

/**
 * Returns the window of the newest buckets, up to the last whole minute. It begins before the settling horizon of the newest
 * bucket, or earlier if time within the last hour is still to be counted.
 */
export function freshWindow({ now, horizon, width, newest, due }: FreshNeeds): Window {
  const hour = hourBefore(now);
  // A newest bucket in the future predates a step back of the platform's clock.
  if (newest > now + MINUTE_MS) return hour;
  const step = alignment(width);
  const usual = floorTo(hour.to - horizon - OVERLAP_MS, step);
  const behind = newest >= usual ? usual : floorTo(newest - horizon - OVERLAP_MS, step);
  const from = Math.min(behind, floorTo(due - OVERLAP_MS, step));
  return { from: Math.max(ceilTo(hour.from, step), from), to: hour.to };
}

/** Returns the last hour. */
export function hourBefore(now: number): Window {
  const to = floorTo(now, MINUTE_MS);
  return { from: to - FINEST_WINDOW_MS, to };
}

/** Range (ms) of the start minutes of shifted windows after the start of the hour. */
const SHIFT_MS = 10 * MINUTE_MS;

/**
 * Returns most of the last hour, from another start minute each turn. A platform that loses every second row then returns others.
 */
export function shiftedHour(now: number, turn: number): Window {
  const { from, to } = hourBefore(now);
  return { from: ceilTo(from, SHIFT_MS) + ((turn * MINUTE_MS) % SHIFT_MS), to };
}

/** Returns the hour that begins at a past time. */
export function hourFrom(time: number, now: number, width: number): Window {
  const from = floorTo(time, alignment(width));
  return { from, to: Math.min(from + FINEST_WINDOW_MS, floorTo(now, MINUTE_MS)) };
}

/** Length (ms) of the platform's history (the longest duration in section 4.12). */
export const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/** Returns true if a window is so long that the platform answers with wide buckets. */
export function isCoarse({ from, to }: Window): boolean {
  return to - from > FINEST_WINDOW_MS;
}

/** Returns the window as query parameters (section 4.12), in UTC. */
export function windowQuery({ from, to }: Window): { date_from: string; date_to: string } {
  return { date_from: minuteText(from), date_to: minuteText(to) };
}

/** Returns the alignment (ms) of windows: whole minutes, or whole buckets if these are wider, up to the finest window. */
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

/** Tolerance (ms) from the end of a window to the present, for the duration of the read. */
const PRESENT_MS = 5 * MINUTE_MS;

/** Returns true if a window reaches the present, so that its newest bucket is the platform's newest. */
export function reachesPresent({ to }: Window, now: number): boolean {
  return to > now - PRESENT_MS;
}
