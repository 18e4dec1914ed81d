import type { Product } from '../catalogue/products.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { keyOf, rowsOf } from './dataset-rows.ts';
import { fieldsOf } from './fields.ts';
import { datasetQuestion, MOST_ROWS, resourceOf } from './question.ts';

/** A configuration without traffic for so long (ms) is not found. */
const LOOK_BACK_MS = 7 * 24 * 60 * MINUTE_MS;

/** An answer that was cut is asked for again in halves of its time, down to this (ms). */
const SHORTEST_MS = 60 * MINUTE_MS;

/** There are more configurations than an answer may have: which of them it has is chance. */
export class ConfigurationsCut extends PlatformFailure {
  constructor(dataset: string) {
    super(
      'undecodable',
      `${MOST_ROWS} configurations or more have rows in an hour of ${dataset}: the platform cuts their list`,
    );
  }
}

/**
 * The configurations of a product that had traffic in the last week: where the lists of REST are closed, the only ones that
 * the platform shows. It knows no names: each has its id instead.
 * @throws PlatformFailure not_found where no dataset is that of the product; ConfigurationsCut where there are too many
 */
export async function configurationsWithTraffic(
  product: Product,
  platformClock: PlatformClock,
  read: Read,
  signal: AbortSignal,
): Promise<readonly Configuration[]> {
  const [found] = product.metrics.flatMap((metric) => fieldsOf(product, metric));
  if (found === undefined) throw new PlatformFailure('not_found', `no dataset is that of ${product.slug}`);
  const { dataset, key, summed = 'requests' } = found;
  const idsIn = async (window: Window): Promise<readonly string[]> => {
    const asked = { dataset, key, fields: [], summed, window, ids: undefined, limit: MOST_ROWS };
    const { body } = await read(() => resourceOf(datasetQuestion(asked, false)), signal, QUESTIONS.group);
    const rows = rowsOf(body, dataset);
    if (rows.length < MOST_ROWS) return rows.flatMap((row) => keyOf(row, key) ?? []);
    const { from, to } = window;
    if (to - from <= SHORTEST_MS) throw new ConfigurationsCut(dataset);
    const middle = Math.floor((from + to) / 2 / MINUTE_MS) * MINUTE_MS;
    // The later half first: if it cannot be listed, the other is not asked for.
    const later = await idsIn({ from: middle, to });
    return [...(await idsIn({ from, to: middle })), ...later];
  };
  const to = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
  const ids = await idsIn({ from: to - LOOK_BACK_MS, to });
  return [...new Set(ids)].sort().map((id) => ({ id, name: id, active: true, domains: [] }));
}
