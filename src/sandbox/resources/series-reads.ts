import {
  type Configuration,
  configurationsOf,
  findConfiguration,
  hasDomains,
} from '../account/configurations.ts';
import type { Api, ConfigurationSource, Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import { dataView } from '../http/data-view.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors, NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { type QueryWindow, queryWindow } from '../http/request-parts.ts';
import { type Call, idOf, type Operation, type Resource } from '../resource-router.ts';
import { analyticsMeasures, measureOf, productOf, selectionOf } from '../traffic/api-measures.ts';
import { answerBuckets, type Buckets, widened } from '../traffic/buckets.ts';
import { readSeries, type SeriesByDimension } from '../traffic/series.ts';

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
  const window = queryWindow(call.query, call.nodeTime, utcOffset);
  if ('problem' in window) return fieldErrors({ [window.parameter]: [window.problem] });
  const context = { method: 'GET', path: new URL(call.address).pathname, now: call.now };
  const view = dataView(platform, context, call.nodeTime);
  const buckets = answerBuckets(window.from, window.to, view.newest, utcOffset);
  const selection = selectionOf(target, target.configuration, settings);
  const read = (part: Buckets) => {
    const query = { product, selection, measure, dimension, buckets: part, settling: view.settling };
    return withoutLost(readSeries(traffic, query), part.width, view.lost);
  };
  const { widening } = view;
  if (widening === undefined) return shape(read(buckets));
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

/** Reads of the products that one of the two APIs has. */
function readsOf(api: Api) {
  return (path: string, handle: (call: Call, product: Product) => Reply): Operation => [
    'get',
    `/products/:product${path}`,
    (call) => {
      const product = productOf(api, idOf(call.params['product']));
      return product === undefined ? NOT_FOUND : handle(call, product);
    },
  ];
}

/** Specification 4.12, with the paths that it mentions without showing them. */
export function analytics(platform: Platform): Resource {
  const metadata = () => {
    const named = [...analyticsMeasures(platform.settings)].map(
      ([metric, { dimensions }]) => [metric, dimensions.map(({ name }) => name)] as const,
    );
    return ok(Object.fromEntries(named));
  };
  const configurations = (_call: Call, { source }: Product) =>
    ok(configurationsOf(platform.account, source).map(({ active, id, name }) => ({ active, id, name })));
  const aggregate = (call: Call, product: Product) => series(platform, call, product, 'product');
  const ofConfiguration = (call: Call, product: Product) => {
    const id = idOf(call.params['configuration']);
    const known = findConfiguration(platform.account, product.source, id);
    return known === undefined ? NOT_FOUND : series(platform, call, product, id);
  };
  const read = readsOf('analytics');
  return {
    versions: [1],
    read: 'Analytics',
    operations: [
      ['get', '/metadata', metadata],
      read('/aggregate/metrics/:metric', aggregate),
      read('/aggregate/metrics/:metric/dimensions/:dimension', aggregate),
      read('/configurations', configurations),
      read('/configurations/:configuration/metrics/:metric', ofConfiguration),
      read('/configurations/:configuration/metrics/:metric/dimensions/:dimension', ofConfiguration),
    ],
  };
}

function series(platform: Platform, call: Call, product: Product, configuration: number | 'product'): Reply {
  const { metric = '', dimension } = call.params;
  const target = { api: 'analytics', product, configuration, metric, dimension } as const;
  return seriesReply(platform, call, target, (dimensions) =>
    ok(
      configuration === 'product'
        ? { products: { [product.id]: { [metric]: dimensions } } }
        : { configurations: { [configuration]: { [metric]: dimensions } } },
    ),
  );
}

/** Specification 4.13. What it leaves open about ids and shapes is a setting. */
export function metrics(platform: Platform): Resource {
  const series = (call: Call, product: Product) => {
    const id = idOf(call.params['configuration']);
    if (!answersTo(platform, product, id)) return NOT_FOUND;
    const { metric = '', dimension } = call.params;
    const target = { api: 'metrics', product, configuration: id, metric, dimension } as const;
    return seriesReply(platform, call, target, (dimensions) => {
      const shape = dimension === undefined ? platform.settings.metricsShape : 'bare';
      return ok(SHAPES[shape](dimensions, id, metric));
    });
  };
  const list = (_call: Call, { source }: Product) =>
    LISTS[platform.settings.configurationsShape](configurationsOf(platform.account, source));
  const read = readsOf('metrics');
  return {
    versions: [2],
    read: 'Analytics',
    operations: [
      read('/configurations', list),
      read('/configurations/:configuration/metrics/:metric', series),
      read('/configurations/:configuration/metrics/:metric/dimensions/:dimension', series),
    ],
  };
}

/** Whether `:conf_id` may be this id (`metricsIds` of the settings). */
function answersTo(
  { account, settings: { metricsIds } }: Platform,
  { source }: Product,
  id: number,
): boolean {
  const all = configurationsOf(account, source);
  const own = all.find((configuration) => configuration.id === id);
  if (own && takesOwn(metricsIds, source, own.domains.length)) return true;
  return metricsIds !== 'configuration' && all.some(({ domains }) => domains.includes(id));
}

function takesOwn(ids: Settings['metricsIds'], source: ConfigurationSource, domains: number): boolean {
  if (ids === 'configuration' || ids === 'both') return true;
  return domains === 0 && (ids === 'domain_or_own' || !hasDomains(source));
}

const SHAPES: Record<
  Settings['metricsShape'],
  (dimensions: SeriesByDimension, configuration: number, metric: string) => unknown
> = {
  dimensions: (dimensions) => dimensions,
  nested: (dimensions, configuration, metric) => ({
    configurations: { [configuration]: { [metric]: dimensions } },
  }),
  bare: (dimensions) => Object.values(dimensions)[0] ?? [],
};

const LISTS: Record<Settings['configurationsShape'], (configurations: readonly Configuration[]) => Reply> = {
  array: ok,
  envelope: (results) => ok({ results }),
  sequence: (configurations) => ({
    status: 200,
    text: configurations.map((configuration) => JSON.stringify(configuration, null, 2)).join('\n'),
  }),
  object: (configurations) => ok(configurations.length === 1 ? configurations[0] : configurations),
};
