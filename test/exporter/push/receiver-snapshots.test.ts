import { expect, it } from 'vitest';
import { SnapshotSlot } from '../../../src/exporter/push/snapshots.ts';
import { shown } from './outbox-bed.ts';

type Options = ConstructorParameters<typeof SnapshotSlot>[0]['receiver'];

function snapshotsFor(receiver: Partial<Options> = {}) {
  const all: Options = { families: ['*'], accounts: ['*'], labels: {}, buckets_only: false, ...receiver };
  return new SnapshotSlot({ receiver: all, startedAt: 7, onAdded: () => undefined });
}

function page(...samples: ReturnType<typeof shown>[]) {
  return new Map(samples.map((sample) => [JSON.stringify([sample.family.name, sample.labels]), sample]));
}

it('takes no further snapshot while one waits, nor two of one moment', () => {
  const snapshots = snapshotsFor();
  snapshots.take(page(shown('a', 1)), 10);
  expect(snapshots.isFree(70)).toBe(false);
  snapshots.sent();
  expect([9, 10, 11].map((at) => snapshots.isFree(at))).toEqual([false, false, true]);
});

it('waits for a clock that was set back by seconds, and not for one that was set back by hours', () => {
  const HOUR = 3_600_000;
  const snapshots = snapshotsFor();
  snapshots.take(page(), 8 * HOUR);
  snapshots.sent();
  expect([8 * HOUR, 8 * HOUR - 2_000, 8 * HOUR + 1, HOUR].map((at) => snapshots.isFree(at))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

it('ends series that are shown no more, once', () => {
  const snapshots = snapshotsFor();
  const found = [page(shown('a', 1), shown('b', 2)), page(shown('a', 3)), page(shown('a', 4))].map(
    (samples, index) => {
      snapshots.take(samples, index);
      const { waiting } = snapshots;
      snapshots.sent();
      return waiting?.samples.map(({ series, value, at, ended }) => [series.family.name, value, at, ended]);
    },
  );
  expect(found).toEqual([
    [
      ['a', 1, 0, undefined],
      ['b', 2, 0, undefined],
    ],
    [
      ['a', 3, 1, undefined],
      ['b', Number.NaN, 1, true],
    ],
    [['a', 4, 2, undefined]],
  ]);
});

it('has the families and accounts of the receiver, and what is of no account', () => {
  const snapshots = snapshotsFor({ families: ['edge_*'], accounts: ['prod'] });
  const samples = [
    shown('edge_up', 1, { account: 'prod' }),
    shown('edge_up', 1, { account: 'test' }),
    shown('edge_exporter_series', 1),
    shown('process_cpu', 1),
  ];
  snapshots.take(page(...samples), 1);
  expect(snapshots.waiting?.samples.map(({ series }) => [series.family.name, series.labels])).toEqual([
    ['edge_up', { account: 'prod' }],
    ['edge_exporter_series', {}],
  ]);
});

it('says since when counters count', () => {
  const snapshots = snapshotsFor();
  const counter = { ...shown('c', 5), family: { name: 'c_total', type: 'counter', help: '' } as const };
  snapshots.take(page(counter, shown('g', 1)), 9);
  expect(snapshots.waiting?.samples.map(({ since }) => since)).toEqual([7, undefined]);
});

it('makes an up of its own for a receiver whose labels name a job, as a scrape would', () => {
  for (const [labels, up] of [
    [{}, []],
    [{ job: 'edge-exporter' }, [['up', 1]]],
  ] as const) {
    const snapshots = snapshotsFor({ labels });
    snapshots.take(page(), 1);
    expect(snapshots.waiting?.samples.map(({ series, value }) => [series.family.name, value])).toEqual(up);
  }
});

it('has nothing for a receiver of buckets only', () => {
  expect(snapshotsFor({ buckets_only: true }).isFree(1)).toBe(false);
});
