import { expect, it } from 'vitest';
import { NO_POINTS } from '../../../src/exporter/decode/points.ts';
import type { Counter } from '../../../src/exporter/series/counting.ts';
import { type DimensionLedger, EMPTY_LEDGER, type Ledger } from '../../../src/exporter/series/ledger.ts';
import { restoreLedger, storeLedger } from '../../../src/exporter/series/ledger-record.ts';
import { pushOf } from '../../../src/exporter/series/pushed-series.ts';
import { SeriesSamples } from '../../../src/exporter/series/samples.ts';
import { packEntry, unpackEntry } from '../../../src/exporter/state/records.ts';

const MINUTE = 60_000;
const TARGET = {
  account: 'a',
  product: { api: 'metrics', slug: 'edge_applications' },
  by: 'configuration',
  id: '1',
  name: 'shop',
} as unknown as ConstructorParameters<typeof SeriesSamples>[0];

const counter = (total: number, watermark: number, holes: [number, number][] = []): Counter => ({
  total,
  watermark,
  holes: holes.map(([from, to]) => ({ from, to, since: 0, asked: 0 })),
});

function ledgerWith(counters: Readonly<Record<string, Counter>>, before: Ledger): Ledger {
  const dimensions = Object.entries(counters).map(([name, one]): [string, DimensionLedger] => [
    name,
    { width: 10, recent: NO_POINTS, counter: one, pushed: before.dimensions.get(name)?.pushed },
  ]);
  return { ...EMPTY_LEDGER, since: 0, dimensions: new Map(dimensions) };
}

function pushing() {
  const samples = new SeriesSamples(TARGET, 'cdn_requests', {});
  let before: Ledger = EMPTY_LEDGER;
  return (after: Counter, buckets: [start: number, value: number][], isCommitted = true) => {
    const settled = buckets.map(([start, value]) => ({
      dimension: 'total',
      start,
      width: 10,
      value,
      total: 0,
    }));
    const given = { samples, gaugesUntil: undefined, usable: new Map() };
    const push = pushOf(before, ledgerWith({ total: after }, before), settled, given);
    if (isCommitted) before = push.ledger;
    return push.samples.map(({ at, value }) => [at, value]);
  };
}

it('pushes zero as a counter begins, and its sum at the end of each bucket', () => {
  const update = pushing();
  expect(update(counter(0, 100), [])).toEqual([[101, 0]]);
  expect(
    update(counter(3, 120), [
      [100, 1],
      [110, 2],
    ]),
  ).toEqual([
    [110, 1],
    [120, 3],
  ]);
});

it('holds buckets back while earlier ones are due, and pushes all in order once they are counted', () => {
  const update = pushing();
  update(counter(0, 100), []);
  expect(
    update(counter(4, 140, [[110, 130]]), [
      [100, 1],
      [130, 3],
    ]),
  ).toEqual([[110, 1]]);
  expect(update(counter(9, 150, [[110, 130]]), [[140, 5]])).toEqual([]);
  expect(
    update(counter(11, 150), [
      [110, 1],
      [120, 1],
    ]),
  ).toEqual([
    [120, 2],
    [130, 3],
    [140, 6],
    [150, 11],
  ]);
});

it('goes on behind a bucket that is skipped, without a sample for it', () => {
  const update = pushing();
  update(counter(0, 100), []);
  update(counter(3, 120, [[100, 110]]), [[110, 3]]);
  expect(update(counter(3, 120), [])).toEqual([[120, 3]]);
});

it('pushes again what was not committed', () => {
  const update = pushing();
  update(counter(0, 100), []);
  expect(update(counter(1, 110), [[100, 1]], false)).toEqual([[110, 1]]);
  expect(update(counter(1, 110), [[100, 1]])).toEqual([[110, 1]]);
});

function pushingGauges() {
  const samples = new SeriesSamples(TARGET, 'moons', {});
  let before: Ledger = EMPTY_LEDGER;
  return (minute: number, ...dimensions: string[]) => {
    const from = (minute - 15) * MINUTE;
    const timestamps = Float64Array.from({ length: 15 }, (_, index) => from + index * MINUTE);
    const usable = new Map(dimensions.map((name) => [name, { timestamps, values: timestamps }]));
    const known = new Map(before.dimensions);
    for (const name of dimensions)
      known.set(name, known.get(name) ?? { width: MINUTE, recent: NO_POINTS, counter: undefined });
    const after = { ...before, dimensions: known };
    const push = pushOf(before, after, [], { samples, gaugesUntil: minute * MINUTE, usable });
    before = push.ledger;
    return push.samples.map(({ labels, at }) => [labels['dimension'], at / MINUTE]);
  };
}

it.each([1, 5])(
  'pushes each bucket of a gauge once, also of a dimension that answers lacked for %i h',
  (hours) => {
    const update = pushingGauges();
    expect(update(100, 'io', 'europa')).toHaveLength(30);
    const back = 100 + 60 * hours;
    for (let minute = 101; minute < back; minute += 1) expect(update(minute, 'io')).toEqual([['io', minute]]);
    expect(update(back, 'io', 'europa')).toHaveLength(16);
    expect(update(back + 1, 'io', 'europa').toSorted()).toEqual([
      ['europa', back + 1],
      ['io', back + 1],
    ]);
  },
);

it('what was pushed is remembered across restarts, whatever a series is called', () => {
  const samples = new SeriesSamples(TARGET, 'cdn_requests', {});
  const names = ['__proto__', 'constructor', 'toJSON'];
  const counters = new Map(
    names.map((name): [string, DimensionLedger] => [
      name,
      { width: 10, recent: NO_POINTS, counter: counter(3, 120) },
    ]),
  );
  const after = { ...EMPTY_LEDGER, since: 0, dimensions: counters };
  const settled = names.map((dimension) => ({ dimension, start: 110, width: 10, value: 3, total: 3 }));
  const given = { samples, gaugesUntil: undefined, usable: new Map() };
  const pushed = pushOf(EMPTY_LEDGER, after, settled, given);
  expect([...pushed.ledger.dimensions.values()].every((one) => one.pushed !== undefined)).toBe(true);
  const [name, bytes] = packEntry({ key: ['pushed'], value: storeLedger(pushed.ledger) });
  const restored = restoreLedger(unpackEntry({ name, bytes: bytes ?? new Uint8Array() }).value);
  expect(pushOf(restored, restored, [], given)).toEqual({ ledger: restored, samples: [] });
});
