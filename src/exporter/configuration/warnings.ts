import { z } from 'zod';
import { facesOf, families, NAMES_WITH_UNITS, unitKinds } from '../catalogue/catalogue.ts';
import {
  BY_VALUE,
  DIMENSIONS,
  OF_WHOLES,
  PRODUCTS,
  type Product,
  type SeriesApi,
} from '../catalogue/products.ts';
import { matchesAny } from '../text/glob.ts';
import { didYouMean } from '../text/suggestion.ts';
import { durationOrAuto } from './field-types.ts';
import type { ConfigPath, Finding } from './issue.ts';

/** What an account is allowed, but probably not meant to say; also of one that holds mistakes besides. */
export function accountWarnings(account: LenientAccount, path: ConfigPath): Finding[] {
  return [
    ...unknownMetrics(account, path),
    ...unknownDimensions(account, path),
    ...topOfNothing(account, path),
    ...readTwice(account, path),
    ...unknownUnits(account, path),
    ...slowToSettle(account, path),
    ...nothingToDo(account, path),
    ...namesForIds(account, path),
    ...schedulesWithSeconds(account, path),
  ];
}

/** What a receiver selects, and is not there. Names of settings and of the exporter's own metrics are not looked up. */
export function unknownToPush(receivers: readonly LenientReceiver[], names: readonly string[]): Finding[] {
  const buckets = families().map(({ name }) => name);
  return receivers.flatMap((receiver, index) => [
    ...receiver.accounts.flatMap((pattern, at): Finding[] => {
      if (typeof pattern !== 'string' || isMatched(names, pattern)) return [];
      const message = `no account has this name: nothing of it is pushed${didYouMean(pattern, names)}`;
      return [warning(['push', index, 'accounts', at], message)];
    }),
    ...receiver.families.flatMap((pattern, at): Finding[] => {
      if (typeof pattern !== 'string' || isMatched(buckets, pattern)) return [];
      const hint = didYouMean(pattern, buckets);
      if (hint === '' && /^(edge|process|nodejs)_/.test(pattern)) return [];
      return [warning(['push', index, 'families', at], `no family of buckets has this name${hint}`)];
    }),
  ]);
}

/** Patterns of families that are to be left out, of which there are none. */
export function excludesNothing(patterns: readonly unknown[], exposed: readonly string[]): Finding[] {
  return patterns.flatMap((pattern, at): Finding[] => {
    if (typeof pattern !== 'string' || isMatched(exposed, pattern)) return [];
    const message = `no family has this name: nothing is left out${didYouMean(pattern, exposed)}`;
    return [warning(['metrics', 'exclude', at], message)];
  });
}

function isMatched(names: readonly string[], pattern: string): boolean {
  const matches = matchesAny([pattern]);
  return names.some((name) => matches(name));
}

/** The collectors that take ids take no names. */
function namesForIds({ collectors = {} }: LenientAccount, path: ConfigPath): Finding[] {
  return Object.entries(collectors).flatMap(([name, { configurations }]) =>
    configurations.flatMap((id, index): Finding[] => {
      if (typeof id !== 'string' || /^\d+$/.test(id.trim())) return [];
      const message = 'expected the id of a configuration, a number: names are not looked up here';
      return [warning([...path, 'collectors', name, 'configurations', index], message)];
    }),
  );
}

function schedulesWithSeconds({ discovery, collectors = {} }: LenientAccount, path: ConfigPath): Finding[] {
  const given: [ConfigPath, string | undefined][] = [
    [['discovery'], discovery],
    ...Object.entries(collectors).flatMap(
      ([name, { schedule, products = {} }]): [ConfigPath, string | undefined][] => [
        [['collectors', name, 'schedule'], schedule],
        ...Object.entries(products).map(([product, of]): [ConfigPath, string | undefined] => [
          ['collectors', name, 'products', product, 'schedule'],
          of.schedule,
        ]),
      ],
    ),
  ];
  return given.flatMap(([key, schedule]) => {
    if (schedule?.trim().split(/\s+/).length !== 6) return [];
    return [warning([...path, ...key], 'the field for seconds is ignored: polls are a minute apart or more')];
  });
}

/** A collector of series that runs; undefined where it does not. */
function running({ collectors = {} }: LenientAccount, api: SeriesApi) {
  const collector = Object.hasOwn(collectors, api) ? collectors[api] : undefined;
  return collector?.enabled === false ? undefined : collector;
}

/** The metrics that some products have by GraphQL alone. */
const ONLY_ELSEWHERE = new Set(PRODUCTS.flatMap(({ onlyElsewhere = [] }) => onlyElsewhere));

function unknownMetrics(account: LenientAccount, path: ConfigPath): Finding[] {
  return PRODUCTS.flatMap((product) => {
    const { api, slug } = product;
    const collector = running(account, api);
    const { metrics = [], by = [] } = collector?.products?.[slug] ?? {};
    const isByRest = (collector?.source ?? account.source) === 'rest';
    return metrics.flatMap((metric, index): Finding[] => {
      if (typeof metric !== 'string' || metric === '*') return [];
      const message = whyNotRead(product, metric, isByRest, by.includes('product'));
      if (message === undefined) return [];
      return [warning([...path, 'collectors', api, 'products', slug, 'metrics', index], message)];
    });
  });
}

/** Why a metric is not read as it is named; undefined where it is. */
function whyNotRead(
  { slug, metrics, onlyElsewhere = [] }: Product,
  metric: string,
  isByRest: boolean,
  isByProduct: boolean,
): string | undefined {
  if (ONLY_ELSEWHERE.has(metric) && !onlyElsewhere.includes(metric)) {
    const those = PRODUCTS.filter((product) => product.onlyElsewhere?.includes(metric));
    return `not a metric of ${slug}, but of ${[...new Set(those.map((product) => product.slug))].join(' and ')}`;
  }
  if (isByRest && onlyElsewhere.includes(metric))
    return 'REST does not have this metric: with source: rest it is not read';
  if (OF_WHOLES.has(metric) && !isByProduct)
    return 'it is known of the product as a whole alone, and not read without by: [product]';
  if (Object.hasOwn(DIMENSIONS, metric)) return undefined;
  return `not a known metric, will be exported raw as edge_metric${didYouMean(metric, [...metrics, ...onlyElsewhere])}`;
}

/** A number of values to tell apart, where no metric is read that has any. */
function topOfNothing(account: LenientAccount, path: ConfigPath): Finding[] {
  return PRODUCTS.flatMap(({ api, slug, onlyElsewhere = [] }): Finding[] => {
    if (!onlyElsewhere.some((metric) => Object.hasOwn(BY_VALUE, metric))) return [];
    const { top, metrics = [] } = running(account, api)?.products?.[slug] ?? {};
    if (top === undefined || metrics.some((metric) => Object.hasOwn(BY_VALUE, String(metric)))) return [];
    const message = `has no effect: metrics names none of ${Object.keys(BY_VALUE).join(', ')}`;
    return [warning([...path, 'collectors', api, 'products', slug, 'top'], message)];
  });
}

function unknownDimensions(account: LenientAccount, path: ConfigPath): Finding[] {
  return PRODUCTS.flatMap(({ api, slug, metrics, onlyElsewhere = [] }) => {
    const given = running(account, api)?.products?.[slug];
    if (given?.dimensions === undefined) return [];
    const asked = given.metrics?.filter((metric) => typeof metric === 'string') ?? [];
    const isAll = asked.length === 0 || asked.includes('*');
    const read = isAll ? [...metrics, ...asked.filter((metric) => onlyElsewhere.includes(metric))] : asked;
    // Nobody knows which dimensions an unknown metric has.
    if (!read.every((metric) => Object.hasOwn(DIMENSIONS, metric))) return [];
    const known = new Set(read.flatMap((metric) => DIMENSIONS[metric] ?? []));
    return given.dimensions.flatMap((dimension, index): Finding[] => {
      if (typeof dimension !== 'string' || dimension.trim() === '') return [];
      if (read.some((metric) => facesOf(metric, dimension, { scope: 'configuration' }).known)) return [];
      const matches = matchesAny([dimension]);
      if ([...known].some((name) => matches(name))) return [];
      const message = `not a known dimension of what is read of ${slug}: exported only if the platform has it${didYouMean(dimension, known)}`;
      return [warning([...path, 'collectors', api, 'products', slug, 'dimensions', index], message)];
    });
  });
}

function readTwice(account: LenientAccount, path: ConfigPath): Finding[] {
  const [metrics, analytics] = [running(account, 'metrics'), running(account, 'analytics')];
  if (metrics === undefined) return [];
  const reads = (slug: string) => metrics.products === undefined || slug in metrics.products;
  // Without products of its own the analytics collector leaves out what the other reads.
  const read = PRODUCTS.filter(({ api, slug }) => api === 'analytics' && slug in (analytics?.products ?? {}));
  return read.flatMap(({ slug, id }) => {
    const twin = PRODUCTS.find((other) => other.api === 'metrics' && other.id === id && reads(other.slug));
    if (twin === undefined) return [];
    const message = `the metrics collector reads the same product as ${twin.slug}: its series will exist twice, under two product labels`;
    return [warning([...path, 'collectors', 'analytics', 'products', slug], message, 'key')];
  });
}

function unknownUnits(account: LenientAccount, path: ConfigPath): Finding[] {
  const unknown = Object.keys(account.units).filter((name) => unitKinds(name) === undefined);
  return unknown.map((name) => {
    const what = name.includes('.') ? 'dimension of a metric' : 'metric';
    const message = `not a known ${what}: the unit has no effect${didYouMean(name, NAMES_WITH_UNITS)}`;
    return warning([...path, 'units', name], message, 'key');
  });
}

/** From here on buckets settle when the usual windows of an hour have left them behind. */
const LONG_SETTLE_MS = 50 * 60_000;

function slowToSettle({ settle_delay }: LenientAccount, path: ConfigPath): Finding[] {
  if (typeof settle_delay !== 'number' || settle_delay <= LONG_SETTLE_MS) return [];
  const message =
    'above 50m counters need a separate read for each metric and configuration, and move only every ten minutes';
  return [warning([...path, 'settle_delay'], message)];
}

function nothingToDo({ collectors }: LenientAccount, path: ConfigPath): Finding[] {
  if (collectors === undefined) return [];
  if (Object.values(collectors).some(({ enabled }) => enabled !== false)) return [];
  return [
    warning([...path, 'collectors'], 'no collector is enabled: nothing is read for this account', 'key'),
  ];
}

function warning(path: ConfigPath, message: string, at: Finding['at'] = 'value'): Finding {
  return { path, at, message };
}

/** What a configuration says, as far as it can be read whatever else is wrong with it; the schema reports mistakes. */
const PRODUCT = z
  .object({
    schedule: z.string().optional().catch(undefined),
    metrics: z.array(z.unknown()).catch([]),
    top: z.unknown().optional(),
    by: z.array(z.unknown()).catch([]),
    dimensions: z.array(z.unknown()).catch([]),
  })
  .catch({ schedule: undefined, metrics: [], dimensions: [], by: [] });

const TEXT = z.string().optional().catch(undefined);

const COLLECTOR = z
  .object({
    enabled: z.unknown().optional(),
    source: TEXT,
    schedule: TEXT,
    configurations: z.array(z.unknown()).catch([]),
    products: z.record(z.string(), PRODUCT).optional().catch({}),
  })
  .catch({ enabled: true, source: undefined, schedule: undefined, configurations: [], products: {} });

const REQUEST = z.object({ ca_file: TEXT, cert_file: TEXT, key_file: TEXT }).catch({});

const ACCOUNT = z
  .object({
    name: TEXT,
    api_url: TEXT,
    source: TEXT,
    token: TEXT,
    token_file: TEXT,
    password_file: TEXT,
    discovery: TEXT,
    request: REQUEST.prefault({}),
    settle_delay: durationOrAuto({ min: 0, max: Number.POSITIVE_INFINITY }).optional().catch(undefined),
    units: z.record(z.string(), z.unknown()).catch({}),
    collectors: z.record(z.string(), COLLECTOR).optional().catch(undefined),
  })
  .catch({ units: {}, request: {} });

const RECEIVER = z
  .object({
    token_file: TEXT,
    password_file: TEXT,
    request: REQUEST.prefault({}),
    accounts: z.array(z.unknown()).catch([]),
    families: z.array(z.unknown()).catch([]),
  })
  .catch({ request: {}, accounts: [], families: [] });

const METRICS = z.object({ exclude: z.array(z.unknown()).catch([]) }).catch({ exclude: [] });

const CONFIG = z
  .object({ metrics: METRICS.default({ exclude: [] }), push: z.array(RECEIVER).catch([]) })
  .catch({ metrics: { exclude: [] }, push: [] });

/** An account, as far as it can be read; without `collectors` it runs all, or what it says of them is no mapping. */
export type LenientAccount = z.output<typeof ACCOUNT>;

export function lenientAccount(value: unknown): LenientAccount {
  return ACCOUNT.parse(value);
}

/** A receiver: the files that it names, and what it selects. */
export type LenientReceiver = z.output<typeof RECEIVER>;

/** What of a configuration is not its accounts': receivers in their order, and what is left out. */
export function lenientConfig(value: unknown): z.output<typeof CONFIG> {
  return CONFIG.parse(value);
}

const FILES = z.union([z.string().transform((file) => [file]), z.array(z.string())]);
const ACCOUNTS_FROM = z.object({ accounts_from: FILES.catch([]) }).catch({ accounts_from: [] });

/** Where a configuration says that further accounts are. */
export function lenientAccountsFrom(value: unknown): readonly string[] {
  return ACCOUNTS_FROM.parse(value).accounts_from;
}
