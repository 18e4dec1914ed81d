/** Date, time, optional fraction and optional zone, as in the platform's headers and bodies. */
const FORM =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Returns the ms since the epoch of a timestamp in any of the platform's forms: `2018-06-07T01:22:42.811207` (no zone means UTC),
 * `2016-11-18T14:10:58.024903Z`, `2019-04-01 13:53:28.536782+00:00`. Truncates microseconds. Undefined for anything else, including
 * impossible dates.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = FORM.exec(text.trim());
  if (match === null) return undefined;
  const [, date = '', time = '', seconds = '00', fraction = '', zone] = match;
  // The engine turns 30 February into a day of March. A platform that sends such a date cannot be trusted with a time.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const instant = Date.parse(`${date}T${time}:${seconds}.${milliseconds}${isoZone(zone)}`);
  return Number.isNaN(instant) ? undefined : instant;
}

/**
 * Returns the ms since the epoch of an HTTP date (RFC 9110 section 5.6.7), as in `Date` and `Retry-After`. Undefined without GMT,
 * because the engine would assume the machine's zone.
 */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8}, \d.* GMT$/.test(text.trim())) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Response headers from an HTTP client; a repeated header is an array. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Quota in one response (section 8). Missing and invalid fields are absent. */
export interface RateLimit {
  /** Operations allowed per rate-limit window, at least 1. */
  readonly limit?: number;
  /** Operations still available in the window. */
  readonly remaining?: number;
  /** End of the window (ms since the epoch, platform's clock). */
  readonly resetAt?: number;
}

/** Maximum plausible number of operations per window; a larger number is a defect. */
const MOST_OPERATIONS = 1_000_000_000;
const EARLIEST_RESET = Date.UTC(2000, 0, 1);
const LATEST_RESET = Date.UTC(2100, 0, 1);
/** Maximum wait (ms) that is accepted. Windows last about a minute; a longer wait is a defect and would stop the account. */
const LONGEST_RETRY_MS = 24 * 3_600_000;

/**
 * Parses the three rate-limit headers, in any letter case. For repeated headers with different values, the more conservative one
 * counts: the lower number, the later reset. Undefined without any usable value.
 */
export function parseRateLimit(headers: Headers): RateLimit | undefined {
  const named = valuesOf(headers, 'x-ratelimit-limit').flatMap((text) => count(text, 0));
  const limits = named.filter((limit) => limit > 0);
  // A limit of 0 in a successful response means that the limit is unknown, so the other values are not usable either.
  const isOfNone = named.length > 0 && limits.length === 0;
  const remainders = isOfNone
    ? []
    : valuesOf(headers, 'x-ratelimit-remaining').flatMap((text) => count(text, 0));
  const resets = valuesOf(headers, 'x-ratelimit-reset').flatMap(resetTime);
  if (limits.length + remainders.length + resets.length === 0) return undefined;
  return {
    ...(limits.length > 0 && { limit: Math.min(...limits) }),
    ...(remainders.length > 0 && { remaining: Math.min(...remainders) }),
    ...(resets.length > 0 && { resetAt: Math.max(...resets) }),
  };
}

/**
 * Returns the wait (ms) in a `Retry-After` header, given in seconds or as an HTTP date; undefined without a valid header.
 * @param now the platform's time from its `Date` header, or the local time
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const waits = valuesOf(headers, 'retry-after', 'date').flatMap((text) => {
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return [Math.ceil(Number(text) * 1000)];
    const date = parseHttpDate(text);
    return date === undefined ? [] : [Math.max(0, date - now)];
  });
  const wait = Math.max(...waits);
  return waits.length > 0 && wait <= LONGEST_RETRY_MS ? wait : undefined;
}

/** Returns the time in the `Date` header: ms since the epoch, platform's clock; undefined without a valid header. */
export function parseServerDate(headers: Headers): number | undefined {
  const [first] = valuesOf(headers, 'date', 'date');
  return first === undefined ? undefined : parseHttpDate(first);
}

/** Returns all values of a header. A proxy may have joined repeated ones with commas, which an HTTP date also contains. */
function valuesOf(headers: Headers, name: string, form: 'list' | 'date' = 'list'): string[] {
  const found: string[] = [];
  for (const [key, values = []] of Object.entries(headers))
    if (key.length === name.length && key.toLowerCase() === name) found.push(...[values].flat());
  const parts = form === 'date' ? found : found.flatMap((value) => value.split(','));
  return parts.map((part) => part.trim());
}

function count(text: string, least: number): number[] {
  if (!/^\d{1,12}$/.test(text)) return [];
  const value = Number(text);
  return value >= least && value <= MOST_OPERATIONS ? [value] : [];
}

function resetTime(text: string): number[] {
  const time = parseTimestamp(text);
  return time !== undefined && time >= EARLIEST_RESET && time <= LATEST_RESET ? [time] : [];
}

/** Local times (ms) at which a request was sent and answered, and the time in the `Date` header (platform ms, whole seconds). */
export interface ClockReading {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverDate: number;
}

/** Resolution of the `Date` header: the platform's time is anywhere in that second. */
const DATE_RESOLUTION_MS = 1_000;

/** Maximum relative drift between two clocks (a bad quartz drifts 200 ms an hour), with which old bounds widen. */
const DRIFT = 5e-5;

const MINUTE_MS = 60_000;

/** Difference (ms) below which a response's time is accepted at once, because it neither settles nor misses a bucket. */
const SMALL_JUMP_MS = 30_000;

/** Duration (ms) for which all responses must agree on a larger jump before it is accepted. */
const CONFIRMED_AFTER_MS = 10 * MINUTE_MS;

/** Contradiction between the time in a response and the platform's clock so far. */
export interface ClockContradiction {
  /** Lead (ms) of the response's time over the clock; negative if it is behind. */
  readonly aheadMs: number;
  /** True if the clock adopts the response's time. */
  readonly isBelieved: boolean;
}

/** Bounds of the platform's time minus local time (ms). */
interface SkewBounds {
  readonly low: number;
  readonly high: number;
  /** Local time (ms) of the latest response that narrowed the bounds. */
  readonly at: number;
}

/**
 * The platform's time according to `Date` headers, or the machine's clock before the first response. A node of the platform may
 * have a wrong time, and a fast clock would count buckets too early. So the clock advances steadily. It adopts a jump if all
 * responses agree on it for ten minutes, or if the machine's clock jumped too, as after a suspension. In the first ten minutes, it
 * adopts the time closer to the machine's at once, and no time after the machine's is certain. Each response limits the skew
 * (platform minus local) to the round trip plus the header's second. Responses fall at different points within a second, so the
 * intersection soon narrows to about a round trip.
 */
export class PlatformClock {
  /** The local time, in milliseconds since the epoch. */
  readonly localNow: () => number;
  readonly #wall: () => number;
  #bounds: SkewBounds | undefined;
  /** Machine's clock minus local time (ms) at the last accepted response. */
  #agreedWallMs = 0;
  /** Local time (ms) of the first response. */
  #knownSince = 0;
  /** Movement (ms) of each clock relative to steady local time since the first response, without movements of both clocks. */
  #platformMovedMs = 0;
  #firstWallMs = 0;
  /** Bounds that all responses since a jump satisfy, and the local time (ms) of the first; undefined without a jump. */
  #jump: { readonly bounds: SkewBounds; readonly since: number } | undefined;

  /** @param localNow returns steady local time (ms) @param wall returns the time of the machine's clock (ms) */
  constructor(localNow: () => number, wall = localNow) {
    this.localNow = localNow;
    this.#wall = wall;
  }

  /** Updates the clock with a response. @returns the response's contradiction of the platform's time; undefined if it agrees */
  observe(reading: ClockReading): ClockContradiction | undefined {
    if (!Number.isFinite(reading.serverDate)) return undefined;
    const shown = boundsOf(reading);
    if (this.#bounds === undefined) {
      this.#knownSince = reading.receivedAt;
      this.#firstWallMs = this.#wallMs;
    }
    const agreed = this.#bounds === undefined ? shown : narrowed(this.#bounds, shown);
    if (agreed !== undefined) {
      this.#agree(agreed);
      return undefined;
    }
    const aheadMs = middle(shown) - this.skewMs;
    const jump = this.#jump && narrowed(this.#jump.bounds, shown);
    this.#jump = { bounds: jump ?? shown, since: (jump && this.#jump?.since) ?? shown.at };
    const isBelieved = this.#believes(this.#jump, aheadMs);
    if (isBelieved) {
      if (this.#isOfBoth(aheadMs)) this.#firstWallMs += this.#wallMs - this.#agreedWallMs;
      else this.#platformMovedMs += aheadMs;
      this.#agree(this.#jump.bounds);
    }
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
    return this.#isOfBoth(aheadMs);
  }

  /** Returns true if the machine's clock jumped by the same amount. */
  #isOfBoth(aheadMs: number): boolean {
    return Math.abs(this.#wallMs - this.#agreedWallMs - aheadMs) < SMALL_JUMP_MS;
  }

  /**
   * Clock that moved relative to steady local time, if this explains the difference between the platform's and the machine's clock.
   * Undefined if the clocks agree, or if they differed from the start.
   */
  get moved(): 'platform' | 'machine' | undefined {
    if (Math.abs(this.wallSkewMs) < SMALL_JUMP_MS) return undefined;
    const platform = Math.abs(this.#platformMovedMs);
    const machine = Math.abs(this.#wallMs - this.#firstWallMs);
    if (Math.max(platform, machine) * 2 < Math.abs(this.wallSkewMs)) return undefined;
    return platform > machine ? 'platform' : 'machine';
  }

  /** True once a response contained the platform's time. */
  get known(): boolean {
    return this.#bounds !== undefined;
  }

  /** Platform time minus local time, in milliseconds. */
  get skewMs(): number {
    return this.#bounds === undefined ? this.#wallMs : middle(this.#bounds);
  }

  /** Platform time minus the machine's clock (ms); 0 before the first response. */
  get wallSkewMs(): number {
    return this.skewMs - this.#wallMs;
  }

  /** Returns the platform's time now, in milliseconds since the epoch. */
  now(): number {
    return this.skewMs + this.localNow();
  }

  /**
   * Returns the time after which no bucket may be counted if a response's clock shows `now`. This is `now`, or the machine's time
   * while a large lead over it is not confirmed.
   */
  certain(now: number): number {
    const isConfirmed = Number(this.#bounds?.at) - this.#knownSince >= CONFIRMED_AFTER_MS;
    if (isConfirmed) return now;
    const wall = this.#wall();
    return now - wall >= SMALL_JUMP_MS ? wall : now;
  }

  /** Returns the latest local time at which the platform's clock reaches `platformTime`. */
  latestLocal(platformTime: number): number {
    return platformTime - this.#leastSkewMs;
  }

  /** Returns the latest local time at which the platform's clock reaches its first whole minute after `local`. */
  nextMinute(local: number): number {
    const skew = this.#leastSkewMs;
    return (Math.floor((local + skew) / MINUTE_MS) + 1) * MINUTE_MS - skew;
  }

  get #leastSkewMs(): number {
    return this.#bounds?.low ?? this.#wallMs;
  }

  /** Machine's clock minus local time, in milliseconds. */
  get #wallMs(): number {
    return this.#wall() - this.localNow();
  }
}

/** Returns the bounds on the platform's time minus local time that follow from one response. */
function boundsOf({ sentAt, receivedAt, serverDate }: ClockReading): SkewBounds {
  return { low: serverDate - receivedAt, high: serverDate + DATE_RESOLUTION_MS - sentAt, at: receivedAt };
}

/** Returns the intersection of two bounds, of which `shown` is the later; undefined if they contradict each other. */
function narrowed(before: SkewBounds, shown: SkewBounds): SkewBounds | undefined {
  const widening = Math.max(0, shown.at - before.at) * DRIFT;
  const low = Math.max(shown.low, before.low - widening);
  const high = Math.min(shown.high, before.high + widening);
  return low <= high ? { low, high, at: shown.at } : undefined;
}

function middle({ low, high }: SkewBounds): number {
  return (low + high) / 2;
}
