import { DIMENSIONS, facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import { productOf } from '../../src/exporter/catalogue/products.ts';
import { ledgerKey } from '../../src/exporter/series/ledger-record.ts';
import { openState } from '../../src/exporter/state/open-state.ts';
import type { State } from '../../src/exporter/state/state.ts';
import { DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { countersToStore } from '../stored-series.ts';

const MINUTE = 60_000;
const PRODUCT = productOf('metrics', 'edge_applications');

/** Returns the dimensions of a metric that have a counter, each with the counter's family. */
export function countersOf(metric: string): { readonly dimension: string; readonly family: string }[] {
  return (DIMENSIONS[metric] ?? []).flatMap((dimension) => {
    const { counter } = facesOf(metric, dimension, { scope: 'configuration' });
    return counter === undefined ? [] : [{ dimension, family: counter.family.name }];
  });
}

/**
 * Returns the configuration of an account of the embedded platform. The exporter polls it every two seconds,
 * and counts buckets after one minute.
 */
export function busyAccount(name: string, metrics: readonly string[]) {
  return {
    name,
    token: DEFAULT_TOKEN.token,
    publish_delay: '1m',
    settle_delay: '1m',
    quota: { reserve: 0 },
    collectors: { metrics: { schedule: '*/2 * * * * *', products: { edge_applications: { metrics } } } },
  };
}

export interface PreparedCounters {
  readonly sandbox: Sandbox;
  /** Name of the account in the configuration. */
  readonly account: string;
  readonly metrics: readonly string[];
  /** Watermark of every counter (ms since the epoch). */
  readonly since: number;
}

/**
 * Creates a state directory whose counters are zero with the watermark `since`, so that there are many
 * buckets to catch up with.
 */
export async function prepareCounters(directory: string, prepared: PreparedCounters): Promise<void> {
  await storeCounters(await openState(directory, { info: () => undefined, warn: () => undefined }), prepared);
}

/** Stores prepared counters in a state, and closes it. */
export async function storeCounters(
  state: State,
  { sandbox, account, metrics, since }: PreparedCounters,
): Promise<void> {
  const begin = Math.floor(since / MINUTE) * MINUTE;
  const entries = [...sandbox.account.domains].flatMap(({ id, name }) =>
    metrics.map((metric) => {
      const counters = new Map(
        countersOf(metric).map(({ dimension }) => [dimension, { total: 0, watermark: begin, holes: [] }]),
      );
      const target = { account, product: PRODUCT, by: 'configuration', id: String(id), name } as const;
      return {
        key: ledgerKey(target, metric),
        value: countersToStore(begin, MINUTE, counters),
      };
    }),
  );
  await state.commit(entries);
  await state.close();
}
