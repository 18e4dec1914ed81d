/** Date, time, optional fraction, optional zone: what the platform's headers and bodies hold. */
const FORM =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Milliseconds since the epoch of a timestamp in any of the platform's forms: `2018-06-07T01:22:42.811207`
 * (no zone means UTC), `2016-11-18T14:10:58.024903Z`, `2019-04-01 13:53:28.536782+00:00`. Microseconds are
 * cut. Undefined for anything else, impossible dates included.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = FORM.exec(text.trim());
  if (match === null) return undefined;
  const [, date = '', time = '', seconds = '00', fraction = '', zone] = match;
  // The engine rolls 30 February over to March; a platform that sends one is not to be trusted with a time.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const instant = Date.parse(`${date}T${time}:${seconds}.${milliseconds}${isoZone(zone)}`);
  return Number.isNaN(instant) ? undefined : instant;
}

/**
 * Milliseconds since the epoch of an HTTP date (RFC 9110 section 5.6.7), as in `Date` and `Retry-After`.
 * Undefined for anything that does not say GMT, since the engine would read it in the machine's own zone.
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

/** Response headers as an HTTP client hands them over; a header that came twice is an array. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What one answer says about the quota (section 8). A field that was missing or made no sense is absent. */
export interface RateLimit {
  /** Operations allowed per rate-limit window, at least 1. */
  readonly limit?: number;
  /** Operations still available in the window. */
  readonly remaining?: number;
  /** When the window closes: milliseconds since the epoch, by the platform's clock. */
  readonly resetAt?: number;
}

/** No window allows more operations than this; a larger number is a defect. */
const MOST_OPERATIONS = 1_000_000_000;
const EARLIEST_RESET = Date.UTC(2000, 0, 1);
const LATEST_RESET = Date.UTC(2100, 0, 1);
/** Windows last about a minute; a longer wait is a defect and would stop the account. */
const LONGEST_RETRY_MS = 24 * 3_600_000;

/**
 * The three rate-limit headers, in any letter case. When one came more than once with different values, the
 * more conservative value counts: the lower number, the later reset. Undefined when nothing usable came.
 */
export function parseRateLimit(headers: Headers): RateLimit | undefined {
  const limits = valuesOf(headers, 'x-ratelimit-limit').flatMap((text) => count(text, 1));
  const remainders = valuesOf(headers, 'x-ratelimit-remaining').flatMap((text) => count(text, 0));
  const resets = valuesOf(headers, 'x-ratelimit-reset').flatMap(resetTime);
  if (limits.length + remainders.length + resets.length === 0) return undefined;
  return {
    ...(limits.length > 0 && { limit: Math.min(...limits) }),
    ...(remainders.length > 0 && { remaining: Math.min(...remainders) }),
    ...(resets.length > 0 && { resetAt: Math.max(...resets) }),
  };
}

/**
 * How long `Retry-After` asks to wait, in milliseconds, whether it gives seconds or an HTTP date.
 * @param now the platform's own time where its `Date` header gave one, otherwise the local time
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

/** The time in the `Date` header: milliseconds since the epoch, by the platform's clock. */
export function parseServerDate(headers: Headers): number | undefined {
  const [first] = valuesOf(headers, 'date', 'date');
  return first === undefined ? undefined : parseHttpDate(first);
}

/** All values of a header. A proxy may have joined repeated ones with commas, which an HTTP date holds itself. */
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
