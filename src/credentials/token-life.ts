import { parseTimestamp } from '../platform/timestamp.ts';

/** The only lifetime that the specification shows (section 5), taken when the platform gives none. */
const ASSUMED_LIFETIME_MS = 24 * 3_600_000;
/** A token that lives shorter would be created anew all the time; if it really does, the platform refuses it. */
const SHORTEST_LIFETIME_MS = 60_000;
/** Late enough not to waste tokens, early enough to try several times. */
const RENEWED_AFTER_SHARE = 0.85;

export interface TokenLife {
  /** When to create the next one, and when this one runs out: milliseconds since the epoch, local clock. */
  readonly renewAt: number;
  readonly expiresAt: number;
  /** Whether the platform gave no usable expiry, so that 24 h were assumed. */
  readonly assumed: boolean;
}

/** What a created token's times are made of; the texts are as the platform sent them (section 2.1). */
export interface TokenTimes {
  readonly createdAt: unknown;
  readonly expiresAt: unknown;
  /** When the answer came, local clock, and what its `Date` header said. */
  readonly receivedAt: number;
  readonly serverDate: number | undefined;
}

/**
 * How long a token serves by the local clock, however far that is off: the platform's times are only compared
 * with each other.
 */
export function lifeOf({ createdAt, expiresAt, receivedAt, serverDate }: TokenTimes): TokenLife {
  const end = timeOf(expiresAt);
  const start = timeOf(createdAt) ?? serverDate ?? receivedAt;
  const stated = end === undefined || end <= start ? undefined : end - start;
  const lifetime = Math.max(stated ?? ASSUMED_LIFETIME_MS, SHORTEST_LIFETIME_MS);
  return {
    renewAt: receivedAt + lifetime * RENEWED_AFTER_SHARE,
    expiresAt: receivedAt + lifetime,
    assumed: stated === undefined,
  };
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}
