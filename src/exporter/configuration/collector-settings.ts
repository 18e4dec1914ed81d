import { z } from 'zod';
import { BY_VALUE, PRODUCTS, type Product, type SeriesApi, TOP_VALUES } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import type { Collector } from '../settings/collector.ts';
import { type ConfiguredSource, sourceName } from './access.ts';
import { listOf, MOST_NAMES, nameOrId, patternText, schedule } from './field-types.ts';

const enabled = () => z.boolean().default(true).describe('false disables the collector.');

function metricsText({ metrics, onlyElsewhere = [] }: Product): string {
  const named = onlyElsewhere.length === 0 ? '' : `; only by name: ${onlyElsewhere.join(', ')}`;
  return `Metrics to read, "*" for all: ${metrics.join(', ')}${named}. Others are exported raw.`;
}

/** Keys that do not depend on the product. Created once, because schemas of fifteen products take a tenth of the start time. */
const OF_EVERY_PRODUCT = {
  address_by: z
    .enum(['auto', 'configuration', 'domain'])
    .default('auto')
    .describe('Kind of id that the API expects for a configuration; auto detects it.'),
  schedule: schedule()
    .exactOptional()
    .describe("When to poll, as a cron expression in UTC; default: the collector's schedule."),
  configurations: z
    .strictObject({
      include: listOf(nameOrId(), MOST_NAMES)
        .min(1, 'must not be empty; leave the key out to include all')
        .prefault(['*'])
        .describe(
          'Names (globs) or ids of the configurations to read; inactive ones only by their very name or id.',
        ),
      exclude: listOf(nameOrId(), MOST_NAMES)
        .prefault([])
        .describe('Names (globs) or ids of configurations to leave out.'),
    })
    .prefault({})
    .describe('Configurations to read.'),
};

const BY = { metrics: ways('metrics'), analytics: ways('analytics') };

const TOP = z
  .int()
  .min(1)
  .max(100)
  .exactOptional()
  .describe(
    `How many values have series of their own in metrics by country, host and the like, of each configuration; the rest is "other". ${TOP_VALUES} where it is left out.`,
  );

const DIMENSIONS = listOf(patternText())
  .min(1, 'must not be empty; leave the key out for all')
  .default(['*'])
  .describe('Dimensions of these metrics to export, "*" for all.');

function ways(api: SeriesApi) {
  return listOf(z.enum(['configuration', 'product']))
    .min(1, 'must not be empty')
    .refine(
      (given) => api === 'analytics' || !given.includes('product'),
      'only the analytics API can read a whole product',
    )
    .default(['configuration'])
    .describe('Series to read: of each configuration, of the product as a whole (analytics only), or both.');
}

function productSettings(product: Product) {
  const { api, metrics, onlyElsewhere = [] } = product;
  const hasValues = onlyElsewhere.some((metric) => Object.hasOwn(BY_VALUE, metric));
  return z.strictObject({
    by: BY[api],
    ...OF_EVERY_PRODUCT,
    metrics: listOf(patternText().meta({ examples: ['*', ...metrics, ...onlyElsewhere] }))
      .min(1, 'must not be empty; leave the key out for all')
      .default(['*'])
      .describe(metricsText(product)),
    ...((hasValues ? { top: TOP } : {}) as { top: typeof TOP }),
    dimensions: DIMENSIONS,
  });
}

/** Settings of one product. */
export type ProductSettings = z.output<ReturnType<typeof productSettings>>;

/** Settings of a collector that reads series of some products. */
export interface SeriesCollector {
  /** Cron expression for products without one of their own. */
  readonly schedule: string;
  /** API to read from; undefined for the account's. */
  readonly source?: ConfiguredSource;
  readonly products: Readonly<Record<string, ProductSettings>>;
}

/** Settings of a product that the configuration does not mention. */
const USUAL_SETTINGS = z
  .strictObject({ by: BY.metrics, ...OF_EVERY_PRODUCT, metrics: DIMENSIONS, dimensions: DIMENSIONS })
  .parse({});

const productsOf = (api: SeriesApi) => PRODUCTS.filter((product) => product.api === api);

function seriesCollector(api: SeriesApi) {
  const shape = Object.fromEntries(
    productsOf(api).map((product) => [
      product.slug,
      productSettings(product).exactOptional().describe(`Product ${product.id} of the ${api} API.`),
    ]),
  );
  const products = z.strictObject(shape).refine((given) => Object.keys(given).length > 0, {
    error: 'must not be empty; leave the key out for all',
    // Removes unknown keys from the given value.
    when: ({ issues }) => issues.length === 0,
  });
  return z.strictObject({
    enabled: enabled(),
    schedule: schedule()
      .default('* * * * *')
      .describe('When to poll, as a cron expression in UTC; at most once a minute.'),
    source: sourceName()
      .exactOptional()
      .describe("API that these series come from; default: the account's source."),
    products: products
      .exactOptional()
      .describe(
        api === 'metrics'
          ? 'Products to read; without this key, all of this API.'
          : 'Products to read; without this key, all of this API that the metrics collector does not read.',
      ),
  });
}

function settingsCollectorOf({ schedule: usual, about, takesIds }: Collector) {
  const configurations = listOf(nameOrId(), MOST_NAMES)
    .min(1, 'must not be empty; leave the key out to detect them')
    .exactOptional()
    .describe(
      'Ids of the configurations to read; without this key, they are taken from lists of the platform.',
    );
  return z
    .strictObject({
      enabled: enabled(),
      schedule: schedule()
        .default(usual)
        .describe('When to poll, as a cron expression in UTC; at most once a minute.'),
      ...((takesIds ? { configurations } : {}) as { configurations: typeof configurations }),
    })
    .exactOptional()
    .describe(about);
}

const SETTINGS_NAMES = Object.keys(COLLECTORS) as CollectorName[];

const SETTINGS = Object.fromEntries(
  SETTINGS_NAMES.map((name) => [name, settingsCollectorOf(COLLECTORS[name])]),
) as {
  [Name in CollectorName]: ReturnType<typeof settingsCollectorOf>;
};

/** Schema of an account's enabled collectors, by name. */
export const COLLECTORS_SCHEMA = z.strictObject({
  metrics: seriesCollector('metrics').exactOptional().describe('Series of the metrics API (version 2).'),
  analytics: seriesCollector('analytics')
    .exactOptional()
    .describe('Series of the analytics API (version 1).'),
  ...SETTINGS,
});

/** Settings of a collector that reads one part of the platform's settings. */
export interface SettingsCollector {
  readonly schedule: string;
  /** Ids to read, for collectors that need them. */
  readonly configurations?: readonly string[];
}

/** Collectors of an account. An absent collector is disabled. */
export type Collectors = {
  readonly [Api in SeriesApi]?: SeriesCollector;
} & {
  readonly [Name in CollectorName]?: SettingsCollector;
};

/** Returns the enabled collectors with their products. */
export function toCollectors(given: z.output<typeof COLLECTORS_SCHEMA>): Collectors {
  const metrics = given.metrics?.enabled ? withProducts(given.metrics, productsOf('metrics')) : undefined;
  const read = new Set(
    productsOf('metrics').flatMap(({ slug, id }) => (metrics?.products[slug] === undefined ? [] : [id])),
  );
  const unread = productsOf('analytics').filter(({ id }) => !read.has(id));
  const analytics = given.analytics?.enabled ? withProducts(given.analytics, unread) : undefined;
  const settings = SETTINGS_NAMES.flatMap((name) => {
    const collector = given[name];
    if (!collector?.enabled) return [];
    const { enabled: _, ...settings } = collector;
    return [[name, settings] as const];
  });
  return { ...(metrics && { metrics }), ...(analytics && { analytics }), ...Object.fromEntries(settings) };
}

function withProducts(
  given: { schedule: string; source?: ConfiguredSource; products?: Record<string, ProductSettings> },
  usual: readonly Product[],
): SeriesCollector {
  const all = () => Object.fromEntries(usual.map(({ slug }) => [slug, USUAL_SETTINGS]));
  const { schedule, source, products = all() } = given;
  return { schedule, ...(source !== undefined && { source }), products };
}

/** Returns all collectors: all products of the metrics API, products that only the analytics API has, and all settings. */
export function defaultCollectors(): Collectors {
  const everything = Object.keys(COLLECTORS_SCHEMA.shape).map((name) => [name, {}]);
  return toCollectors(COLLECTORS_SCHEMA.parse(Object.fromEntries(everything)));
}
