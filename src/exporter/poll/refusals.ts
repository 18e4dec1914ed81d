import { z } from 'zod';
import { unlessAborted } from '../clock.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { FAILURE_OUTCOMES, PlatformFailure } from '../platform/read.ts';
import type { StateEntry, StateKey } from '../state/state.ts';

/** A refusal of the platform, and until when not to ask again. Jobs remember it, and the state keeps it. */
export interface Refusal {
  readonly failure: PlatformFailure;
  /** Platform ms. */
  readonly until: number;
  /** Consecutive refusals. */
  readonly times: number;
  /** Id of the access that was refused; undefined if it is not known. */
  readonly of?: string | undefined;
}

const MINUTE_MS = 60_000;

/** A missing permission is checked again after this time, and what does not exist at least as often. */
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

/** Jobs that are usually read ask again within this time: an outage must not last longer here than on the platform. */
const LONGEST_IF_USUAL_MS = 8 * MINUTE_MS;

/** A wait ends this much (ms) early, so that the poll that is due just then is not left out. */
const EARLY_MS = MINUTE_MS / 2;

/**
 * The refusal that a failure at `now` (platform ms) is, given the one before: a missing permission waits for an hour,
 * what does not exist for 1 minute, then 2, and so on up to an hour. Undefined for other failures, and for
 * answers that are not the platform's.
 * @param isUsual whether it is usually read: then neither waits for longer than 8 minutes
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
 * Returns true if a refusal still stands at `now` (platform ms): asking again would waste an operation.
 * @param access id of the access that would ask; the refusal of another does not count
 */
export function stands(refusal: Refusal | undefined, now: number, access?: string): refusal is Refusal {
  if (refusal === undefined || !isOf(refusal, access)) return false;
  // Further ahead: it dates from before the platform's clock was set back.
  return now < refusal.until && refusal.until <= now + LONGEST_WAIT_MS;
}

/** Returns true if the access was refused. An unknown access, as before the token is read, is taken to be the same. */
function isOf(refusal: Refusal, access: string | undefined): boolean {
  return (refusal.of ?? access) === (access ?? refusal.of);
}

/** Key of a job's refusal in the state, from the key of its counters or settings. */
export function refusalKey([, ...rest]: StateKey): StateKey {
  return ['refused', ...rest];
}

/** Returns the entries to commit when a refusal replaces another; none if it is the same. */
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

/** The refusal that the state holds; undefined where it holds none, or something else. */
export function restoreRefusal(stored: unknown): Refusal | undefined {
  if (stored === undefined) return undefined;
  const { data } = storedRefusal.safeParse(stored);
  if (data === undefined) return undefined;
  const { outcome, reason, status, until, times, of } = data;
  return { failure: new PlatformFailure(outcome, reason, status ?? undefined), until, times, of };
}

/** Access to the platform: an address with a token or a user. */
export interface Access {
  /** Tells it from any other; undefined until a token is read. */
  id(): string | undefined;
  /** Reads the token, so that it is known. Never rejects. */
  look(): Promise<void>;
}

/** Asking party. */
export interface Asker {
  readonly platformClock: Pick<PlatformClock, 'now'>;
  /** The one in use; without it refusals stand whoever was refused. */
  readonly access?: Access | undefined;
}

/** Refusals of a job, with the access that it has by now. */
export class Refusals {
  readonly #asker: Asker;
  /** The access of the read under way: when the answer comes it may be another. */
  #askedWith: string | undefined;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** A read begins. @throws PlatformFailure what was refused before, while that stands */
  async begin(before: Refusal | undefined, signal: AbortSignal): Promise<void> {
    const { access } = this.#asker;
    // The first poll after a start reads the token. It must be known first if that is another one than before.
    if (before !== undefined && access !== undefined && access.id() === undefined)
      await unlessAborted(access.look(), signal);
    if (this.stand(before)) throw before.failure;
    this.#askedWith = access?.id();
  }

  stand(refusal: Refusal | undefined): refusal is Refusal {
    return stands(refusal, this.#asker.platformClock.now(), this.#access);
  }

  /** The refusal that the failure of the read is; undefined where it is none. @param isUsual as of {@link refusalOf} */
  of(failure: PlatformFailure, before?: Refusal, isUsual = false): Refusal | undefined {
    const askedWith = this.#askedWith ?? this.#access;
    return refusalOf(failure, before, this.#asker.platformClock.now(), askedWith, isUsual);
  }

  get #access(): string | undefined {
    return this.#asker.access?.id();
  }
}
