import fc from 'fast-check';
import { createTask } from 'node-cron';
import { expect, it } from 'vitest';
import { CronPattern } from '../../../src/exporter/poll/ticker.ts';

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
