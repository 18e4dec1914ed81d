import { z } from 'zod';
import { DIMENSIONS, facesOf, families, NAMES_WITH_UNITS, unitKinds } from '../catalogue/catalogue.ts';
import { BY_VALUE, OF_WHOLES, PRODUCTS, type Product, type SeriesApi } from '../catalogue/products.ts';
import { isWord, matchesAny } from '../text/glob.ts';
import { didYouMean } from '../text/suggestion.ts';
import { durationOrAuto, isMapping, LONGEST_PATTERN, MOST_ENTRIES, MOST_NAMES } from './field-types.ts';
import type { ConfigPath, UnplacedIssue } from './issue.ts';

/** What an account is allowed, but probably not meant to say; also of one that holds mistakes besides. */
export function accountWarnings(account: LenientAccount, path: ConfigPath): UnplacedIssue[] {
  return Array.from(doubtsOf(account), (finding) => ({ ...finding, path: [...path, ...finding.path] }));
}

/** From here on buckets settle when the usual windows of an hour have left them behind. */
const LONG_SETTLE_MS = 50 * 60_000;

/** With paths from the account. */
function* doubtsOf(account: LenientAccount): Generator<UnplacedIssue> {
  const { collectors, units, settle_delay } = account;
  for (const product of PRODUCTS) {
    yield* unknownMetrics(account, product);
    yield* unknownDimensions(account, product);
    yield* topOfNothing(account, product);
  }
  yield* readTwice(account);
  for (const name of Object.keys(units)) {
    if (unitKinds(name) !== undefined) continue;
    const what = name.includes('.') ? 'dimension of a metric' : 'metric';
    const hint = didYouMean(name, NAMES_WITH_UNITS);
    yield warning(['units', name], `not a known ${what}: the unit has no effect${hint}`, 'key');
  }
  if (typeof settle_delay === 'number' && settle_delay > LONG_SETTLE_MS)
    yield warning(
      ['settle_delay'],
      'above 50m counters need a separate read for each metric and configuration, and move only every ten minutes',
    );
  if (collectors !== undefined && Object.values(collectors).every(({ enabled }) => enabled === false))
    yield warning(['collectors'], 'no collector is enabled: nothing is read for this account', 'key');
  yield* namesForIds(account);
  yield* schedulesWithSeconds(account);
}

/** What a receiver selects, and is not there. @param exposed undefined: names of settings and of the exporter's own metrics are not looked up */
export function* unknownToPush(
  receivers: ReturnType<typeof lenientConfig>['push'],
  names: readonly string[],
  exposed?: readonly string[],
): Generator<UnplacedIssue> {
  const known = exposed ?? families().map(({ name }) => name);
  for (const [index, { accounts, families: selected }] of receivers.entries()) {
    for (const [at, pattern] of unmatched(accounts, names)) {
      const message = `no account has this name: nothing of it is pushed${didYouMean(pattern, names)}`;
      yield warning(['push', index, 'accounts', at], message);
    }
    for (const [at, pattern] of unmatched(selected, known)) {
      const hint = didYouMean(pattern, known);
      if (exposed === undefined && hint === '' && /^(edge|process|nodejs)_/.test(pattern)) continue;
      yield warning(
        ['push', index, 'families', at],
        `no family has this name: nothing is pushed for it${hint}`,
      );
    }
  }
}

/** Patterns of families that are to be left out, of which there are none. */
export function* excludesNothing(
  patterns: readonly unknown[],
  exposed: readonly string[],
): Generator<UnplacedIssue> {
  for (const [at, pattern] of unmatched(patterns, exposed)) {
    const message = `no family has this name: nothing is left out${didYouMean(pattern, exposed)}`;
    yield warning(['metrics', 'exclude', at], message);
  }
}

/** Of a list, so many patterns without a name are told, and so many names are compared with its patterns that are not names themselves. */
const MOST_UNMATCHED = 100;
const MOST_COMPARED = 200_000;

/** The patterns that none of the names matches, with their places: there may be ten thousand of each. */
function* unmatched(
  patterns: readonly unknown[],
  names: readonly string[],
): Generator<[at: number, pattern: string]> {
  const known = new Set(names);
  let [found, compared] = [0, 0];
  for (const [at, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN || known.has(pattern)) continue;
    if (!isWord(pattern)) {
      compared += names.length;
      if (compared > MOST_COMPARED || names.some(matchesAny([pattern]))) continue;
    }
    yield [at, pattern];
    found += 1;
    if (found === MOST_UNMATCHED) return;
  }
}

/** The collectors that take ids take no names. */
function* namesForIds({ collectors = {} }: LenientAccount): Generator<UnplacedIssue> {
  const message = 'expected the id of a configuration, a number: names are not looked up here';
  for (const [name, { configurations }] of Object.entries(collectors))
    for (const [index, id] of configurations.entries())
      if (typeof id === 'string' && !/^\d+$/.test(id.trim()))
        yield warning(['collectors', name, 'configurations', index], message);
}

function* schedulesWithSeconds({ discovery, collectors = {} }: LenientAccount): Generator<UnplacedIssue> {
  const given: [ConfigPath, string | undefined][] = [[['discovery'], discovery]];
  for (const [name, { schedule, products = {} }] of Object.entries(collectors)) {
    given.push([['collectors', name, 'schedule'], schedule]);
    for (const [product, settings] of Object.entries(products))
      given.push([['collectors', name, 'products', product, 'schedule'], settings.schedule]);
  }
  for (const [path, schedule] of given)
    if (schedule?.trim().split(/\s+/).length === 6)
      yield warning(path, 'the field for seconds is ignored: polls are a minute apart or more');
}

/** A collector of series that runs; undefined where it does not. */
function running({ collectors = {} }: LenientAccount, api: SeriesApi) {
  const collector = Object.hasOwn(collectors, api) ? collectors[api] : undefined;
  return collector?.enabled === false ? undefined : collector;
}

/** The metrics that some products have by GraphQL alone. */
const ONLY_ELSEWHERE = new Set(PRODUCTS.flatMap(({ onlyElsewhere = [] }) => onlyElsewhere));

function* unknownMetrics(account: LenientAccount, product: Product): Generator<UnplacedIssue> {
  const { api, slug } = product;
  const collector = running(account, api);
  const { metrics = [], by = [] } = collector?.products?.[slug] ?? {};
  const isByRest = (collector?.source ?? account.source) === 'rest';
  for (const [index, metric] of metrics.entries()) {
    if (typeof metric !== 'string' || metric === '*') continue;
    const message = whyNotRead(product, metric, isByRest, by.includes('product'));
    if (message !== undefined)
      yield warning(['collectors', api, 'products', slug, 'metrics', index], message);
  }
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

/** A number of top values, where no metric is read that is broken down. */
function* topOfNothing(
  account: LenientAccount,
  { api, slug, onlyElsewhere = [] }: Product,
): Generator<UnplacedIssue> {
  const hasValues = (metric: unknown) => Object.hasOwn(BY_VALUE, String(metric));
  const { top, metrics = [] } = running(account, api)?.products?.[slug] ?? {};
  if (top === undefined || !onlyElsewhere.some(hasValues) || metrics.some(hasValues)) return;
  const message = `has no effect: metrics names none of ${Object.keys(BY_VALUE).join(', ')}`;
  yield warning(['collectors', api, 'products', slug, 'top'], message);
}

function* unknownDimensions(
  account: LenientAccount,
  { api, slug, metrics, onlyElsewhere = [] }: Product,
): Generator<UnplacedIssue> {
  const given = running(account, api)?.products?.[slug];
  const asked = given?.metrics?.filter((metric) => typeof metric === 'string') ?? [];
  const isAll = asked.length === 0 || asked.includes('*');
  const read = isAll ? [...metrics, ...asked.filter((metric) => onlyElsewhere.includes(metric))] : asked;
  // Nobody knows which dimensions an unknown metric has.
  if (!read.every((metric) => Object.hasOwn(DIMENSIONS, metric))) return;
  const known = new Set(read.flatMap((metric) => DIMENSIONS[metric] ?? []));
  for (const [index, dimension] of unmatched(given?.dimensions ?? [], [...known])) {
    if (dimension.trim() === '') continue;
    if (read.some((metric) => facesOf(metric, dimension, { scope: 'configuration' }).known)) continue;
    const message = `not a known dimension of what is read of ${slug}: exported only if the platform has it${didYouMean(dimension, known)}`;
    yield warning(['collectors', api, 'products', slug, 'dimensions', index], message);
  }
}

function* readTwice(account: LenientAccount): Generator<UnplacedIssue> {
  const [metrics, analytics] = [running(account, 'metrics'), running(account, 'analytics')];
  if (metrics === undefined) return;
  const reads = (slug: string) => metrics.products === undefined || slug in metrics.products;
  // Without products of its own the analytics collector leaves out what the other reads.
  const read = PRODUCTS.filter(({ api, slug }) => api === 'analytics' && slug in (analytics?.products ?? {}));
  for (const { slug, id } of read) {
    const twin = PRODUCTS.find((other) => other.api === 'metrics' && other.id === id && reads(other.slug));
    if (twin === undefined) continue;
    const message = `the metrics collector reads the same product as ${twin.slug}: its series will exist twice, under two product labels`;
    yield warning(['collectors', 'analytics', 'products', slug], message, 'key');
  }
}

function warning(path: ConfigPath, message: string, at: UnplacedIssue['at'] = 'value'): UnplacedIssue {
  return { path, at, message };
}

const TEXT = z.string().optional().catch(undefined);
const LIST = z.array(z.unknown()).max(MOST_ENTRIES).catch([]);
const NAMES = z.array(z.unknown()).max(MOST_NAMES).catch([]);

/** A mapping, as far as it can be read whatever else is wrong with it; the schema reports mistakes. @param instead of what is none */
function lenient<Shape extends z.ZodRawShape>(shape: Shape, instead: object = {}) {
  return z.preprocess((value) => (isMapping({ value }) ? value : instead), z.object(shape));
}

const PRODUCT = lenient({
  schedule: TEXT,
  metrics: LIST,
  top: z.unknown().optional(),
  by: LIST,
  dimensions: LIST,
});

const COLLECTOR = lenient(
  {
    enabled: z.unknown().optional(),
    source: TEXT,
    schedule: TEXT,
    configurations: NAMES,
    products: z.record(z.string(), PRODUCT).optional().catch({}),
  },
  { products: {} },
);

const ACCOUNT = lenient({
  name: TEXT,
  api_url: TEXT,
  source: TEXT,
  token: TEXT,
  token_file: TEXT,
  discovery: TEXT,
  settle_delay: durationOrAuto({ min: 0, max: Number.POSITIVE_INFINITY }).optional().catch(undefined),
  units: z.record(z.string(), z.unknown()).catch({}),
  collectors: z.record(z.string(), COLLECTOR).optional().catch(undefined),
});

const RECEIVER = lenient({ accounts: NAMES, families: LIST });

const FILES = z.union([z.string().transform((file) => [file]), z.array(z.string())]);

const CONFIG = lenient({
  metrics: lenient({ exclude: LIST }),
  push: z.array(RECEIVER).catch([]),
  accounts_from: FILES.catch([]),
});

/** An account, as far as it can be read; without `collectors` it runs all, or what it says of them is no mapping. */
export type LenientAccount = z.output<typeof ACCOUNT>;

export function lenientAccount(value: unknown): LenientAccount {
  return ACCOUNT.parse(value);
}

/** What of a configuration is not its accounts': receivers in their order, what is left out, and where further accounts are. */
export function lenientConfig(value: unknown): z.output<typeof CONFIG> {
  return CONFIG.parse(value);
}
