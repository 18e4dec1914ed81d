import type { Sample } from '../catalogue/family.ts';
import { EDGE_CONFIGURATION_INFO } from '../catalogue/platform-families.ts';
import type { Product } from '../catalogue/products.ts';
import { decodeSeries, isEmpty } from '../decode/decode.ts';
import type { Store } from '../exposition/store.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../schedule/job.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type Configuration, configurationsResource, decodeConfigurations } from './discovery.ts';
import { seriesResource } from './resource.ts';
import { type Addressing, addresses } from './targets.ts';

export interface DiscoveryJobOptions {
  readonly account: string;
  readonly product: Product;
  readonly schedule: string;
  /** Which id the API takes for a configuration, or that this is to be found out. */
  readonly addressing: Addressing | 'auto';
  readonly store: Store;
  readonly platformClock: PlatformClock;
  readonly freshUntil: () => number;
  readonly onDiscovered: (configurations: readonly Configuration[], addressing: Addressing) => void;
}

/** Everything else waits for what there is to be read. */
const DISCOVERY_WEIGHT = 10;

/** Lists the configurations of a product, again and again, and shows them. */
export function discoveryJob(options: DiscoveryJobOptions): Job {
  const { account, product, schedule, store, freshUntil, onDiscovered } = options;
  const id = `discovery/${product.api}/${product.slug}`;
  const owner = `${account}/${id}`;
  let addressing: Addressing | undefined = options.addressing === 'auto' ? undefined : options.addressing;
  let withdrawn = false;
  return {
    id,
    subject: { collector: 'discovery', product: product.slug },
    schedule,
    group: product.api,
    weight: DISCOVERY_WEIGHT,
    cost: () => 1,
    async poll(read, signal) {
      const { body } = await read(() => configurationsResource(product), signal);
      const { configurations, rejected } = decodeConfigurations(body);
      addressing ??= await findAddressing(options, configurations, read, signal);
      if (!withdrawn) {
        const used = addressing ?? 'domain';
        store.publish(owner, infoSamples(options, configurations, used), freshUntil());
        onDiscovered(configurations, used);
      }
      const rejections = new Map(rejected > 0 ? ([['bad_value', rejected]] as const) : []);
      return { outcome: configurations.length === 0 ? 'empty' : 'ok', rejected: rejections };
    },
    withdraw() {
      withdrawn = true;
      store.withdraw(owner);
    },
  };
}

/**
 * Whether the API takes a domain's id or the configuration's own: the specification says the former (section 4.13),
 * others have met the latter. One small read of a configuration for which they differ tells; undefined when none does.
 */
async function findAddressing(
  { account, product, platformClock }: DiscoveryJobOptions,
  configurations: readonly Configuration[],
  read: Read,
  signal: AbortSignal,
): Promise<Addressing | undefined> {
  const [metric] = product.metrics;
  const telling = configurations.find(
    ({ id, domains, active }) => active && domains.length > 0 && !domains.includes(id),
  );
  if (telling === undefined || metric === undefined) return undefined;
  for (const addressing of ['domain', 'configuration'] as const) {
    const [id = telling.id] = addresses(telling, addressing);
    const now = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
    const target = { account, product, by: 'configuration', id, name: telling.name } as const;
    const window = { from: now - 5 * MINUTE_MS, to: now };
    try {
      const { body } = await read(() => seriesResource({ target, metric, window }), signal);
      // An answer without points may be to an id that the platform does not know.
      if (!isEmpty(decodeSeries(body, { metric, id }, platformClock.now()))) return addressing;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      if (failure.outcome !== 'not_found') return undefined;
    }
  }
  return undefined;
}

function infoSamples(
  { account, product }: DiscoveryJobOptions,
  configurations: readonly Configuration[],
  addressing: Addressing,
): Sample[] {
  return configurations.flatMap((configuration) =>
    addresses(configuration, addressing).map((id) => ({
      family: EDGE_CONFIGURATION_INFO,
      labels: {
        account,
        product: product.slug,
        configuration_id: id,
        configuration: configuration.name,
        active: String(configuration.active),
      },
      value: 1,
    })),
  );
}
