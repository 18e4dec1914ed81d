import { PRODUCTS } from '../catalogue/products.ts';
import { type Rejections, reject } from '../decode/points.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';

/** Schedule: once a day, at a quiet time. The first poll is at the start. */
const SCHEDULE = '17 3 * * *';

/** Weight between the lists of configurations and the reads of their series. */
const METADATA_WEIGHT = 9;

/** Documented metrics of the analytics API (section 2.12). */
const KNOWN_METRICS: ReadonlySet<string> = new Set(
  PRODUCTS.filter(({ api }) => api === 'analytics').flatMap(({ metrics }) => metrics),
);

/** Maximum number of metrics, above that of any platform: bounds the cost of an endless list. */
const MOST_METRICS = 1_000;

/** Pattern of a metric's name, which goes into paths, keys and labels. */
const METRIC_NAME = /^\w[\w.-]{0,99}$/;

/** Metrics that an answer lists. */
interface ListedMetrics {
  readonly metrics: readonly string[];
  readonly rejected: Rejections;
}

/** Job that lists the metrics of the analytics API (section 4.12). */
export class MetadataJob implements Job<ListedMetrics> {
  readonly id = 'discovery/analytics/metadata';
  readonly subject = { collector: 'discovery' };
  readonly schedule = SCHEDULE;
  readonly group = 'analytics';
  readonly weight = METADATA_WEIGHT;

  cost(): number {
    return 1;
  }

  async read(read: Read, signal: AbortSignal): Promise<ListedMetrics> {
    const { body } = await read(() => ({ path: '/analytics/metadata', version: 1 }), signal);
    return decodeMetadata(body);
  }

  conclude(listed: ListedMetrics | PlatformFailure): PollResult {
    if (listed instanceof PlatformFailure) throw listed;
    const { metrics, rejected } = listed;
    // An empty list is not believed: the former list stays in use, which is initially that of the catalogue.
    if (metrics.length === 0) return { outcome: 'empty', rejected, exposures: () => [] };
    return { outcome: 'ok', rejected, metrics, exposures: () => [] };
  }
}

/**
 * Returns the metrics of an answer, which maps each to a list of its dimensions.
 * @throws PlatformFailure undecodable if it does not, since unlisted metrics are no longer read
 */
function decodeMetadata(body: unknown): ListedMetrics {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PlatformFailure('undecodable', 'the metadata is no object of metrics');
  }
  const entries = Object.entries(body);
  const named = entries.filter(
    ([name, dimensions]) => METRIC_NAME.test(name) && (Array.isArray(dimensions) || dimensions === null),
  );
  const metrics = named.slice(0, MOST_METRICS).map(([name]) => name);
  if (entries.length > 0 && !metrics.some((metric) => KNOWN_METRICS.has(metric))) {
    throw new PlatformFailure('undecodable', 'the metadata has none of the metrics that are documented');
  }
  const rejected: Rejections = new Map();
  reject(rejected, 'bad_item', entries.length - named.length);
  reject(rejected, 'over_limit', named.length - metrics.length);
  return { metrics, rejected };
}
