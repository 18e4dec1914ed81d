import type { Api, Product } from '../account/served-products.ts';
import type { FaultContext } from '../faults/conditions.ts';
import { keyOf } from '../hash.ts';
import type { Platform } from '../http/platform.ts';
import { type QueryWindow, queryWindow } from '../http/query-window.ts';
import { fieldErrors, NOT_FOUND, type Reply } from '../http/reply.ts';
import type { Call } from '../resource.ts';
import { answerBuckets, type Buckets, FINEST, widened } from '../traffic/buckets.ts';
import { measureOf, selectionOf, unitsOf } from '../traffic/metric-lookup.ts';
import { readSeries, type SeriesByDimension } from '../traffic/series.ts';
import type { Settling } from '../traffic/settling.ts';

/** Whose data a read asks for, as its path says. */
export interface SeriesTarget {
  readonly api: Api;
  readonly product: Product;
  readonly configuration: number | 'product';
  readonly metric: string;
  readonly dimension?: string | undefined;
}

/** Answers a read of series, in the shape that `shape` gives them; 404 and 400 where there is nothing to read. */
export function seriesReply(
  platform: Platform,
  call: Call,
  target: SeriesTarget,
  shape: (series: SeriesByDimension) => Reply,
): Reply {
  const { settings, traffic } = platform;
  const { product, metric, dimension } = target;
  const measure = measureOf(target.api, product, metric, settings);
  if (measure === undefined) return NOT_FOUND;
  const known = measure.dimensions.some(({ name }) => name === dimension);
  if (dimension !== undefined && !known) return NOT_FOUND;
  const utcOffset = settings.utcOffsetMinutes * 60_000;
  const window = queryWindow(call.query, call.now, utcOffset);
  if ('problem' in window) return fieldErrors({ [window.parameter]: [window.problem] });
  const view = dataView(platform, { method: 'GET', path: new URL(call.address).pathname, now: call.now });
  const buckets = answerBuckets(window.from, window.to, view.newest, utcOffset);
  const selection = selectionOf(target, target.configuration, settings);
  const units = unitsOf(settings);
  const read = (part: Buckets) => {
    const query = { product, selection, measure, dimension, buckets: part, settling: view.settling, units };
    return withoutLost(readSeries(traffic, query), part.width, view.lost);
  };
  const { wide } = view;
  if (wide === undefined) return shape(read(buckets));
  const widening = {
    width: wide.minutes * FINEST,
    part: wide.part,
    at: view.newest - wide.age * FINEST,
  };
  return shape(widened(buckets, widening, utcOffset).map(read).reduce(oneAfterTheOther, {}));
}

function oneAfterTheOther(before: SeriesByDimension, after: SeriesByDimension): SeriesByDimension {
  return Object.fromEntries(
    Object.entries(after).map(([dimension, points]) => [
      dimension,
      [...(before[dimension] ?? []), ...points],
    ]),
  );
}

/** The series without the buckets that lie between two moments. */
function withoutLost(
  series: SeriesByDimension,
  width: number,
  { from, to }: QueryWindow = { from: 0, to: 0 },
): SeriesByDimension {
  return Object.fromEntries(
    Object.entries(series).map(([dimension, points]) => [
      dimension,
      points.filter(([start]) => start < from || start + width > to),
    ]),
  );
}

/** Until when there are buckets, how complete they are (both lag behind while data are late), which are lost or wider. */
function dataView(platform: Platform, context: FaultContext) {
  const { now } = context;
  const late = platform.faults.lasting('late_data', context);
  const behind = (late?.minutes ?? 0) * 60_000;
  const settling: Settling = {
    now: late?.settling === 'late' ? now - behind : now,
    settleMs: platform.settings.settleMs,
    key: keyOf(platform.seed, 'settling'),
  };
  return {
    newest: now - behind,
    settling,
    lost: platform.faults.lasting('missing_data', context),
    wide: platform.faults.lasting('wide_buckets', context),
  };
}
