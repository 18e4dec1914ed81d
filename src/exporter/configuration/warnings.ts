import type { z } from 'zod';
import { DIMENSIONS, facesOf, families, NAMES_WITH_UNITS, unitKinds } from '../catalogue/catalogue.ts';
import { OF_WHOLES, PRODUCTS, type Product, type SeriesApi } from '../catalogue/products.ts';
import { parseDuration } from '../text/figures.ts';
import { isWord, matchesAny } from '../text/glob.ts';
import { didYouMean } from '../text/suggestion.ts';
import type { ConfigPath, UnplacedIssue } from './issue.ts';
import type { ACCOUNT, Config } from './schema.ts';

/** Account before validation, which breaks no rule of the schema. */
type Given = z.input<typeof ACCOUNT>;

/** Returns warnings about settings of an account that are allowed but probably not intended. */
export function accountWarnings(account: Given, path: ConfigPath): UnplacedIssue[] {
  return Array.from(doubtsOf(account), (finding) => ({ ...finding, path: [...path, ...finding.path] }));
}

/** Settle delay (ms) beyond which the usual windows of an hour no longer contain a bucket when it settles. */
const LONG_SETTLE_MS = 50 * 60_000;

/** Yields warnings, with paths relative to the account. */
function* doubtsOf(account: Given): Generator<UnplacedIssue> {
  const { collectors, units = {}, settle_delay = 'auto' } = account;
  for (const product of PRODUCTS) {
    yield* unknownMetrics(account, product);
    yield* unknownDimensions(account, product);
  }
  yield* readTwice(account);
  for (const name of Object.keys(units)) {
    if (unitKinds(name) !== undefined) continue;
    const what = name.includes('.') ? 'dimension of a metric' : 'metric';
    const hint = didYouMean(name, NAMES_WITH_UNITS);
    yield warning(['units', name], `not a known ${what}: the unit has no effect${hint}`, 'key');
  }
  if ((parseDuration(settle_delay) ?? 0) > LONG_SETTLE_MS)
    yield warning(
      ['settle_delay'],
      'above 50m counters need a separate read for each metric and configuration, and move only every ten minutes',
    );
  if (collectors !== undefined && Object.values(collectors).every(({ enabled }) => enabled === false))
    yield warning(['collectors'], 'no collector is enabled: nothing is read for this account', 'key');
  yield* namesForIds(account);
  yield* schedulesWithSeconds(account);
}

/**
 * Returns warnings about a configuration without its accounts, such as patterns without a match.
 * @param names names of all accounts
 * @param exposed families that `/metrics` may have; if undefined, names of settings and of the exporter's own metrics are not
 * checked
 */
export function configWarnings(
  { push, metrics }: Pick<Config, 'push' | 'metrics'>,
  names: readonly string[],
  exposed?: readonly string[],
): UnplacedIssue[] {
  const known = exposed ?? families().map(({ name }) => name);
  const isUnlisted = (pattern: string) =>
    exposed === undefined && didYouMean(pattern, known) === '' && /^(edge|process|nodejs)_/.test(pattern);
  const doubts = (path: ConfigPath, patterns: readonly string[], all: readonly string[], message: string) =>
    unmatched(patterns, all)
      .filter(([, pattern]) => all === names || !isUnlisted(pattern))
      .map(([at, pattern]) => warning([...path, at], `${message}${didYouMean(pattern, all)}`));
  return [
    ...push.flatMap(({ accounts, families: selected }, index) => [
      ...doubts(
        ['push', index, 'accounts'],
        accounts,
        names,
        'no account has this name: nothing of it is pushed',
      ),
      ...doubts(
        ['push', index, 'families'],
        selected,
        known,
        'no family has this name: nothing is pushed for it',
      ),
    ]),
    ...(exposed === undefined
      ? []
      : doubts(
          ['metrics', 'exclude'],
          metrics.exclude,
          known,
          'no family has this name: nothing is left out',
        )),
  ];
}

/** Maximum number of patterns of a list that are reported, and of names that are compared with them. */
const MOST_UNMATCHED = 100;
const MOST_COMPARED = 200_000;

/** Returns the patterns without a matching name, with their paths. */
function unmatched(
  patterns: readonly string[],
  names: readonly string[],
): readonly (readonly [at: number, pattern: string])[] {
  const known = new Set(names);
  let compared = 0;
  const isMatched = (pattern: string) => {
    if (known.has(pattern) || isWord(pattern)) return known.has(pattern);
    compared += names.length;
    return compared > MOST_COMPARED || names.some(matchesAny([pattern]));
  };
  return [...patterns.entries()].filter(([, pattern]) => !isMatched(pattern)).slice(0, MOST_UNMATCHED);
}

/** Keys that collectors of all kinds have. */
type AnyCollector = Readonly<{
  schedule?: string | undefined;
  configurations?: readonly (string | number)[];
  products?: Readonly<Record<string, { readonly schedule?: string | undefined }>>;
}>;

/** Yields a warning for each name in a collector that accepts only ids. */
function* namesForIds({ collectors = {} }: Given): Generator<UnplacedIssue> {
  const message = 'expected the id of a configuration, a number: names are not looked up here';
  for (const [name, { configurations = [] }] of Object.entries<AnyCollector>(collectors))
    for (const [index, id] of configurations.entries())
      if (!/^\d+$/.test(String(id).trim()))
        yield warning(['collectors', name, 'configurations', index], message);
}

function* schedulesWithSeconds({ discovery, collectors = {} }: Given): Generator<UnplacedIssue> {
  const given: [ConfigPath, string | undefined][] = [[['discovery'], discovery]];
  for (const [name, { schedule, products = {} }] of Object.entries<AnyCollector>(collectors)) {
    given.push([['collectors', name, 'schedule'], schedule]);
    for (const [product, settings] of Object.entries(products))
      given.push([['collectors', name, 'products', product, 'schedule'], settings.schedule]);
  }
  for (const [path, schedule] of given)
    if (schedule?.trim().split(/\s+/).length === 6)
      yield warning(path, 'the field for seconds is ignored: polls are a minute apart or more');
}

/** Returns an enabled collector of series; undefined if it is disabled. */
function running({ collectors = {} }: Given, api: SeriesApi) {
  const collector = Object.hasOwn(collectors, api) ? collectors[api] : undefined;
  return collector?.enabled === false ? undefined : collector;
}

/** Metrics that some products have only in GraphQL. */
const ONLY_ELSEWHERE = new Set(PRODUCTS.flatMap(({ onlyElsewhere = [] }) => onlyElsewhere));

function* unknownMetrics(account: Given, product: Product): Generator<UnplacedIssue> {
  const { api, slug } = product;
  const collector = running(account, api);
  const { metrics = [], by = [] } = collector?.products?.[slug] ?? {};
  const isByRest = (collector?.source ?? account.source) === 'rest';
  for (const [index, metric] of metrics.entries()) {
    if (metric === '*') continue;
    const message = whyNotRead(product, metric, isByRest, by.includes('product'));
    if (message !== undefined)
      yield warning(['collectors', api, 'products', slug, 'metrics', index], message);
  }
}

/** Returns the reason why a metric is not read with its name; undefined if it is read. */
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

function* unknownDimensions(
  account: Given,
  { api, slug, metrics, onlyElsewhere = [] }: Product,
): Generator<UnplacedIssue> {
  const given = running(account, api)?.products?.[slug];
  const asked = given?.metrics ?? [];
  const isAll = asked.length === 0 || asked.includes('*');
  const read = isAll ? [...metrics, ...asked.filter((metric) => onlyElsewhere.includes(metric))] : asked;
  // The dimensions of an unknown metric are unknown.
  if (!read.every((metric) => Object.hasOwn(DIMENSIONS, metric))) return;
  const known = new Set(read.flatMap((metric) => DIMENSIONS[metric] ?? []));
  for (const [index, dimension] of unmatched(given?.dimensions ?? [], [...known])) {
    if (read.some((metric) => facesOf(metric, dimension, { scope: 'configuration' }).known)) continue;
    const message = `not a known dimension of what is read of ${slug}: exported only if the platform has it${didYouMean(dimension, known)}`;
    yield warning(['collectors', api, 'products', slug, 'dimensions', index], message);
  }
}

function* readTwice(account: Given): Generator<UnplacedIssue> {
  const [metrics, analytics] = [running(account, 'metrics'), running(account, 'analytics')];
  if (metrics === undefined) return;
  const reads = (slug: string) => metrics.products === undefined || slug in metrics.products;
  // Without its own products, the analytics collector omits those of the other collector.
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
