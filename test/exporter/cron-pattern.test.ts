import fc from 'fast-check';
import { createTask, getTasks } from 'node-cron';
import { afterEach, expect, it, vi } from 'vitest';
import { CronPattern } from '../../src/exporter/cron-pattern.ts';

afterEach(() => vi.useRealTimers());

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A pattern, and how far apart its moments may be. */
const PATTERNS: readonly (readonly [pattern: string, step: number])[] = [
  ['*/10 * * * * *', SECOND],
  ['15,45 */7 8-10 * * 1-5', SECOND],
  ['* * * * *', MINUTE],
  ['*/20 * * * *', MINUTE],
  ['30 3 * * *', MINUTE],
  ['5 0 L * *', MINUTE],
  ['0 0 29 2 *', MINUTE],
];

/** Times around which a field begins anew: a minute, an hour of a Friday and a Saturday, days, months, the day that a leap year adds. */
const TURNS = [
  '2026-01-05T10:13',
  '2026-01-09T08:00',
  '2026-01-10T08:00',
  '2026-02-11T03:30',
  '2026-03-31T00:00',
  '2028-02-29T00:00',
].map((text) => Date.parse(`${text}Z`));

it.each(PATTERNS)('%s matches what node-cron says, whatever was asked before', (pattern, step) => {
  const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
  const spans = TURNS.map((turn) => {
    const [after, until] = [turn - 40 * step, turn + 40 * step];
    const moments = Array.from({ length: 80 }, (_, index) => after + (index + 1) * step);
    const matching = moments.filter((at) => task.match(new Date(at)));
    return { after, until, first: matching[0], last: matching.at(-1) };
  });
  expect(spans.some(({ first }) => first !== undefined)).toBe(true);
  fc.assert(
    fc.property(fc.shuffledSubarray(spans, { minLength: 1 }), (asked) => {
      const cron = new CronPattern(pattern);
      for (const { after, until, first, last } of asked) {
        expect(cron.firstIn(after, until)).toBe(first);
        expect(cron.lastIn(after, until)).toBe(last);
      }
    }),
    { numRuns: 20 },
  );
  void task.destroy();
});

/** Patterns of days, which name them by words too. */
const DAYS = [
  '0 12 L-3,15W * *',
  '0 12 LW,1W * *',
  '0 12 * jan-mar,8 fri',
  '0 12 * * 5L,7L,1#2,7#5',
  '@monthly',
];

it.each(DAYS)('%s matches when node-cron says so, for years', (pattern) => {
  vi.useFakeTimers({ now: Date.parse('2026-12-31T23:59:59.500Z') });
  const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
  const runs = task.getNextRuns(60).map((run) => run.getTime());
  expect([...new CronPattern(pattern).within(Date.now(), runs.at(-1) ?? Number.NaN)]).toEqual(runs);
  void task.destroy();
});

/** Days of January 2026, which begins on a Thursday. */
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

it('has node-cron read a pattern once, since that remembers each reading', () => {
  const before = getTasks().size;
  for (let count = 0; count < 3; count++) new CronPattern('7 7 7 7 *');
  expect(getTasks().size).toBe(before + 1);
});
