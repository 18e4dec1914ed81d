import { groupedBy } from '../grouped-by.ts';
import { MOST_FIELDS, MOST_IDS, USUAL_BUCKETS } from './question.ts';

/** Requirements of a series for the questions that it shares with others. */
export interface Need {
  /** Series of one kind can share questions: they have the same datasets, keys, breakdowns and schedule. */
  readonly kind: string;
  readonly metric: string;
  /** Fields to select for the series. */
  readonly fields: readonly string[];
  /** Value of the dataset's key; '' for the sum of all. */
  readonly key: string;
  /** Number of rows expected in a bucket per key. */
  readonly perKey: number;
}

/** Series that one job reads together. */
export interface Group<S> {
  /** Unique id. It stays the same while the number of groups does. */
  readonly id: string;
  readonly metrics: readonly string[];
  readonly series: readonly S[];
}

/** Minimum number of keys in a question: rows of other keys show whether an absent row is a zero. */
const FEWEST_KEYS = 25;

/** Number of fields that select the time and the key. */
const KEY_FIELDS = 2;

/**
 * Divides series into groups, so that a group's questions fit the fields and expected rows of one response. Does not split a group
 * below 25 keys.
 * @param rowLimitOf returns the maximum number of rows of a response with a number of fields
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

/** Divides metrics, in their order, into groups whose fields fit into one question. */
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

/** Divides items into chunks of about equal size, with at most `most` items each. An added item changes only the last chunk. */
function chunksOf<T>(items: readonly T[], most: number): (readonly T[])[] {
  const even = items.length / Math.ceil(items.length / most);
  const size = Math.min(most, Math.ceil(even / FEWEST_KEYS) * FEWEST_KEYS);
  const chunks: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size));
  return chunks;
}
