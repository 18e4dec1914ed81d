import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fate, ModelReceiver } from './model-receiver.ts';
import { outboxBed, sample } from './outbox-bed.ts';

const fate = fc.constantFrom<Fate>('taken', 'taken', 'lost', 'stored, answer lost', 'busy');

/** A poll that brings so many new buckets of one of three sources, a crash, or some time for the sender. */
const step = fc.oneof(
  fc.record({ source: fc.nat({ max: 2 }), buckets: fc.integer({ min: 1, max: 5 }) }),
  fc.constant('crash' as const),
  fc.nat({ max: 4 }),
);

it('delivers each sample, in order and never with another value, whatever fails or crashes in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.array(fate, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
      async (steps, fates, crashes) => {
        const receiver = new ModelReceiver();
        const bed = outboxBed({
          async send(samples) {
            const answer = receiver.take(samples, fates[receiver.requests % fates.length] ?? 'taken');
            if (crashes.includes(receiver.requests)) bed.crash();
            await new Promise((resolve) => setImmediate(resolve));
            return answer;
          },
        });
        const made = [0, 0, 0];
        for (const one of steps) {
          if (one === 'crash') bed.crash();
          else if (typeof one === 'number') {
            for (let turn = 0; turn < one; turn++) await new Promise((resolve) => setImmediate(resolve));
          } else {
            const from = made[one.source] ?? 0;
            made[one.source] = from + one.buckets;
            const times = Array.from({ length: one.buckets }, (_, bucket) => from + bucket + 1);
            await bed.commit(
              `job ${one.source}`,
              times.flatMap((at) => ['x', 'y'].map((series) => sample(`${series}${one.source}`, at))),
            );
          }
        }
        // From here on every other request is taken.
        fates.push('taken');
        for (let index = 1; index < fates.length; index += 2) fates[index] = 'taken';
        await bed.empty();
        await bed.stop();
        expect(bed.refused).toEqual([]);
        for (const [source, buckets] of made.entries()) {
          const expected = Array.from({ length: buckets }, (_, bucket) => [bucket + 1, bucket + 1]);
          for (const series of ['x', 'y']) {
            const { family, labels } = sample(`${series}${source}`, 0);
            const stored = receiver.stored.get(`${family.name}${JSON.stringify(labels)}`) ?? [];
            expect(stored).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
