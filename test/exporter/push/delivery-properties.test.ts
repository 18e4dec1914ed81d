import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PushedSeries } from '../../../src/exporter/push/protocol.ts';
import { type Fate, ModelReceiver, seriesOf } from './model-receiver.ts';
import { outboxBed, sample, shown } from './outbox-bed.ts';

const fate = fc.constantFrom<Fate>('taken', 'taken', 'lost', 'stored, answer lost', 'busy');

const MINUTE = 60_000;
const SOURCES = 3;

const page = fc.dictionary(fc.constantFrom('up', 'info', 'limit'), fc.nat({ max: 9 }));

const step = fc.oneof(
  fc.record({ source: fc.nat({ max: SOURCES - 1 }), buckets: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ page }),
  fc.constant('crash' as const),
  fc.nat({ max: 4 }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Taken {
  readonly page: Readonly<Record<string, number>>;
  readonly buckets: readonly number[];
  readonly life: number;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function storedOf(receiver: ModelReceiver, series: PushedSeries) {
  return receiver.stored.get(seriesOf({ series })) ?? [];
}

function expectBuckets(receiver: ModelReceiver, made: readonly number[]): void {
  for (const [source, buckets] of made.entries()) {
    const expected = Array.from({ length: buckets }, (_, bucket) => [bucket + 1, bucket + 1]);
    for (const series of ['x', 'y'])
      expect(storedOf(receiver, sample(`${series}${source}`, 0))).toEqual(expected);
  }
}

function expectSnapshots(receiver: ModelReceiver, taken: ReadonlyMap<number, Taken>, life: number): void {
  const moments = [...taken];
  // The last run ended in order, so its last samples are stored.
  const last = moments.findLast(([, { life: its }]) => its === life);
  for (const name of ['up', 'info', 'limit']) {
    const stored = new Map(storedOf(receiver, shown(name, 0)));
    for (const [at, value] of stored) {
      const index = moments.findIndex(([moment]) => moment === at);
      const [here, before] = [moments[index]?.[1], moments[index - 1]?.[1]];
      expect(value).toBe(here?.page[name] ?? Number.NaN);
      if (!Number.isNaN(value)) continue;
      expect(before?.life).toBe(here?.life);
      expect(before?.page[name]).toBeDefined();
    }
    if (last !== undefined) expect(stored.has(last[0]) || last[1].page[name] === undefined).toBe(true);
  }
}

it('delivers each bucket, and what is shown at its moment, in order and never with another value, whatever fails or crashes in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.array(fate, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
      async (steps, fates, crashes) => {
        const receiver = new ModelReceiver();
        const made = Array.from({ length: SOURCES }, () => 0);
        const taken = new Map<number, Taken>();
        let life = 0;
        let overtaken = 0;
        const crash = () => {
          life += 1;
          bed.crash();
        };
        const bed = outboxBed({
          async send(samples) {
            // Prometheus refuses samples much older than its newest, so older samples must precede a
            // snapshot.
            const { buckets: before = [] } = taken.get(samples[0]?.at ?? 0) ?? {};
            const has = before.map((_, source) => storedOf(receiver, sample(`x${source}`, 0)).length);
            overtaken += before.filter((count, source) => count > (has[source] ?? 0)).length;
            const answer = receiver.take(samples, fates[receiver.requests % fates.length] ?? 'taken');
            if (crashes.includes(receiver.requests)) crash();
            await turn();
            return answer;
          },
        });
        const play = async (one: Step): Promise<void> => {
          if (one === 'crash') return crash();
          if (typeof one === 'number') {
            for (let turns = 0; turns < one; turns++) await turn();
          } else if ('page' in one) {
            bed.clock.time += MINUTE;
            const moment = { page: one.page, buckets: [...made], life };
            if (bed.snapshot(one.page)) taken.set(bed.clock.time, moment);
          } else {
            const from = made[one.source] ?? 0;
            made[one.source] = from + one.buckets;
            const times = Array.from({ length: one.buckets }, (_, bucket) => from + bucket + 1);
            await bed.commit(
              `job ${one.source}`,
              times.flatMap((at) => ['x', 'y'].map((series) => sample(`${series}${one.source}`, at))),
            );
          }
        };
        for (const one of steps) await play(one);
        // From here on, the receiver accepts every other request.
        fates.push('taken');
        for (let index = 1; index < fates.length; index += 2) fates[index] = 'taken';
        await bed.empty();
        await bed.stop();
        expect(bed.refused).toEqual([]);
        expect(overtaken).toBe(0);
        expectBuckets(receiver, made);
        expectSnapshots(receiver, taken, life);
      },
    ),
    { numRuns: 100 },
  );
});
