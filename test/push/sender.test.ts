import { expect, it, onTestFinished } from 'vitest';
import { ModelReceiver } from './model-receiver.ts';
import { outboxBed, sample } from './outbox-bed.ts';

function bedWith(receiver: ModelReceiver, options: Partial<Parameters<typeof outboxBed>[0]> = {}) {
  const bed = outboxBed({ send: (samples) => receiver.take(samples, 'taken'), ...options });
  onTestFinished(() => bed.stop());
  return bed;
}

const many = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) => sample(`s${index}`, at));

it('lets one sample that is refused cost none of the others', async () => {
  const receiver = new ModelReceiver();
  receiver.refuses = ({ labels }) => (labels['series'] === 's137' ? 'invalid' : undefined);
  const bed = bedWith(receiver);
  await bed.commit('job', many(500, 1));
  await bed.empty();
  expect(bed.refused).toEqual([['invalid', 1]]);
  expect(receiver.stored.size).toBe(499);
  expect(receiver.requests).toBeLessThan(25);
});

it('gives up all that is too old after asking a few times, and sends the rest', async () => {
  const receiver = new ModelReceiver();
  receiver.refuses = ({ at }) => (at < 10 ? 'too_old' : undefined);
  const bed = bedWith(receiver);
  await bed.commit('old', many(1_000, 5));
  await bed.commit(
    'new',
    Array.from({ length: 500 }, (_, index) => sample(`n${index}`, 10)),
  );
  await bed.empty();
  expect(bed.refused.reduce((sum, [, samples]) => sum + samples, 0)).toBe(1_000);
  expect(receiver.stored.size).toBe(500);
  expect(receiver.requests).toBeLessThan(40);
});

it('waits longer after each failure, and as long as the receiver asks', async () => {
  const waits: number[] = [];
  let last = 0;
  const bed = outboxBed({
    send() {
      waits.push(bed.clock.now() - last);
      last = bed.clock.now();
      if (waits.length <= 3) return { kind: 'failed', words: 'HTTP 500' };
      return waits.length === 4
        ? { kind: 'failed', words: 'HTTP 429', retryAfterMs: 90_000 }
        : { kind: 'accepted' };
    },
  });
  onTestFinished(() => bed.stop());
  await bed.commit('job', many(1, 1));
  await bed.empty();
  expect(waits.slice(1)).toEqual([1_000, 2_000, 4_000, 90_000]);
});

it('puts no two samples of one series into a request', async () => {
  const requests: number[][] = [];
  const bed = outboxBed({
    send(samples) {
      requests.push(samples.map(({ at }) => at));
      return { kind: 'accepted' };
    },
  });
  onTestFinished(() => bed.stop());
  await bed.commit(
    'one',
    [1, 2, 3].map((at) => sample('x', at)),
  );
  await bed.commit(
    'two',
    [2, 3].map((at) => sample('y', at)),
  );
  await bed.empty();
  expect(requests).toEqual([[1, 2], [2, 3], [3]]);
});

it('drops the oldest beyond the size of the outbox, and counts it', async () => {
  const bed = bedWith(new ModelReceiver(), {
    send: () => ({ kind: 'failed', words: 'HTTP 503' }),
    maxBytes: 20_000,
  });
  for (let at = 1; at <= 100; at++) await bed.commit('job', many(10, at));
  expect(bed.queue.waiting.bytes).toBeLessThanOrEqual(20_000);
  const droppedSamples = bed.dropped.reduce((sum, [, samples]) => sum + samples, 0);
  expect(droppedSamples).toBeGreaterThan(0);
  expect(bed.queue.waiting.samples).toBe(1_000 - droppedSamples);
  expect(new Set(bed.dropped.map(([reason]) => reason))).toEqual(new Set(['outbox_full']));
});

it('drops what has waited too long', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, { maxAge: 60_000 });
  bed.clock.time = 0;
  await bed.commit('job', many(3, 1));
  bed.clock.time = 61_000;
  await bed.commit('other', many(1, 2));
  expect(bed.dropped).toContainEqual(['outbox_age', 3]);
});

it('takes only the families and accounts that the receiver is to have', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, { families: ['edge_w*'], accounts: ['a'] });
  await bed.commit('job', [sample('waf', 1), sample('other', 1), sample('waf', 2, 2, 'b')]);
  await bed.empty();
  expect([...receiver.stored.keys()]).toEqual(['edge_waf_total{"account":"a","series":"waf"}']);
});

it('gives up what waits for a receiver that is configured no more, and tells how much it was', async () => {
  const bed = outboxBed({ send: () => ({ kind: 'failed', words: 'HTTP 503' }) });
  onTestFinished(() => bed.stop());
  await bed.commit('job', many(7, 1));
  const removed = await bed.outbox.removeOthers(new Set(['another']), new AbortController().signal);
  expect(removed).toEqual(new Map([['r', 7]]));
  expect(await bed.state.range(['queue'], { limit: 10 })).toEqual([]);
});
