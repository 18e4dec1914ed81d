import type { Counter } from '../src/exporter/series/counter.ts';
import {
  type CountersRecord,
  recordOf,
  restoreSeries,
  storeSeries,
} from '../src/exporter/series/series-memory.ts';

const all = () => true;

/** The counters that the state holds under a key; undefined where it holds none. */
export function storedCounters(stored: unknown): CountersRecord | undefined {
  return restoreSeries(stored, all).record;
}

/** Counters as the state holds them. */
export function countersToStore(since: number, width: number, counters: ReadonlyMap<string, Counter>) {
  return storeSeries({ ...restoreSeries(undefined, all), record: recordOf(since, width, counters, all) });
}
