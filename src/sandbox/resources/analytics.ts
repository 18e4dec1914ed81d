import { configurationsOf, findConfiguration } from '../account/configurations.ts';
import type { Product } from '../account/served-products.ts';
import type { Platform } from '../http/platform.ts';
import { NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { type Call, idOf, type Operation, type Resource } from '../resource.ts';
import { analyticsMeasures, productOf } from '../traffic/metric-lookup.ts';
import { seriesReply } from './series-answer.ts';

/** Specification 4.12, with the paths that it mentions without showing them. */
export function analytics(platform: Platform): Resource {
  const metadata = () =>
    ok(
      Object.fromEntries(
        [...analyticsMeasures(platform.settings)].map(([metric, { dimensions }]) => [
          metric,
          dimensions.map(({ name }) => name),
        ]),
      ),
    );
  const read = (path: string, handle: (call: Call, product: Product) => Reply): Operation => ({
    method: 'get',
    path: `/products/:product${path}`,
    permission: 'Analytics',
    handle(call) {
      const product = productOf('analytics', idOf(call.params['product']));
      return product === undefined ? NOT_FOUND : handle(call, product);
    },
  });
  const aggregate = (call: Call, product: Product) => series(platform, call, product, 'product');
  const ofConfiguration = (call: Call, product: Product) => {
    const id = idOf(call.params['configuration']);
    const known = findConfiguration(platform.account, product.source, id);
    return known === undefined ? NOT_FOUND : series(platform, call, product, id);
  };
  return {
    versions: [1],
    operations: [
      { method: 'get', path: '/metadata', permission: 'Analytics', handle: metadata },
      read('/aggregate/metrics/:metric', aggregate),
      read('/aggregate/metrics/:metric/dimensions/:dimension', aggregate),
      read('/configurations', (_call, product) =>
        ok(
          configurationsOf(platform.account, product.source).map(({ active, id, name }) => ({
            active,
            id,
            name,
          })),
        ),
      ),
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
