import { facesOf } from '../catalogue/catalogue.ts';
import type { Family, Labels } from '../catalogue/family.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { familyHeader, formatValue, LabelTexts } from '../exposition/text-format.ts';
import { targetLabels } from '../targets/target.ts';
import { type PlannedSeries, targetOf } from './history-plan.ts';
import {
  assemble,
  counterPoints,
  type DimensionHistory,
  gaugePoints,
  type PointsOfBucket,
  type SeriesHistory,
} from './series-history.ts';
import type { Spool } from './spool.ts';

export interface HistoryFamiliesOptions {
  /** In the order in which they are written, with what was read of each. */
  readonly series: readonly { readonly planned: PlannedSeries; readonly spool: Spool }[];
  /** Labels that every series gets besides its own. */
  readonly labels: Labels;
  readonly unitsOf: (account: string) => UnitOverrides;
  /** The names of those that are wanted; all where it is left out. */
  readonly families?: ReadonlySet<string> | undefined;
}

/** A series of the history: a dimension as one family shows it. */
export interface HistorySeries {
  readonly family: Family;
  readonly labels: Labels;
  /** Name and labels. */
  readonly text: string;
  readonly spool: Spool;
  /** Its samples in what was read of the spool; undefined where it has none. */
  readonly pointsIn: (history: SeriesHistory) => PointsOfBucket | undefined;
}

/** The series of each family, by its name; a series that two metrics bring is taken from the first. */
export function historyFamilies({
  series,
  labels,
  unitsOf,
  families: wanted,
}: HistoryFamiliesOptions): [Family, HistorySeries[]][] {
  const families = new Map<Family, Map<string, HistorySeries>>();
  const texts = new LabelTexts();
  for (const { planned, spool } of series) {
    const target = targetOf(planned);
    const context = { scope: target.by, units: unitsOf(target.account) };
    for (const dimension of [...spool.dimensions].sort()) {
      const { gauge, counter, labels: own } = facesOf(planned.metric, dimension, context);
      const all = { ...labels, ...targetLabels(target), ...own };
      const labelText = texts.of(all);
      const add = (family: Family, points: (history: DimensionHistory) => PointsOfBucket) => {
        if (wanted?.has(family.name) === false) return;
        const text = family.name + labelText;
        const known = families.get(family) ?? new Map<string, HistorySeries>();
        families.set(family, known);
        if (known.has(text)) return;
        known.set(text, { family, labels: all, text, spool, pointsIn: inDimension(dimension, points) });
      };
      add(gauge.family, (history) => gaugePoints(history, gauge));
      if (counter !== undefined) add(counter.family, (history) => counterPoints(history, counter));
    }
  }
  const byName = [...families].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  return byName.map(([family, known]) => [family, [...known.values()]]);
}

function inDimension(
  dimension: string,
  points: (history: DimensionHistory) => PointsOfBucket,
): HistorySeries['pointsIn'] {
  return ({ starts, widths, values: all }) => {
    const values = all.get(dimension);
    return values === undefined ? undefined : points({ starts, widths, values });
  };
}

interface HistoryTextOptions extends HistoryFamiliesOptions {
  /** Buckets that end later (ms) are left out. */
  readonly end: number;
}

/**
 * The history as OpenMetrics 1.0, in pieces. Families follow each other, within a family its series, and within a
 * series its samples, oldest first, as the format demands. Only one metric of one target is in memory at a time.
 */
export async function* historyText(options: HistoryTextOptions): AsyncGenerator<string> {
  for (const [family, all] of historyFamilies(options)) {
    yield familyHeader(family, 'openmetrics');
    let read: { readonly spool: Spool; readonly history: SeriesHistory } | undefined;
    for (const { spool, text, pointsIn } of all) {
      if (read?.spool !== spool) read = { spool, history: assemble(await spool.records(), options.end) };
      const points = pointsIn(read.history);
      if (points !== undefined) yield* seriesLines(text, read.history.starts.length, points);
    }
  }
  yield '# EOF\n';
}

/** So many buckets are handed on at once: enough to be worth a write, little to hold. */
const BUCKETS_AT_ONCE = 1_000;

/** The sample lines of a series of so many buckets, in pieces. OpenMetrics has its timestamps in seconds. */
export function* seriesLines(series: string, buckets: number, pointsOf: PointsOfBucket): Generator<string> {
  for (let from = 0; from < buckets; from += BUCKETS_AT_ONCE) {
    let piece = '';
    const to = Math.min(buckets, from + BUCKETS_AT_ONCE);
    for (let index = from; index < to; index += 1) {
      for (const { at, value } of pointsOf(index)) {
        piece += `${series} ${formatValue(value)} ${at / 1_000}\n`;
      }
    }
    if (piece !== '') yield piece;
  }
}
