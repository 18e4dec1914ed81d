import { groupedBy } from '../grouped-by.ts';
import { MOST_FIELDS, MOST_IDS, USUAL_BUCKETS } from './question.ts';

/** Needs of a series in the questions that it shares with others. */
export interface Need {
  /** Series of one kind can share questions: the same datasets, keys, breakdowns and schedule. */
  readonly kind: string;
  readonly metric: string;
  /** Fields selected for it. */
  readonly fields: readonly string[];
  /** Value of the dataset's key; '' for the sum of all. */
  readonly key: string;
  /** Rows expected in a bucket for each key. */
  readonly perKey: number;
}

/** Series that one job reads. */
export interface Group<S> {
  /** Unique, and the same while the number of groups stays the same. */
  readonly id: string;
  readonly metrics: readonly string[];
  readonly series: readonly S[];
}

/** Fewest keys in a question: rows of other keys show whether an absent row is a zero. */
const FEWEST_KEYS = 25;

/** Fields that select the time and the key. */
const KEY_FIELDS = 2;

/**
 * Cuts series into groups whose questions hold as many fields, and about as many rows, as one answer may have. Few keys are not
 * cut further than to 25.
 * @param rowLimitOf returns how many rows with so many fields one answer may have
 */
export function groupsOf<S>(
  series: readonly S[],
  needOf: (series: S) => Need,
  rowLimitOf: (fields: number) => number,
): Group<S>[] {
  const asked = series.map((one) => ({ one, need: needOf(one) }));
  return [...groupedBy(asked, ({ need }) => need.kind)].flatMap(([kind, alike]) =>
    metricGroups(alike.map(({ need }) => need)).flatMap((metrics) => {
      const mine = alike.filter(({ need }) => metrics.includes(need.metric));
      const byKey = groupedBy(mine, ({ need }) => need.key);
      const rows = USUAL_BUCKETS * mine.reduce((most, { need }) => Math.max(most, need.perKey), 0);
      const fields = new Set(mine.flatMap(({ need }) => need.fields)).size;
      const together = Math.min(MOST_IDS, Math.max(FEWEST_KEYS, Math.floor(rowLimitOf(fields) / rows)));
      return chunksOf([...byKey.keys()], together).map((keys, index) => ({
        id: `${kind}/${metrics.join('+')}/${index}`,
        metrics,
        series: keys.flatMap((key) => (byKey.get(key) ?? []).map(({ one }) => one)),
      }));
    }),
  );
}

/** Metrics whose fields fit into one question, in the order in which they come. */
function metricGroups(needs: readonly Need[]): string[][] {
  const groups: { readonly metrics: string[]; fields: Set<string> }[] = [];
  for (const [metric, alike] of groupedBy(needs, (need) => need.metric)) {
    const fields = new Set(alike.flatMap((need) => need.fields));
    const group = groups.find((one) => new Set([...one.fields, ...fields]).size <= MOST_FIELDS - KEY_FIELDS);
    if (group === undefined) groups.push({ metrics: [metric], fields });
    else {
      group.metrics.push(metric);
      group.fields = new Set([...group.fields, ...fields]);
    }
  }
  return groups.map(({ metrics }) => metrics);
}

/** Returns chunks of at most so many items, about as large as each other. An item that is added changes the last chunk alone. */
function chunksOf<T>(items: readonly T[], most: number): (readonly T[])[] {
  const even = items.length / Math.ceil(items.length / most);
  const size = Math.min(most, Math.ceil(even / FEWEST_KEYS) * FEWEST_KEYS);
  const chunks: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  return chunks;
}
