import { expect, it, onTestFinished } from 'vitest';
import { type ReceiverAnswer, refusalOrFailure } from '../../../src/exporter/push/protocol.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
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
  receiver.refuses = ({ series }) => (series.labels['series'] === 's137' ? 'invalid' : undefined);
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
  const sizes: number[] = [];
  const bed = bedWith(receiver, {
    send(samples) {
      sizes.push(samples.length);
      return receiver.take(samples, 'taken');
    },
  });
  await bed.commit('old', many(1_000, 5));
  await bed.commit(
    'new',
    Array.from({ length: 500 }, (_, index) => sample(`n${index}`, 10)),
  );
  await bed.empty();
  expect(bed.refused.reduce((sum, [, samples]) => sum + samples, 0)).toBe(1_000);
  expect(receiver.stored.size).toBe(500);
  expect(receiver.requests).toBeLessThan(40);
  expect(Math.min(...sizes)).toBe(1);
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

it('waits no longer than ten minutes, whatever the receiver asks, and after a success as if nothing had failed', async () => {
  const answers: ReceiverAnswer[] = [
    { kind: 'failed', words: 'HTTP 429', retryAfterMs: 24 * 3_600_000 },
    ...Array.from({ length: 8 }, (): ReceiverAnswer => ({ kind: 'failed', words: 'HTTP 500' })),
    { kind: 'accepted' },
    { kind: 'failed', words: 'HTTP 500' },
  ];
  const sentAt: number[] = [];
  const bed = outboxBed({
    send() {
      sentAt.push(bed.clock.now());
      return answers.shift() ?? { kind: 'accepted' };
    },
  });
  onTestFinished(() => bed.stop());
  for (const at of [1, 2]) await bed.commit('job', many(1, at));
  await bed.empty();
  const waits = sentAt.slice(1).map((at, index) => (at - (sentAt[index] ?? 0)) / 1_000);
  expect(waits).toEqual([600, 2, 4, 8, 16, 32, 60, 60, 60, 0, 1]);
});

it('counts what a receiver took and what it did not of a request that it took in part, and sends none of it again', async () => {
  const requests: number[] = [];
  const taken: ReceiverAnswer = { kind: 'partly accepted', rejected: 3, reason: 'invalid', words: 'bad' };
  const bed = outboxBed({
    send(samples) {
      requests.push(samples.length);
      return taken;
    },
  });
  onTestFinished(() => bed.stop());
  for (const count of [7, 2]) await bed.commit('job', many(count, count));
  await bed.empty();
  expect(requests).toEqual([7, 2]);
  expect(bed.sent).toBe(4);
  expect(bed.refused).toEqual([
    ['invalid', 3],
    ['invalid', 2],
  ]);
});

it('sends a snapshot that is too large for a request in several', async () => {
  const requests: number[] = [];
  const bed = outboxBed({
    send(samples) {
      requests.push(samples.length);
      return { kind: 'accepted' };
    },
  });
  onTestFinished(() => bed.stop());
  bed.snapshot(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`series_${index}`, 1])));
  await bed.empty();
  expect(requests).toEqual([5_000, 5_000, 1]);
});

it('keeps a snapshot that a receiver refuses as it refuses everything, and sends it when it no longer does', async () => {
  const receiver = new ModelReceiver();
  let requests = 0;
  const bed = bedWith(receiver, {
    send(samples) {
      requests += 1;
      return requests <= 9 ? wrongServer(requests) : receiver.take(samples, 'taken');
    },
  });
  bed.snapshot({ up: 1, info: 2 });
  await bed.empty();
  expect(receiver.stored.size).toBe(2);
  expect(bed.refused).toEqual([]);
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

it('sends a backlog of one series without a pause between its buckets', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver);
  const began = bed.clock.now();
  const buckets = Array.from({ length: 120 }, (_, at) => sample('x', at + 1));
  await bed.commit('job', buckets);
  await bed.empty();
  expect(receiver.requests).toBe(120);
  expect(bed.clock.now() - began).toBeLessThan(2_000);
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

it('drops nothing because the machine’s clock was set forward, and what has waited too long though it was set back', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, { maxAge: 60_000 });
  const setClock = (byMs: number) => {
    bed.clock.wall = () => bed.clock.time + byMs;
  };
  bed.clock.time = 0;
  await bed.commit('job', many(3, 1));
  setClock(48 * 3_600_000);
  await bed.commit('other', many(1, 2));
  expect(bed.dropped).toEqual([]);
  bed.clock.time = 61_000;
  setClock(-3_600_000);
  await bed.commit('third', many(1, 3));
  expect(bed.dropped).toContainEqual(['outbox_age', 3]);
});

it('takes only the families and accounts that the receiver is to have', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, { families: ['edge_w*'], accounts: ['a'] });
  await bed.commit('job', [sample('waf', 1), sample('other', 1), sample('waf', 2, 2, 'b')]);
  await bed.empty();
  expect([...receiver.stored.keys()]).toEqual(['edge_waf_total{"account":"a","series":"waf"}']);
});

it('goes on when a disk that could not be read as it started can be read again', async () => {
  const state = memoryState();
  let failures = 3;
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, {
    state: {
      ...state,
      async range(prefix, options) {
        if (failures-- > 0) throw new Error('the disk has not answered for 10 s');
        return await state.range(prefix, options);
      },
    },
  });
  await bed.commit('job', many(5, 1));
  await bed.empty();
  expect(receiver.stored.size).toBe(5);
  expect(bed.notRead).toEqual(Array.from({ length: 3 }, () => 'the disk has not answered for 10 s'));
  expect(bed.failures).toEqual([]);
});

function wrongServer(request: number, status = 400): ReceiverAnswer {
  const words = `Client sent an HTTP request to an HTTPS server. (request ${request})`;
  return refusalOrFailure(status, words, undefined);
}

it.each([
  ['from the start', 0, 400],
  ['later', 3, 400],
  ['as too large', 3, 413],
])('keeps what a receiver refuses that answers everything alike %s', async (_when, wellUntil, status) => {
  const receiver = new ModelReceiver();
  let requests = 0;
  const bed = bedWith(receiver, {
    send(samples) {
      requests += 1;
      const isWrong = requests > wellUntil && requests <= wellUntil + 100;
      return isWrong ? wrongServer(requests, status) : receiver.take(samples, 'taken');
    },
  });
  for (let at = 1; at <= 5; at++) await bed.commit('job', many(300, at));
  await bed.commit('single', [sample('alone', 1)]);
  await bed.empty();
  expect(bed.refused).toEqual([]);
  expect(bed.sent).toBe(1_501);
  expect([...receiver.stored.values()].reduce((sum, { length }) => sum + length, 0)).toBe(1_501);
  expect(bed.failures[0]).toMatch(`it refuses everything alike: HTTP ${status}: Client sent an HTTP request`);
});

it('drops a sample that is refused without a reason, alone, once others are taken', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, {
    send: (samples) =>
      samples.some(({ series }) => series.labels['series'] === 'bad')
        ? wrongServer(1)
        : receiver.take(samples, 'taken'),
  });
  await bed.commit('bad', [sample('bad', 1)]);
  await bed.commit('other', many(3, 1));
  await bed.empty();
  await bed.commit('bad', [sample('bad', 2)]);
  await bed.empty();
  expect(bed.refused).toEqual([
    ['invalid', 1],
    ['invalid', 1],
  ]);
  expect(receiver.stored.size).toBe(3);
});

const refusal = (words: string): ReceiverAnswer => ({
  kind: 'refused',
  reason: 'invalid',
  words,
  unexplained: true,
});

const isBad = ({ series }: { readonly series: { readonly labels: Readonly<Record<string, string>> } }) =>
  series.labels['series']?.startsWith('bad') === true;

it('drops samples that are refused alike once others are there, though nothing but them was ever sent', async () => {
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, {
    send: (samples) => (samples.some(isBad) ? refusal('no') : receiver.take(samples, 'taken')),
  });
  await bed.commit('bad', [sample('bad 1', 1), sample('bad 2', 1)]);
  while (bed.failures.length < 2) await new Promise(setImmediate);
  expect(bed.refused).toEqual([]);
  await bed.commit('other', many(1, 1));
  await bed.empty();
  expect(bed.refused).toHaveLength(2);
  expect(bed.sent).toBe(1);
});

it('drops samples that are refused each in words of its own, though nothing was ever taken', async () => {
  const bed = bedWith(new ModelReceiver(), {
    send: ([first]) => refusal(`no ${first?.series.labels['series'] === 'bad' ? 'such label' : 'such unit'}`),
  });
  await bed.commit('job', [sample('bad', 1), sample('worse', 1)]);
  await bed.empty();
  expect(bed.refused).toHaveLength(2);
});

it('asks again only for the rest where a receiver that has taken some of a request refuses everything for a while', async () => {
  const requests: number[] = [];
  const bed = bedWith(new ModelReceiver(), {
    send(samples) {
      requests.push(samples.length);
      const isWell = requests.length === 2 || requests.length > 10;
      return isWell ? { kind: 'accepted' } : wrongServer(requests.length);
    },
  });
  await bed.commit('job', many(4, 1));
  await bed.empty();
  expect(bed.sent).toBe(4);
  expect(bed.refused).toEqual([]);
  expect(Math.max(...requests.slice(2))).toBe(2);
});

it('drops no sample before the receiver has taken another one again: one that fails may be about to refuse everything', async () => {
  let isFailing = false;
  const answers: string[] = [];
  const bed = bedWith(new ModelReceiver(), {
    send(samples) {
      const isRefused = samples.some(isBad);
      answers.push(isRefused ? 'refused' : isFailing ? 'failed' : 'accepted');
      if (isRefused) return refusal('no');
      if (!isFailing) return { kind: 'accepted' };
      isFailing = answers.filter((answer) => answer === 'failed').length < 3;
      return { kind: 'failed', words: 'HTTP 503' };
    },
  });
  await bed.commit('job', many(1, 1));
  await bed.empty();
  isFailing = true;
  await bed.commit('job', [sample('bad', 2)]);
  await bed.empty();
  expect(bed.refused).toEqual([['invalid', 1]]);
  expect(answers.filter((answer) => answer !== 'refused')).toEqual([
    'accepted',
    'failed',
    'failed',
    'failed',
    'accepted',
  ]);
});

it('waits a second for more before each request that is not full', async () => {
  const sentAt: number[] = [];
  const bed = bedWith(new ModelReceiver(), {
    send() {
      sentAt.push(bed.clock.now());
      return { kind: 'accepted' };
    },
  });
  for (const at of [1, 2]) {
    await bed.commit('job', many(1, at));
    await bed.empty();
  }
  expect(sentAt).toEqual([1_000, 2_000]);
});

it('goes on where what was sent is in its outbox again: a database that has failed over lacks the last removals', async () => {
  const memory = memoryState();
  let reads = 0;
  let isDown = false;
  const receiver = new ModelReceiver();
  const bed = bedWith(receiver, {
    maxAge: Number.MAX_SAFE_INTEGER,
    state: {
      ...memory,
      async range(prefix, options) {
        reads += 1;
        if (reads > 1_000) throw new TypeError('it reads the same again and again');
        return memory.range(prefix, options);
      },
    },
    send: (samples) => (isDown ? { kind: 'failed', words: 'HTTP 503' } : receiver.take(samples, 'taken')),
  });
  isDown = true;
  for (let at = 1; at <= 3; at++) await bed.commit('job', many(7, at));
  const sent = await memory.range(['queue'], { limit: 100 });
  isDown = false;
  await bed.empty();
  await memory.commit(sent);
  await bed.commit('job', many(7, 4));
  await bed.empty();
  const times = [...receiver.stored.values()].map((samples) => samples.map(([at]) => at));
  expect(times).toEqual(Array.from({ length: 7 }, () => [1, 2, 3, 4]));
  expect(reads).toBeLessThan(100);
});
