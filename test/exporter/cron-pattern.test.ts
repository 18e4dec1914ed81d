import { expect, it } from 'vitest';
import { CronPattern, isCronPattern } from '../../src/exporter/cron-pattern.ts';

const iso = (text: string) => Date.parse(`${text}Z`);

const SPANS: readonly (readonly [pattern: string, after: string, until: string, ...matches: string[]])[] = [
  [
    '*/10 * * * * *',
    '2026-01-05T10:13:10',
    '2026-01-05T10:13:40',
    '2026-01-05T10:13:20',
    '2026-01-05T10:13:40',
  ],
  [
    '15,45 */7 8-10 * * 1-5',
    '2026-01-09T10:55',
    '2026-01-10T08:00',
    '2026-01-09T10:56:15',
    '2026-01-09T10:56:45',
  ],
  ['* * * * *', '2026-01-05T10:13', '2026-01-05T10:15:30', '2026-01-05T10:14', '2026-01-05T10:15'],
  ['* * * * *', '2026-01-05T10:13', '2026-01-05T10:13:59.999'],
  ['*/20 * * * *', '2026-03-31T23:40', '2026-04-01T00:00', '2026-04-01T00:00', '2026-04-01T00:00'],
  ['5 0 L * *', '2026-02-01T00:00', '2026-02-28T23:00', '2026-02-28T00:05', '2026-02-28T00:05'],
  ['0 0 29 2 *', '2026-02-11T03:30', '2028-02-29T12:00', '2028-02-29T00:00', '2028-02-29T00:00'],
  ['0 12 15W * *', '2026-08-01T00:00', '2026-08-15T00:00', '2026-08-14T12:00', '2026-08-14T12:00'],
  ['0 12 * jan-mar,8 fri#2', '2026-07-31T00:00', '2026-08-14T12:00', '2026-08-14T12:00', '2026-08-14T12:00'],
  ['@hourly', '2026-01-05T10:13', '2026-01-05T12:13', '2026-01-05T11:00', '2026-01-05T12:00'],
  ['0 0 31 2 *', '2026-01-05T10:13', '2036-01-05T12:13'],
];

it.each(SPANS)('%s after %s until %s has the first match %s and the last %s', (pattern, ...span) => {
  const [after, until, first, last] = span.map(iso) as [number, number, number?, number?];
  const cron = new CronPattern(pattern);
  expect([cron.firstIn(after, until), cron.lastIn(after, until)]).toEqual([first, last]);
});

/** Patterns that restrict both kinds of day, and their days of January 2026, which begins on a Thursday. */
const BOTH_DAYS: readonly (readonly [pattern: string, days: readonly number[]])[] = [
  ['30 4 1,15 * FRI', [1, 2, 9, 15, 16, 23, 30]],
  ['0 30 4 1,15 * 5', [1, 2, 9, 15, 16, 23, 30]],
  ['30 4 13 1 fri#1', [2, 13]],
  ['30 4 L 1 0', [4, 11, 18, 25, 31]],
  ['30 4 1,15 * *', [1, 15]],
  ['30 4 * * FRI', [2, 9, 16, 23, 30]],
  ['30 4 */2 * FRI', [9, 23]],
  ['30 4 1-7 * */5', [2, 4]],
];

it.each(BOTH_DAYS)(
  '%s matches the days of either field where both name some, as crontab(5) says',
  (pattern, days) => {
    const runs = [...new CronPattern(pattern).within(Date.UTC(2026, 0), Date.UTC(2026, 1))];
    expect(runs.map((at) => new Date(at).getUTCDate())).toEqual(days);
    expect(runs.every((at) => new Date(at).toISOString().endsWith('T04:30:00.000Z'))).toBe(true);
  },
);

it.each([
  ['* * * * *', true],
  [' 15  */5 9-17 * * 1-5', true],
  ['0 9 * * MON-FRI', true],
  ['@daily', true],
  ['*/90 * * * *', false],
  ['61 * * * *', false],
  ['* * * *', false],
  ['* * * * * * 2027', false],
  ['2026-12-01T00:00:00', false],
  ['', false],
])('%j is a pattern: %s', (pattern, isOne) => {
  expect(isCronPattern(pattern)).toBe(isOne);
});
