import { NO_POINTS } from '../src/exporter/decode/points.ts';
import type { Counter } from '../src/exporter/series/counting.ts';
import { EMPTY_LEDGER } from '../src/exporter/series/ledger.ts';
import { restoreLedger, storeLedger } from '../src/exporter/series/ledger-record.ts';

/** Counters in the state under one key, by dimension. */
export interface StoredCounters {
  readonly since: number;
  readonly width: number;
  readonly counters: ReadonlyMap<string, Counter>;
}

/** Returns the counters in the stored value; undefined if there are none. */
export function storedCounters(stored: unknown): StoredCounters | undefined {
  const { since, dimensions } = restoreLedger(stored);
  if (since === undefined) return undefined;
  const counters = new Map(
    [...dimensions].flatMap(([name, { counter }]) => (counter ? [[name, counter] as const] : [])),
  );
  return { since, width: [...dimensions.values()][0]?.width ?? Number.NaN, counters };
}

/** Returns counters in the form in which the state stores them. */
export function countersToStore(since: number, width: number, counters: ReadonlyMap<string, Counter>) {
  const dimensions = new Map(
    [...counters].map(([name, counter]) => [name, { width, recent: NO_POINTS, counter }] as const),
  );
  return storeLedger({ ...EMPTY_LEDGER, since, dimensions });
}
