import type { Product } from '../catalogue/products.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { keyOf, rowsOf } from './dataset-rows.ts';
import { fieldsOf } from './fields.ts';
import { datasetQuestion, MOST_ROWS, resourceOf } from './question.ts';

/** Period (ms) searched for configurations: one without traffic in it is not found. */
const LOOK_BACK_MS = 7 * 24 * 60 * MINUTE_MS;

/** Shortest window (ms) of a read. A truncated response is requested again in halves of its window, down to this. */
const SHORTEST_MS = 60 * MINUTE_MS;

/** Failure because an account has more configurations than a response can hold, so that the ones listed would be arbitrary. */
export class ConfigurationsCut extends PlatformFailure {
  constructor(dataset: string) {
    super(
      'undecodable',
      `${MOST_ROWS} configurations or more have rows in an hour of ${dataset}: the platform cuts their list`,
    );
  }
}

/**
 * Returns the configurations of a product with traffic in the last week, for tokens that may not list configurations by REST.
 * GraphQL has no names: each configuration has its id as its name.
 * @throws PlatformFailure `not_found` if no dataset covers the product; ConfigurationsCut if there are too many configurations
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
    // Reads the later half first: if it cannot be listed, the earlier one is not requested.
    const later = await idsIn({ from: middle, to });
    return [...(await idsIn({ from, to: middle })), ...later];
  };
  const to = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
  const ids = await idsIn({ from: to - LOOK_BACK_MS, to });
  return [...new Set(ids)].sort().map((id) => ({ id, name: id, active: true, domains: [] }));
}
