import type { Family, Labels, TimedSample } from '../catalogue/family.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { LabelTexts } from '../exposition/label-text.ts';
import { familyHeader, formatValue } from '../exposition/text-format.ts';
import { addedUp } from '../series/decimals.ts';
import { SeriesSamples } from '../series/samples.ts';
import { targetLabels } from '../targets/target.ts';
import { type PlannedSeries, targetOf } from './history-plan.ts';
import type { HistoryState } from './history-state.ts';
import type { CountedBuckets } from './read-window.ts';

interface OutputOptions {
  readonly series: readonly PlannedSeries[];
  readonly state: HistoryState;
  /** Labels added to every series. */
  readonly labels: Labels;
  readonly unitsOf: (account: string) => UnitOverrides;
  /** Names of the families in the output; default: all. */
  readonly families?: ReadonlySet<string> | undefined;
}

/** A series of the output: one dimension in one family. */
export interface OutputSeries {
  readonly family: Family;
  readonly labels: Labels;
  /** Name and labels, as at the beginning of the file's lines. */
  readonly text: string;
  /** Yields the samples in chunks, ordered by time. */
  readonly samples: () => AsyncGenerator<readonly TimedSample[]>;
}

/** Returns the series of a history in the order of its plan. If two metrics have the same series, the first one provides it. */
export function outputSeries({ series, state, labels, unitsOf, families }: OutputOptions): OutputSeries[] {
  const known = new Map<string, OutputSeries>();
  const texts = new LabelTexts();
  for (const [number, planned] of series.entries()) {
    const target = targetOf(planned);
    const samples = new SeriesSamples(target, planned.metric, unitsOf(planned.account));
    for (const dimension of [...state.progress(number).dimensions].sort()) {
      const faces = samples.facesOf(dimension);
      const all = { ...labels, ...targetLabels(target), ...faces.labels };
      const buckets = () => state.buckets(number, dimension);
      const add = ({ family }: { readonly family: Family }, make: OutputSeries['samples']) => {
        const text = family.name + texts.of(all);
        if (families?.has(family.name) === false || known.has(text)) return;
        known.set(text, { family, labels: all, text, samples: make });
      };
      add(faces.gauge, () => gauges(samples, dimension, buckets()));
      if (faces.counter !== undefined) add(faces.counter, () => totals(samples, dimension, buckets()));
    }
  }
  return [...known.values()];
}

/** Yields the gauges of buckets. Skips a bucket next to missing ones, whose width is unknown: it only counts. */
async function* gauges(samples: SeriesSamples, dimension: string, windows: AsyncIterable<CountedBuckets>) {
  for await (const { width, buckets } of windows) {
    const clear = buckets.filter((bucket) => bucket[1] === width);
    const points = {
      timestamps: Float64Array.from(clear, ([start]) => start),
      values: Float64Array.from(clear, ([, , value]) => value),
    };
    const all = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, width };
    yield samples.gaugesOf(dimension, points, all);
  }
}

/**
 * Yields the counter after every bucket. It starts at 0 with a sample one millisecond after the start of the history, so that
 * `increase` sees the first bucket. The millisecond avoids a conflict with the last sample of an earlier history.
 */
async function* totals(samples: SeriesSamples, dimension: string, windows: AsyncIterable<CountedBuckets>) {
  let total = 0;
  let since: number | undefined;
  for await (const { buckets } of windows) {
    const moments: { dimension: string; at: number; total: number }[] = [];
    for (const [start, width, value] of buckets) {
      if (since === undefined) moments.push({ dimension, at: start + 1, total: 0 });
      since ??= start;
      total = addedUp(total, value);
      moments.push({ dimension, at: start + width, total });
    }
    yield samples.totals(moments, since ?? 0);
  }
}

/** Minimum length (UTF-16 units) of a chunk to write. */
const PIECE = 65_536;

/** Yields a history as OpenMetrics 1.0 in chunks, in the order that the format requires. */
export async function* historyText(series: readonly OutputSeries[]): AsyncGenerator<string> {
  const order = [...new Set(series.map(({ family }) => family.name))].sort();
  const byFamily = series.toSorted((a, b) => order.indexOf(a.family.name) - order.indexOf(b.family.name));
  let text = '';
  let last: Family | undefined;
  for (const one of byFamily) {
    if (one.family !== last) text += familyHeader(one.family, 'openmetrics');
    last = one.family;
    for await (const samples of one.samples()) {
      for (const { at, value } of samples) text += `${one.text} ${formatValue(value)} ${at / 1_000}\n`;
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}# EOF\n`;
}
