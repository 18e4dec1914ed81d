/** When an exchange left, when its answer came (local ms), and what its `Date` header said (platform ms, whole seconds). */
export interface ClockReading {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverDate: number;
}

/** `Date` has a resolution of one second: the platform's time was somewhere in that second. */
const DATE_RESOLUTION_MS = 1_000;

/** How fast two clocks may drift apart (200 ms an hour is a bad quartz), so that an old bound does not bind for ever. */
const DRIFT = 5e-5;

const MINUTE_MS = 60_000;

/**
 * The platform's time according to its `Date` headers; until the first answer, the machine's clock.
 *
 * Each answer bounds the skew (platform minus local) to an interval as wide as the round trip plus the header's
 * second. Since answers fall at different places within a second, the intersection of the intervals soon narrows
 * to about a round trip.
 */
export class PlatformClock {
  readonly #localNow: () => number;
  readonly #wall: () => number;
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  #boundedAt = 0;

  /** @param localNow steady local time; `wall` what the machine's clock shows */
  constructor(localNow: () => number, wall = localNow) {
    this.#localNow = localNow;
    this.#wall = wall;
  }

  /** Takes in one answer. An answer that contradicts the earlier ones (a clock was set) replaces them. */
  observe({ sentAt, receivedAt, serverDate }: ClockReading): void {
    if (!Number.isFinite(serverDate)) return;
    const widening = this.known ? Math.max(0, receivedAt - this.#boundedAt) * DRIFT : 0;
    const low = serverDate - receivedAt;
    const high = serverDate + DATE_RESOLUTION_MS - sentAt;
    const narrowedLow = Math.max(low, this.#low - widening);
    const narrowedHigh = Math.min(high, this.#high + widening);
    const agrees = narrowedLow <= narrowedHigh;
    this.#low = agrees ? narrowedLow : low;
    this.#high = agrees ? narrowedHigh : high;
    this.#boundedAt = receivedAt;
  }

  /** Whether any answer has told the platform's time yet. */
  get known(): boolean {
    return this.#low !== Number.NEGATIVE_INFINITY;
  }

  /** Platform time minus local time, in milliseconds. */
  get skewMs(): number {
    return this.known ? (this.#low + this.#high) / 2 : this.#wallMs;
  }

  /** Platform time minus what the machine's clock shows, in milliseconds; 0 until an answer told. */
  get wallSkewMs(): number {
    return this.skewMs - this.#wallMs;
  }

  /** The local time, in milliseconds since the epoch. */
  localNow(): number {
    return this.#localNow();
  }

  /** The platform's time now, in milliseconds since the epoch. */
  now(): number {
    return this.#localNow() + this.skewMs;
  }

  /** The local time at which the platform's clock shows `platformTime` at the latest. */
  latestLocal(platformTime: number): number {
    return platformTime - this.#leastSkewMs;
  }

  /** The first local time after `local` at which the platform's clock shows a whole minute, at the latest. */
  nextMinute(local: number): number {
    const skew = this.#leastSkewMs;
    return (Math.floor((local + skew) / MINUTE_MS) + 1) * MINUTE_MS - skew;
  }

  get #leastSkewMs(): number {
    return this.known ? this.#low : this.#wallMs;
  }

  /** What the machine's clock shows minus local time, in milliseconds. */
  get #wallMs(): number {
    return this.#wall() - this.#localNow();
  }
}
