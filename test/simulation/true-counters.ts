import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import type { State, StateKey } from '../../src/exporter/state/state.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { storedCounters } from '../stored-series.ts';

/** Time span in ms since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Result of comparing all counters with the true values. */
export interface Audit {
  /** Number of compared series. */
  readonly series: number;
  /** Number of buckets that all series have counted together. */
  readonly buckets: number;
  /**
   * Series whose total differs from the sum of true values between start and watermark, without the missing
   * time.
   */
  readonly wrong: readonly string[];
  /** Oldest watermark (ms since the epoch). */
  readonly oldestWatermark: number;
  readonly watermarks: readonly number[];
}

/**
 * Compares every counter in the state with the sandbox's true values, bucket by bucket.
 * @param lost time span whose buckets the platform no longer has
 */
export function auditCounters(state: State, sandbox: Sandbox, lost?: Span): Audit {
  const wrong: string[] = [];
  let series = 0;
  let buckets = 0;
  const watermarks: number[] = [];
  for (const key of state.keys(['series'])) {
    const counters = storedCounters(state.get(key));
    if (counters === undefined) throw new Error(`no counters under ${key.join('/')}`);
    const truthUntil = remembered((watermark: number) => trueSeries(sandbox, key, counters.since, watermark));
    for (const [dimension, { total, watermark, holes }] of counters.counters) {
      const leftOut = lost === undefined ? holes : [lost, ...holes];
      let sum = 0;
      for (const [time, value] of truthUntil(watermark)[dimension] ?? []) {
        if (isWithin(leftOut, time)) continue;
        sum += value;
        buckets += 1;
      }
      series += 1;
      watermarks.push(holes[0]?.from ?? watermark);
      if (Math.abs(sum - total) > 1e-9 * Math.max(1, sum)) {
        wrong.push(`${key.join('/')}/${dimension}: ${total}, true ${sum}`);
      }
    }
  }
  return {
    series,
    buckets,
    wrong,
    watermarks,
    oldestWatermark: watermarks.reduce((a, b) => Math.min(a, b), Infinity),
  };
}

function isWithin(spans: readonly Span[], time: number): boolean {
  for (const { from, to } of spans) if (time >= from && time < to) return true;
  return false;
}

function trueSeries(sandbox: Sandbox, key: StateKey, from: number, to: number) {
  const [, , api, slug, by, id = '', metric = ''] = key;
  const product = PRODUCTS.find((candidate) => candidate.api === api && candidate.slug === slug);
  if (product === undefined) throw new Error(`no product ${api} ${slug}`);
  const configuration = by === 'product' ? 'product' : Number(id);
  return sandbox.truth({ api: product.api, product: product.id, configuration, metric, from, to });
}

function remembered<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
