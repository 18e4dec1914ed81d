import {
  type Configuration,
  configurationsOf,
  findByDomain,
  findConfiguration,
  hasDomains,
} from '../account/configurations.ts';
import type { Api, ConfigurationSource, Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import { dataView } from '../http/data-view.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors, NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { queryWindow } from '../http/request-parts.ts';
import { answerBuckets } from '../traffic/buckets.ts';
import {
  analyticsMeasures,
  measureOf,
  productOf,
  readSeries,
  type SeriesByDimension,
  selectionOf,
} from '../traffic/series.ts';
import { type Call, idOf, type Operation, type Resource } from './resource-router.ts';

/** Responds to a read of the path's series in the form of `shape`, or with 404 or 400 if there is nothing to read. */
function seriesReply(
  platform: Platform,
  call: Call,
  api: Api,
  product: Product,
  configuration: number | 'product',
  shape: (series: SeriesByDimension, metric: string) => unknown,
): Reply {
  const { settings, traffic } = platform;
  const { metric = '', dimension } = call.params;
  const measure = measureOf(api, product, metric, settings);
  if (measure === undefined) return NOT_FOUND;
  const known = measure.dimensions.some(({ name }) => name === dimension);
  if (dimension !== undefined && !known) return NOT_FOUND;
  const utcOffset = settings.utcOffsetMinutes * 60_000;
  const window = queryWindow(call.query, call.nodeTime, utcOffset);
  if ('problem' in window) return fieldErrors({ [window.parameter]: [window.problem] });
  const context = { method: 'GET', path: new URL(call.address).pathname, now: call.now };
  const { newest, settling, has, partsOf } = dataView(platform, context, call.nodeTime);
  const selection = selectionOf({ api, product, metric }, configuration, settings);
  const series: SeriesByDimension = {};
  for (const buckets of partsOf(answerBuckets(window.from, window.to, newest, utcOffset), utcOffset)) {
    const read = readSeries(traffic, { product, selection, measure, dimension, buckets, settling });
    for (const [name, points] of Object.entries(read)) {
      const there = points.filter(([start]) => has(start, buckets.width));
      series[name] = [...(series[name] ?? []), ...there];
    }
  }
  return ok(shape(series, metric));
}

/** Returns the reads of the products that one of the two APIs has. */
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

/** Returns the resource of specification 4.12, with the paths that it mentions without examples. */
export function analytics(platform: Platform): Resource {
  const metadata = () => {
    const named = [...analyticsMeasures(platform.settings)].map(
      ([metric, { dimensions }]) => [metric, dimensions.map(({ name }) => name)] as const,
    );
    return ok(Object.fromEntries(named));
  };
  const configurations = (_call: Call, { source }: Product) =>
    ok(configurationsOf(platform.account, source).map(({ active, id, name }) => ({ active, id, name })));
  const aggregate = (call: Call, product: Product) =>
    seriesReply(platform, call, 'analytics', product, 'product', (series, metric) => ({
      products: { [product.id]: { [metric]: series } },
    }));
  const ofConfiguration = (call: Call, product: Product) => {
    const id = idOf(call.params['configuration']);
    const known = findConfiguration(platform.account, product.source, id);
    return known === undefined
      ? NOT_FOUND
      : seriesReply(platform, call, 'analytics', product, id, (series, metric) => nested(series, id, metric));
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

/** Returns the resource of specification 4.13. Settings determine ids and shapes, which it leaves open. */
export function metrics(platform: Platform): Resource {
  const series = (call: Call, product: Product) => {
    const id = idOf(call.params['configuration']);
    if (!answersTo(platform, product, id)) return NOT_FOUND;
    const shape = call.params['dimension'] === undefined ? platform.settings.metricsShape : 'bare';
    return seriesReply(platform, call, 'metrics', product, id, (found, metric) =>
      SHAPES[shape](found, id, metric),
    );
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

/** Returns true if `:conf_id` may be this id (`metricsIds` of the settings). */
function answersTo(
  { account, settings: { metricsIds } }: Platform,
  { source }: Product,
  id: number,
): boolean {
  const own = findConfiguration(account, source, id);
  if (own && takesOwn(metricsIds, source, own.domains.length)) return true;
  return metricsIds !== 'configuration' && findByDomain(account, source, id) !== undefined;
}

function takesOwn(ids: Settings['metricsIds'], source: ConfigurationSource, domains: number): boolean {
  if (ids === 'configuration' || ids === 'both') return true;
  return domains === 0 && (ids === 'domain_or_own' || !hasDomains(source));
}

type Shape = (series: SeriesByDimension, configuration: number, metric: string) => unknown;

const nested: Shape = (series, configuration, metric) => ({
  configurations: { [configuration]: { [metric]: series } },
});

const SHAPES: Record<Settings['metricsShape'], Shape> = {
  dimensions: (series) => series,
  nested,
  bare: (series) => Object.values(series)[0] ?? [],
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
