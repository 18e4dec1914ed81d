import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackfillOptions, backfill } from '../../exporter/backfill/backfill.ts';
import { DIMENSIONS, facesOf } from '../../exporter/catalogue/catalogue.ts';
import { productOf, type SeriesApi } from '../../exporter/catalogue/products.ts';
import type { ProductSettings } from '../../exporter/configuration/collector-settings.ts';
import type { AccountConfig } from '../../exporter/configuration/schema.ts';
import { matchesAny } from '../../exporter/text/glob.ts';
import { fileHistory } from './file-history.ts';
import type { RehearsalHistory } from './history.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

export interface PlatformHistoryOptions
  extends Pick<BackfillOptions, 'accounts' | 'from' | 'to' | 'clock' | 'signal' | 'guard' | 'progress'> {
  readonly rules: readonly RehearsedRules[];
  /** Path of the file that stores the history; undefined to store nothing. */
  readonly file: string | undefined;
  readonly source: string;
}

/** Reads a history from the platform, as `backfill` does. @throws errors of `backfill`, and RehearsalRefusal */
export async function platformHistory(options: PlatformHistoryOptions): Promise<RehearsalHistory> {
  const { file, rules, accounts, source } = options;
  const temporary = file === undefined ? await mkdtemp(join(tmpdir(), 'edge-exporter-')) : undefined;
  const output = file ?? join(temporary ?? '', 'history.om');
  const names = new Set(rules.flatMap(({ scraped }) => [...scraped]));
  try {
    await backfill({
      ...options,
      accounts: accounts.map((account) => onlyNeeded(account, names)),
      labels: {},
      families: names,
      output,
      receivers: [],
      mode: 'continue',
    });
    return await fileHistory({ file: output, rules, source });
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Returns an account that collects only the metrics of the rules, because each hour of each metric costs an operation.
 * @param names names of the series in the rules
 */
function onlyNeeded(account: AccountConfig, names: ReadonlySet<string>): AccountConfig {
  const { metrics, analytics } = account.collectors;
  return {
    ...account,
    collectors: {
      ...(metrics && { metrics: { ...metrics, products: neededOf('metrics', metrics.products, names) } }),
      ...(analytics && {
        analytics: { ...analytics, products: neededOf('analytics', analytics.products, names) },
      }),
    },
  };
}

type Products = NonNullable<AccountConfig['collectors'][SeriesApi]>['products'];

function neededOf(api: SeriesApi, products: Products, names: ReadonlySet<string>): Products {
  const kept = Object.entries(products).flatMap(([slug, settings]): [string, ProductSettings][] => {
    const wanted = matchesAny(settings.metrics);
    const { metrics: all, onlyElsewhere = [] } = productOf(api, slug);
    // `*` does not include metrics of another source.
    const read = [
      ...all.filter(wanted),
      ...onlyElsewhere.filter((metric) => settings.metrics.includes(metric)),
    ];
    const metrics = read.filter((metric) => isNeeded(metric, names));
    const whole = settings.by.includes('configuration') && metrics.length > 0;
    return whole ? [[slug, { ...settings, by: ['configuration'], metrics }]] : [];
  });
  return Object.fromEntries(kept);
}

function isNeeded(metric: string, names: ReadonlySet<string>): boolean {
  const dimensions = DIMENSIONS[metric] ?? [];
  return dimensions.some((dimension) =>
    names.has(facesOf(metric, dimension, { scope: 'configuration' }).gauge.family.name),
  );
}
