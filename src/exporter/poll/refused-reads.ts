import { z } from 'zod';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { FAILURE_OUTCOMES, PlatformFailure } from '../platform/read.ts';
import type { StateEntry, StateKey } from '../state/state.ts';

/** A refusal of the platform, and until when not to ask again. Jobs remember it, and the state keeps it. */
export interface Refusal {
  readonly failure: PlatformFailure;
  /** Platform ms. */
  readonly until: number;
  /** How often in a row it was refused. */
  readonly times: number;
  /** The group of operations that was refused, where a job may read by another one as well. */
  readonly by?: string | undefined;
}

const MINUTE_MS = 60_000;

/** A missing permission is checked again after this time, and what does not exist at least as often. */
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

/** A wait ends this much (ms) early, so that the poll that is due just then is not left out. */
const EARLY_MS = MINUTE_MS / 2;

/**
 * The refusal that a failure at `now` (platform ms) is, given the one before: a missing permission waits for an hour,
 * what does not exist for 1 minute, then 2, and so on up to an hour. Undefined for other failures, and for
 * answers that are not the platform's.
 */
export function refusalOf(
  failure: PlatformFailure,
  before: Refusal | undefined,
  now: number,
): Refusal | undefined {
  const { outcome } = failure;
  if (foreignAnswerOf(failure) !== undefined) return undefined;
  if (outcome !== 'forbidden' && outcome !== 'not_found') return undefined;
  const times = before?.failure.outcome === outcome ? before.times + 1 : 1;
  const wait = outcome === 'forbidden' ? LONGEST_WAIT_MS : MINUTE_MS * 2 ** Math.min(times - 1, 10);
  return { failure, until: now + Math.min(LONGEST_WAIT_MS, wait) - EARLY_MS, times };
}

/** Whether a refusal still stands at `now` (platform ms): asking again would waste an operation. */
export function stands(refusal: Refusal | undefined, now: number): refusal is Refusal {
  // Further ahead: it dates from before the platform's clock was set back.
  return refusal !== undefined && now < refusal.until && refusal.until <= now + LONGEST_WAIT_MS;
}

/** Key of a job's refusal in the state, from the key of its counters or settings. */
export function refusalKey([, ...rest]: StateKey): StateKey {
  return ['refused', ...rest];
}

/** What to commit when a refusal replaces another; nothing if it is the same. */
export function refusalEntries(
  key: StateKey,
  before: Refusal | undefined,
  after: Refusal | undefined,
): StateEntry[] {
  return before === after ? [] : [{ key, value: after && storeRefusal(after) }];
}

const storedRefusal = z.strictObject({
  outcome: z.enum(FAILURE_OUTCOMES),
  reason: z.string(),
  status: z.number().nullable(),
  until: z.number(),
  times: z.int().positive(),
  by: z.string().optional(),
});

function storeRefusal({ failure, until, times, by }: Refusal): z.input<typeof storedRefusal> {
  const { outcome, message: reason, status = null } = failure;
  return { outcome, reason, status, until, times, ...(by !== undefined && { by }) };
}

/** The refusal that the state holds; undefined where it holds none, or something else. */
export function restoreRefusal(stored: unknown): Refusal | undefined {
  if (stored === undefined) return undefined;
  const { data } = storedRefusal.safeParse(stored);
  if (data === undefined) return undefined;
  const { outcome, reason, status, until, times, by } = data;
  return { failure: new PlatformFailure(outcome, reason, status ?? undefined), until, times, by };
}
