import {
  type Configuration,
  configurationsOf,
  findByDomain,
  findConfiguration,
} from '../account/configurations.ts';
import type { Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import type { Platform } from '../http/platform.ts';
import { NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { type Call, idOf, type Operation, type Resource } from '../resource.ts';
import { productOf } from '../traffic/metric-lookup.ts';
import type { SeriesByDimension } from '../traffic/series.ts';
import { seriesReply } from './series-answer.ts';

/** Specification 4.13. What it leaves open about ids and shapes is a setting. */
export function metrics(platform: Platform): Resource {
  const read = (path: string, handle: (call: Call, product: Product) => Reply): Operation => ({
    method: 'get',
    path: `/products/:product/configurations${path}`,
    permission: 'Analytics',
    handle(call) {
      const product = productOf('metrics', idOf(call.params['product']));
      return product === undefined ? NOT_FOUND : handle(call, product);
    },
  });
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
  return {
    versions: [2],
    operations: [
      read('', (_call, product) =>
        LISTS[platform.settings.configurationsShape](configurationsOf(platform.account, product.source)),
      ),
      read('/:configuration/metrics/:metric', series),
      read('/:configuration/metrics/:metric/dimensions/:dimension', series),
    ],
  };
}

/** Whether `:conf_id` may be this id. A configuration without domains has only its own. */
function answersTo({ account, settings }: Platform, product: Product, id: number): boolean {
  const own = findConfiguration(account, product.source, id);
  if (own && (settings.metricsIds !== 'domain' || own.domains.length === 0)) return true;
  return settings.metricsIds !== 'configuration' && findByDomain(account, product.source, id) !== undefined;
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

const LISTS: Record<Settings['configurationsShape'], (configurations: Configuration[]) => Reply> = {
  array: ok,
  envelope: (results) => ok({ results }),
  sequence: (configurations) => ({
    status: 200,
    text: configurations.map((configuration) => JSON.stringify(configuration, null, 2)).join('\n'),
  }),
  object: (configurations) => ok(configurations.length === 1 ? configurations[0] : configurations),
};
