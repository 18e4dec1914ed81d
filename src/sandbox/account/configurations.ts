import type { Assignment } from './assignment-history.ts';
import type { Account } from './platform-account.ts';
import type { Application } from './resource-types.ts';
import type { ConfigurationSource } from './served-products.ts';

/** What a product's traffic is broken down by (specification 2.12). */
export interface Configuration {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  /** Ids of its domains; empty for products without any. */
  readonly domains: readonly number[];
}

type Listed = (account: Account) => readonly Configuration[];

const LISTS: Readonly<Record<ConfigurationSource, Listed>> = {
  applications: applicationsThat(() => true),
  image_applications: applicationsThat((application) => application.image_optimization),
  cached_applications: applicationsThat((application) => application.caching),
  balanced_applications: applicationsThat((application) => application.load_balancer),
  functions: ({ functions }) =>
    [...functions].map(({ id, name, active, domains }) => ({ id, name, active, domains })),
  zones: ({ zones }) =>
    [...zones].map(({ id, name, is_active: active }) => ({ id, name, active, domains: [] })),
  streams: others('streams'),
  channels: others('channels'),
  buckets: others('buckets'),
};

function applicationsThat(counts: (application: Application) => boolean): Listed {
  return (account) => {
    const domains = new Map<number, number[]>();
    for (const application of account.applications) domains.set(application.id, []);
    for (const { id, edge_application_id: owner } of account.domains) domains.get(owner)?.push(id);
    return [...account.applications]
      .filter(counts)
      .map(({ id, name, active }) => ({ id, name, active, domains: domains.get(id) ?? [] }));
  };
}

function others(kind: 'streams' | 'channels' | 'buckets'): Listed {
  return ({ otherConfigurations }) =>
    [...otherConfigurations]
      .filter((item) => item.kind === kind)
      .map(({ id, name, active }) => ({ id, name, active, domains: [] }));
}

/** The configurations of a product as they stand. */
export function configurationsOf(account: Account, source: ConfigurationSource): readonly Configuration[] {
  return LISTS[source](account);
}

export function findConfiguration(
  account: Account,
  source: ConfigurationSource,
  id: number,
): Configuration | undefined {
  return configurationsOf(account, source).find((configuration) => configuration.id === id);
}

/** Which sources have traffic now: those of active configurations, unless the domain itself is inactive. */
export function assignments(account: Account, source: ConfigurationSource): Assignment[] {
  return configurationsOf(account, source)
    .filter(({ active }) => active)
    .flatMap(({ id, domains }) =>
      (hasDomains(source) ? domains : [id])
        .filter((domain) => account.domains.get(domain)?.is_active ?? true)
        .map((domain) => ({ source: domain, configuration: id })),
    );
}

/** Whether what is served of such a configuration belongs to its domains: one without any has no traffic. */
export function hasDomains(source: ConfigurationSource): boolean {
  return source.endsWith('applications') || source === 'functions';
}
