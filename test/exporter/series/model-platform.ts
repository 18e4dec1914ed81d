import { type Decoded, decodeSeries } from '../../../src/exporter/decode/decode.ts';
import type { WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';

export const MINUTE = 60_000;

/** Start of the model's history. */
export const START = Date.UTC(2026, 0, 5, 10);

const SETTLED_MS = 10 * MINUTE;

/** Behaviour of the model for one read. */
export interface Manner {
  /** Longest window (minutes) with buckets of one minute. Longer windows have buckets of five minutes. */
  readonly finestUpTo: number;
  readonly late: number;
  /** Rows that are invalid, each by its number within the answer and the kind of damage. */
  readonly spoilt: readonly { readonly row: number; readonly how: keyof typeof SPOILT }[];
  readonly reversed: boolean;
  readonly points: 'all' | 'none';
  readonly oneOf: number;
}

/** Empty time span. */
export const NEVER: Window = { from: 0, to: 0 };

export const PLAIN: Manner = {
  finestUpTo: 60,
  late: 0,
  spoilt: [],
  reversed: false,
  points: 'all',
  oneOf: 1,
};

const SPOILT = {
  null_value: (time: number) => [[time, null]],
  text: (time: number, value: number) => [[time, String(value)]],
  negative: (time: number, value: number) => [[time, -1 - value]],
  missing: () => [],
  not_a_pair: (time: number) => [[time]],
  seconds: (time: number, value: number) => [[time / 1_000, value]],
  twice: (time: number, value: number) => [
    [time, value],
    [time, value],
  ],
  ambiguous: (time: number, value: number) => [
    [time, value],
    [time, value + 1],
  ],
} as const;

export const SPOILS = Object.keys(SPOILT) as (keyof typeof SPOILT)[];

/** Dimensions of the model. One always has data; the platform omits the other during idle hours. */
export const DIMENSIONS = ['steady', 'at_times'] as const;

/** Returns the true value of a minute of a dimension. It is an integer, so that sums are exact. */
export function trueValue(dimension: string, minute: number): number {
  const mixed = Math.imul(minute / MINUTE + dimension.length, 0x9e3779b1) >>> 0;
  return isListed(dimension, minute) ? mixed % 1_000 : 0;
}

export function trueSum(dimension: string, { from, to }: Window, lost = NEVER): number {
  const gone = { from: Math.max(from, lost.from), to: Math.min(to, lost.to) };
  const sum = sumUntil(dimension, to) - sumUntil(dimension, from);
  return gone.from < gone.to ? sum - trueSum(dimension, gone) : sum;
}

const EVER = START - 40 * 24 * 60 * MINUTE;

const sums = new Map<string, number[]>();

function sumUntil(dimension: string, time: number): number {
  const known = sums.get(dimension) ?? [0];
  sums.set(dimension, known);
  const minutes = Math.ceil((time - EVER) / MINUTE);
  while (known.length <= minutes) {
    known.push((known.at(-1) ?? 0) + trueValue(dimension, EVER + (known.length - 1) * MINUTE));
  }
  return known[minutes] ?? Number.NaN;
}

const WIDTHS = [
  { upTo: 6 * 60, minutes: 5 },
  { upTo: 24 * 60, minutes: 30 },
  { upTo: 7 * 24 * 60, minutes: 120 },
  { upTo: Number.POSITIVE_INFINITY, minutes: 720 },
];

function widthOf({ from, to }: Window, finestUpTo: number): number {
  const length = (to - from) / MINUTE;
  return (length <= finestUpTo ? 1 : (WIDTHS.find(({ upTo }) => length <= upTo)?.minutes ?? 1)) * MINUTE;
}

/**
 * Returns the model's answer for a window at a time, as the exporter decodes it.
 * @param lost time span whose buckets the platform no longer has
 */
export function answer(window: Window, now: number, manner: Manner, lost = NEVER): WindowedAnswer {
  const width = widthOf(window, manner.finestUpTo);
  let row = 0;
  const series = DIMENSIONS.flatMap((dimension) => {
    const buckets =
      manner.points === 'all' ? bucketsOf(dimension, window, now, width, manner.late, lost) : [];
    if (dimension === 'at_times' && buckets.length === 0) return [];
    const rows = buckets
      .filter((_, index) => index % manner.oneOf === 0)
      .flatMap(([time, value]): (readonly unknown[])[] => {
        const spoil = manner.spoilt.find((candidate) => candidate.row === row);
        row += 1;
        return spoil === undefined ? [[time, value]] : [...SPOILT[spoil.how](time, value)];
      });
    return [[dimension, manner.reversed ? rows.reverse() : rows] as const];
  });
  return { decoded: decode(Object.fromEntries(series), now), window, now };
}

function decode(body: unknown, now: number): Decoded {
  return decodeSeries(body, { metric: 'requests', id: '7' }, now);
}

function bucketsOf(
  dimension: string,
  { from, to }: Window,
  now: number,
  width: number,
  late: number,
  lost: Window,
) {
  const seen = now - late * MINUTE;
  const buckets: [number, number][] = [];
  for (let start = Math.floor(from / width) * width; start < Math.min(to, seen); start += width) {
    if (!isListed(dimension, start) || (start >= lost.from && start + width <= lost.to)) continue;
    const share = Math.min(1, (seen - start - width) / SETTLED_MS);
    const value = trueSum(dimension, { from: start, to: start + width }, lost);
    buckets.push([start, share >= 1 ? value : Math.floor(value * 0.9 * Math.max(0, share))]);
  }
  return buckets;
}

function isListed(dimension: string, time: number): boolean {
  return dimension === 'steady' || (time / MINUTE) % 180 < 150;
}
