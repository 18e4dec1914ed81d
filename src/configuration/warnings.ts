import { PRODUCTS, type SeriesApi } from '../catalogue/products.ts';
import { didYouMean } from '../command-line/suggestion.ts';
import type { ConfigPath, Finding } from './issue.ts';
import type { Account, Config } from './schema.ts';

/** What is allowed, but probably not meant. */
export function configWarnings(config: Config): Finding[] {
  return config.accounts.flatMap((account, index) => {
    const path = ['accounts', index];
    return [
      ...unknownMetrics(account, path),
      ...readTwice(account, path),
      ...unknownUnits(account, path),
      ...nothingToDo(account, path),
    ];
  });
}

const products = (account: Account, api: SeriesApi) => account.collectors[api]?.products ?? {};

function unknownMetrics(account: Account, path: ConfigPath): Finding[] {
  return PRODUCTS.flatMap(({ api, slug, metrics }) =>
    (products(account, api)[slug]?.metrics ?? []).flatMap((metric, index): Finding[] => {
      if (metric === '*' || metrics.includes(metric)) return [];
      const message = `not a known metric of ${slug}, will be exported raw${didYouMean(metric, metrics)}`;
      return [warning([...path, 'collectors', api, 'products', slug, 'metrics', index], message)];
    }),
  );
}

function readTwice(account: Account, path: ConfigPath): Finding[] {
  const read = PRODUCTS.filter(({ api, slug }) => products(account, api)[slug] !== undefined);
  return read.flatMap(({ api, slug, id }) => {
    const twin = read.find((other) => api === 'analytics' && other.api === 'metrics' && other.id === id);
    if (twin === undefined) return [];
    const message = `the metrics collector reads the same product as ${twin.slug}: its figures will exist twice, under two product labels`;
    return [warning([...path, 'collectors', api, 'products', slug], message, 'key')];
  });
}

function unknownUnits(account: Account, path: ConfigPath): Finding[] {
  const known = new Set(PRODUCTS.flatMap(({ metrics }) => metrics));
  const unknown = Object.keys(account.units).filter((metric) => !known.has(metric));
  return unknown.map((metric) =>
    warning([...path, 'units', metric], `not a known metric${didYouMean(metric, known)}`, 'key'),
  );
}

function nothingToDo(account: Account, path: ConfigPath): Finding[] {
  if (Object.keys(account.collectors).length > 0) return [];
  return [
    warning([...path, 'collectors'], 'no collector is switched on: nothing of this account is read', 'key'),
  ];
}

function warning(path: ConfigPath, message: string, at: Finding['at'] = 'value'): Finding {
  return { path, at, message };
}
