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
