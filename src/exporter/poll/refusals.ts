import { z } from 'zod';
import { unlessAborted } from '../clock.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { FAILURE_OUTCOMES, PlatformFailure } from '../platform/read.ts';
import type { StateEntry, StateKey } from '../state/state.ts';

/** Refusal by the platform, and the end of the wait before the next request. Jobs remember it, and the state stores it. */
export interface Refusal {
  readonly failure: PlatformFailure;
  /** Time (platform ms) at which the refusal ends. */
  readonly until: number;
  /** Number of consecutive refusals. */
  readonly times: number;
  /** Id of the access that was refused; undefined if it is unknown. */
  readonly of?: string | undefined;
}

const MINUTE_MS = 60_000;

/** Longest wait (ms) before a refused request is repeated. */
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

/** Longest wait (ms) of jobs that usually succeed, so that the exporter does not prolong an outage of the platform. */
const LONGEST_IF_USUAL_MS = 8 * MINUTE_MS;

/** Time (ms) by which a wait is shortened, so that it ends before the poll that is due at that time. */
const EARLY_MS = MINUTE_MS / 2;

/**
 * Returns the refusal that a failure amounts to, given the former one. A missing permission waits for an hour; a 404 waits for 1
 * minute, then 2, and so on up to an hour. Undefined for other failures, and for answers of other servers.
 * @param now platform ms
 * @param isUsual true for a job that usually succeeds: it waits for at most 8 minutes
 */
export function refusalOf(
  failure: PlatformFailure,
  before: Refusal | undefined,
  now: number,
  access?: string,
  isUsual = false,
): Refusal | undefined {
  const { outcome } = failure;
  if (foreignAnswerOf(failure) !== undefined) return undefined;
  if (outcome !== 'forbidden' && outcome !== 'not_found') return undefined;
  const isAgain = before?.failure.outcome === outcome && isOf(before, access);
  const times = isAgain ? before.times + 1 : 1;
  const wait = outcome === 'forbidden' ? LONGEST_WAIT_MS : MINUTE_MS * 2 ** Math.min(times - 1, 10);
  const longest = isUsual ? LONGEST_IF_USUAL_MS : LONGEST_WAIT_MS;
  return {
    failure,
    until: now + Math.min(longest, wait) - EARLY_MS,
    times,
    ...(access !== undefined && { of: access }),
  };
}

/**
 * Returns true if a refusal is in force at `now` (platform ms), so that a request would waste an operation.
 * @param access id of the access in use; a refusal of another access is not in force
 */
export function stands(refusal: Refusal | undefined, now: number, access?: string): refusal is Refusal {
  if (refusal === undefined || !isOf(refusal, access)) return false;
  // A refusal that ends later than the longest wait predates a step back of the platform's clock.
  return now < refusal.until && refusal.until <= now + LONGEST_WAIT_MS;
}

/** Returns true if the access was refused. An unknown access, as before the token is read, counts as the same. */
function isOf(refusal: Refusal, access: string | undefined): boolean {
  return (refusal.of ?? access) === (access ?? refusal.of);
}

/** Returns the key of a job's refusal in the state, from the key of its counters or settings. */
export function refusalKey([, ...rest]: StateKey): StateKey {
  return ['refused', ...rest];
}

/** Returns the entries to commit when one refusal replaces another; none if it is the same. */
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
  of: z.string().optional(),
});

function storeRefusal({ failure, until, times, of }: Refusal): z.input<typeof storedRefusal> {
  const { outcome, message: reason, status = null } = failure;
  return {
    outcome,
    reason,
    status,
    until,
    times,
    ...(of !== undefined && { of }),
  };
}

/** Returns the refusal in the state; undefined if there is none, or if it is invalid. */
export function restoreRefusal(stored: unknown): Refusal | undefined {
  if (stored === undefined) return undefined;
  const { data } = storedRefusal.safeParse(stored);
  if (data === undefined) return undefined;
  const { outcome, reason, status, until, times, of } = data;
  return { failure: new PlatformFailure(outcome, reason, status ?? undefined), until, times, of };
}

/** Access to the platform: an address with a token or a user. */
export interface Access {
  /** Returns the id of the access; undefined until a token is read. */
  id(): string | undefined;
  /** Reads the token, so that the id is known. Never rejects. */
  look(): Promise<void>;
}

/** Client that may be refused. */
export interface Asker {
  readonly platformClock: Pick<PlatformClock, 'now'>;
  /** Access in use; if it is undefined, a refusal applies to every access. */
  readonly access?: Access | undefined;
}

/** Refusals of a job, for its current access. */
export class Refusals {
  readonly #asker: Asker;
  /** Id of the access of the read in progress; it may have changed when the answer comes. */
  #askedWith: string | undefined;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** Begins a read. @throws PlatformFailure of the former refusal, while it is in force */
  async begin(before: Refusal | undefined, signal: AbortSignal): Promise<void> {
    const { access } = this.#asker;
    // The first poll after a start reads the token, which decides if a stored refusal applies.
    if (before !== undefined && access !== undefined && access.id() === undefined)
      await unlessAborted(access.look(), signal);
    if (this.stand(before)) throw before.failure;
    this.#askedWith = access?.id();
  }

  stand(refusal: Refusal | undefined): refusal is Refusal {
    return stands(refusal, this.#asker.platformClock.now(), this.#access);
  }

  /** Returns the refusal that a failed read amounts to; undefined for none. @param isUsual as for {@link refusalOf} */
  of(failure: PlatformFailure, before?: Refusal, isUsual = false): Refusal | undefined {
    const askedWith = this.#askedWith ?? this.#access;
    return refusalOf(failure, before, this.#asker.platformClock.now(), askedWith, isUsual);
  }

  get #access(): string | undefined {
    return this.#asker.access?.id();
  }
}
