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

/** An answer whose time is off by less than this (ms) is believed at once: no bucket settles or is missed for it. */
const SMALL_JUMP_MS = 30_000;

/** A greater jump is believed once all answers have agreed on it for so long (ms). */
const CONFIRMED_AFTER_MS = 10 * MINUTE_MS;

/** An answer whose time contradicts the platform's as it has steadily run on. */
export interface ClockContradiction {
  /** By how much it is ahead (ms); negative where it is behind. */
  readonly aheadMs: number;
  /** Whether it is the platform's time from now on. */
  readonly isBelieved: boolean;
}

/** Between which bounds the platform's time minus local time lies (ms). */
interface SkewBounds {
  readonly low: number;
  readonly high: number;
  /** When the latest answer narrowed them (local ms). */
  readonly at: number;
}

/**
 * The platform's time according to its `Date` headers; until the first answer, the machine's clock. A node of the
 * platform may have another time: one whose clock is ahead would have buckets counted that are still to come. So time
 * runs on steadily, and a jump is believed where all answers agree on it for ten minutes, or where the machine's clock
 * has made it too, as after a suspension. In the first ten minutes the time that is nearer to the machine's is believed at
 * once, and nothing later than the machine's is certain: the first answers may all be of such a node.
 *
 * Each answer bounds the skew (platform minus local) to an interval as wide as the round trip plus the header's
 * second. Since answers fall at different places within a second, the intersection of the intervals soon narrows
 * to about a round trip.
 */
export class PlatformClock {
  readonly #localNow: () => number;
  readonly #wall: () => number;
  #bounds: SkewBounds | undefined;
  /** What the machine's clock showed minus local time (ms) when an answer was believed last. */
  #agreedWallMs = 0;
  /** When the first answer came (local ms). */
  #knownSince = 0;
  /** What the answers since a jump agree on, and when the first of them came (local ms). */
  #jump: { readonly bounds: SkewBounds; readonly since: number } | undefined;

  /** @param localNow steady local time; `wall` what the machine's clock shows */
  constructor(localNow: () => number, wall = localNow) {
    this.#localNow = localNow;
    this.#wall = wall;
  }

  /** Takes in one answer. @returns how far it contradicts the platform's time; undefined where it agrees */
  observe(reading: ClockReading): ClockContradiction | undefined {
    if (!Number.isFinite(reading.serverDate)) return undefined;
    const shown = boundsOf(reading);
    if (this.#bounds === undefined) this.#knownSince = reading.receivedAt;
    const agreed = this.#bounds === undefined ? shown : narrowed(this.#bounds, shown);
    if (agreed !== undefined) {
      this.#agree(agreed);
      return undefined;
    }
    const aheadMs = middle(shown) - this.skewMs;
    const jump = this.#jump && narrowed(this.#jump.bounds, shown);
    this.#jump = { bounds: jump ?? shown, since: (jump && this.#jump?.since) ?? shown.at };
    const isBelieved = this.#believes(this.#jump, aheadMs);
    if (isBelieved) this.#agree(this.#jump.bounds);
    return Math.abs(aheadMs) < SMALL_JUMP_MS ? undefined : { aheadMs, isBelieved };
  }

  #agree(bounds: SkewBounds): void {
    this.#bounds = bounds;
    this.#jump = undefined;
    this.#agreedWallMs = this.#wallMs;
  }

  #believes({ bounds, since }: { bounds: SkewBounds; since: number }, aheadMs: number): boolean {
    if (Math.abs(aheadMs) < SMALL_JUMP_MS || bounds.at - since >= CONFIRMED_AFTER_MS) return true;
    const isNearer = Math.abs(this.wallSkewMs + aheadMs) < Math.abs(this.wallSkewMs);
    if (isNearer && bounds.at - this.#knownSince < CONFIRMED_AFTER_MS) return true;
    return Math.abs(this.#wallMs - this.#agreedWallMs - aheadMs) < SMALL_JUMP_MS;
  }

  /** Whether any answer has had the platform's time yet. */
  get known(): boolean {
    return this.#bounds !== undefined;
  }

  /** Platform time minus local time, in milliseconds. */
  get skewMs(): number {
    return this.#bounds === undefined ? this.#wallMs : middle(this.#bounds);
  }

  /** Platform time minus what the machine's clock shows, in milliseconds; 0 until an answer has it. */
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

  /** What time it is at least, on the platform: no answer can have buckets counted that begin later. */
  certainNow(): number {
    const isConfirmed = Number(this.#bounds?.at) - this.#knownSince >= CONFIRMED_AFTER_MS;
    const isAhead = this.wallSkewMs >= SMALL_JUMP_MS;
    return isAhead && !isConfirmed ? this.#wall() : this.now();
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
    return this.#bounds?.low ?? this.#wallMs;
  }

  /** What the machine's clock shows minus local time, in milliseconds. */
  get #wallMs(): number {
    return this.#wall() - this.#localNow();
  }
}

/** Between what the platform's time minus local time was when an answer came. */
function boundsOf({ sentAt, receivedAt, serverDate }: ClockReading): SkewBounds {
  return { low: serverDate - receivedAt, high: serverDate + DATE_RESOLUTION_MS - sentAt, at: receivedAt };
}

/** What two answers show together, the later of which is `shown`; undefined where they contradict each other. */
function narrowed(before: SkewBounds, shown: SkewBounds): SkewBounds | undefined {
  const widening = Math.max(0, shown.at - before.at) * DRIFT;
  const low = Math.max(shown.low, before.low - widening);
  const high = Math.min(shown.high, before.high + widening);
  return low <= high ? { low, high, at: shown.at } : undefined;
}

function middle({ low, high }: SkewBounds): number {
  return (low + high) / 2;
}
