import {
  freshWindow,
  hourBefore,
  hourFrom,
  MINUTE_MS,
  shiftedHour,
  type Window,
} from '../settling/window.ts';
import { type Hole, rereadAt } from './counting.ts';
import { countersIn, type HasCounter, type Ledger, usualWidth } from './ledger.ts';

/** Read of the past, and the time (platform ms) from which it is worth an operation. */
export interface PastRead {
  readonly window: Window;
  readonly at: number;
}

interface WindowNeeds {
  /** Age (ms) up to which buckets may still change. */
  readonly horizon: number;
  /** Start of the newest bucket (platform ms) that a first read assumes; undefined to read an hour. */
  readonly expected: number | undefined;
  /** True if a longer window takes no more operations. */
  readonly isFree: boolean;
}

/** Returns the window with the newest buckets: a whole hour if a hole in it is due for a reread. */
export function presentWindow(
  ledger: Ledger,
  counts: HasCounter,
  now: number,
  { horizon, expected, isFree }: WindowNeeds,
): Window {
  const { newest = expected, dimensions } = ledger;
  const hour = hourBefore(now);
  let answers = 0;
  for (const { doubt } of dimensions.values()) answers = Math.max(answers, doubt?.answers ?? 0);
  // A platform that loses every second row returns the other rows for a window that begins at another minute.
  if (answers > 0) return shiftedHour(now, answers);
  if (newest === undefined) return hour;
  let due = Number.POSITIVE_INFINITY;
  for (const { watermark, holes } of countersIn(dimensions, counts)) {
    if (watermark >= hour.from) due = Math.min(due, watermark);
    for (const hole of holes) if (hole.to > hour.from && (isFree || rereadAt(hole) <= now)) return hour;
  }
  return freshWindow({ now, horizon, width: usualWidth(ledger) ?? 0, newest, due });
}

/** Length (ms) below which an unread hole waits for the same time before it is worth an operation. */
const LEAST_STEP_MS = 10 * MINUTE_MS;

/**
 * Returns the next read beyond the windows of the present: the oldest due hole, or the one due next; undefined for none.
 * @param settle age (ms) at which buckets have settled
 */
export function pastRead(
  ledger: Ledger,
  counts: HasCounter,
  now: number,
  settle: number,
): PastRead | undefined {
  // The settled time is unknown before an answer of the present.
  if (ledger.newest === undefined) return undefined;
  const { from: hour } = hourBefore(now);
  let next: Candidate | undefined;
  for (const { holes } of countersIn(ledger.dimensions, counts)) {
    for (const hole of holes) {
      if (hole.from >= hour) break;
      const isShort = hole.since === 0 && hole.to - hole.from < LEAST_STEP_MS;
      const at = isShort ? hole.from + settle + LEAST_STEP_MS : rereadAt(hole);
      if (next === undefined || isSooner({ hole, at }, next, now)) next = { hole, at };
    }
  }
  if (next === undefined) return undefined;
  return { window: hourFrom(next.hole.from, now, usualWidth(ledger) ?? 0), at: next.at };
}

interface Candidate {
  readonly hole: Hole;
  readonly at: number;
}

function isSooner(one: Candidate, other: Candidate, now: number): boolean {
  const [sooner, later] = [Math.max(now, one.at), Math.max(now, other.at)];
  return sooner < later || (sooner === later && one.hole.from < other.hole.from);
}

/** Returns the time (platform ms) up to which all counters are complete; undefined before anything is counted. */
export function countedUntil(ledger: Ledger, counts: HasCounter): number | undefined {
  let until: number | undefined;
  for (const { watermark, holes } of countersIn(ledger.dimensions, counts)) {
    const mine = holes[0]?.from ?? watermark;
    until = Math.min(until ?? mine, mine);
  }
  return until;
}
