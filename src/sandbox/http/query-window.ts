/** The time an analytics or metrics request asks for, in ms since the epoch. */
export interface QueryWindow {
  readonly from: number;
  readonly to: number;
}

const HOUR = 3_600_000;
const DURATIONS: Readonly<Record<string, number>> = {
  'last-hour': HOUR,
  'last-3-hours': 3 * HOUR,
  'last-6-hours': 6 * HOUR,
  'last-24-hours': 24 * HOUR,
  'last-3-days': 72 * HOUR,
  'last-7-days': 168 * HOUR,
  'last-15-days': 360 * HOUR,
  'last-30-days': 720 * HOUR,
};
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z?)$/;

/**
 * Reads `date_from` and `date_to` by the rules of specification 4.12.
 * @param utcOffset how far the account's local time is ahead of UTC, in ms: timestamps without `Z` are local
 * @returns the window, or what is wrong with the query
 */
export function queryWindow(
  { date_from: from, date_to: to }: { date_from?: string | undefined; date_to?: string | undefined },
  now: number,
  utcOffset: number,
): QueryWindow | { readonly problem: string } {
  if (from === undefined || from === '') return { problem: 'date_from is required' };
  const duration = Object.hasOwn(DURATIONS, from) ? DURATIONS[from] : undefined;
  if (duration !== undefined) {
    return to === undefined
      ? { from: now - duration, to: now }
      : { problem: 'date_to does not go with a duration in date_from' };
  }
  const start = timestamp(from, utcOffset);
  const end = to === undefined || to === 'now' ? now : timestamp(to, utcOffset);
  if (start === undefined) return { problem: `date_from is not a date: ${from}` };
  if (end === undefined) return { problem: `date_to is not a date: ${to}` };
  if (end < start) return { problem: 'date_to is before date_from' };
  return { from: start, to: end };
}

function timestamp(text: string, utcOffset: number): number | undefined {
  const [, minute, zone] = TIMESTAMP.exec(text) ?? [];
  if (minute === undefined) return undefined;
  const utc = Date.parse(`${minute}Z`);
  // Date.parse takes 2026-02-30 for the second of March.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(minute)) return undefined;
  return zone === 'Z' ? utc : utc - utcOffset;
}
