/** A span of platform time, [from, to), both in milliseconds since the epoch and on whole UTC minutes. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const MINUTE_MS = 60_000;

/** The longest window that the platform still answers with its finest buckets. */
export const FINEST_WINDOW_MS = 60 * MINUTE_MS;

/** The shortest window of the past: so many buckets show their width, and short windows cost as much as long ones. */
const LEAST_WINDOW_MS = 20 * MINUTE_MS;

/** Less than this is not worth an operation: it is a matter of buckets that settle when fresh windows have passed them. */
const LEAST_STEP_MS = 10 * MINUTE_MS;

/** How much further back than the settling horizon a fresh window reaches, so that late changes are still seen. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** How far from the present a window that was to reach it may end: the answer took its time. */
const PRESENT_MS = 5 * MINUTE_MS;

export interface WindowNeeds {
  /** The platform's time. */
  readonly now: number;
  /** Up to where the counters have counted, or undefined before the first answer. */
  readonly watermark: number | undefined;
  /** The bucket width seen last; windows start on a multiple of it so that no bucket is cut. */
  readonly width: number;
  readonly settleDelay: number;
}

/**
 * The window that brings the newest buckets: from before the settling horizon, or from the counters' watermark where
 * that still fits into one finest window, to the last whole minute.
 */
export function freshWindow({ now, watermark, width, settleDelay }: WindowNeeds): Window {
  const step = alignment(width);
  const to = floorTo(now, MINUTE_MS);
  const earliest = ceilTo(to - FINEST_WINDOW_MS, step);
  const usual = floorTo(to - settleDelay - OVERLAP_MS, step);
  const wanted =
    watermark !== undefined && watermark >= earliest ? Math.min(usual, floorTo(watermark, step)) : usual;
  return { from: Math.max(earliest, wanted), to };
}

/**
 * The oldest window that the counters still lack and no fresh window brings, or undefined when there is none or
 * its buckets have not settled.
 */
export function catchUpWindow(needs: WindowNeeds): Window | undefined {
  const { now, watermark, width, settleDelay } = needs;
  const fresh = freshWindow(needs);
  if (watermark === undefined || watermark >= fresh.from) return undefined;
  const step = alignment(width);
  const from = floorTo(watermark, step);
  const settled = floorTo(now - settleDelay, step);
  const to = Math.min(from + FINEST_WINDOW_MS, fresh.from, settled);
  if (to - from < LEAST_STEP_MS) return undefined;
  return { from, to: Math.max(to, Math.min(from + LEAST_WINDOW_MS, fresh.to)) };
}

/**
 * The window of a coarse read: all from the counters' watermark to the present, in whatever width the platform answers so
 * long a window with. Undefined where there is nothing to catch up, or no more than a usual window brings.
 */
export function coarseWindow(needs: WindowNeeds): Window | undefined {
  const from = catchUpWindow(needs)?.from;
  const { to } = freshWindow(needs);
  return from === undefined || !isCoarse({ from, to }) ? undefined : { from, to };
}

/** Whether a window is so long that its buckets are wide. */
export function isCoarse({ from, to }: Window): boolean {
  return to - from > FINEST_WINDOW_MS;
}

/** Whether a window reaches up to the present, so that its newest bucket is the platform's. */
export function reachesPresent({ to }: Window, now: number): boolean {
  return to > now - PRESENT_MS;
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
