import type { Assignment } from './assignment-history.ts';
import type { Application } from './items.ts';
import type { Account } from './platform-account.ts';
import type { ConfigurationSource } from './served-products.ts';

/** Unit by which a product's traffic is broken down (specification 2.12). */
export interface Configuration {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  /** Ids of its domains; empty for products without any. */
  readonly domains: readonly number[];
}

/** Returns all configurations, or the one with this id. */
type Listed = (account: Account, id?: number) => readonly Configuration[];

const LISTS: Readonly<Record<ConfigurationSource, Listed>> = {
  applications: applicationsThat(() => true),
  image_applications: applicationsThat((application) => application.image_optimization),
  cached_applications: applicationsThat((application) => application.caching),
  balanced_applications: applicationsThat((application) => application.load_balancer),
  functions: ({ functions }, wanted) =>
    pick(functions, wanted).map(({ id, name, active, domains }) => ({ id, name, active, domains })),
  zones: ({ zones }, wanted) =>
    pick(zones, wanted).map(({ id, name, is_active: active }) => ({ id, name, active, domains: [] })),
  streams: others('streams'),
  channels: others('channels'),
  buckets: others('buckets'),
};

function applicationsThat(counts: (application: Application) => boolean): Listed {
  return (account, wanted) => {
    const applications = pick(account.applications, wanted).filter(counts);
    const domains = new Map<number, number[]>(applications.map(({ id }) => [id, []]));
    for (const { id, edge_application_id: owner } of account.domains) domains.get(owner)?.push(id);
    return applications.map(({ id, name, active }) => ({ id, name, active, domains: domains.get(id) ?? [] }));
  };
}

function others(kind: 'streams' | 'channels' | 'buckets'): Listed {
  return ({ otherConfigurations }, wanted) =>
    pick(otherConfigurations, wanted)
      .filter((item) => item.kind === kind)
      .map(({ id, name, active }) => ({ id, name, active, domains: [] }));
}

function pick<Item>(items: Iterable<Item> & { get(id: number): Item | undefined }, id?: number): Item[] {
  if (id === undefined) return [...items];
  const item = items.get(id);
  return item === undefined ? [] : [item];
}

/** Returns the current configurations of a product. */
export function configurationsOf(account: Account, source: ConfigurationSource): readonly Configuration[] {
  return LISTS[source](account);
}

export function findConfiguration(
  account: Account,
  source: ConfigurationSource,
  id: number,
): Configuration | undefined {
  return LISTS[source](account, id)[0];
}

/** Returns the configuration to which a domain belongs; undefined if there is none. */
export function findByDomain(
  account: Account,
  source: ConfigurationSource,
  domain: number,
): Configuration | undefined {
  const application = account.domains.get(domain)?.edge_application_id;
  const likely = source === 'functions' ? undefined : application;
  return LISTS[source](account, likely).find(({ domains }) => domains.includes(domain));
}

/** Returns the sources that have traffic now: those of active configurations, without inactive domains. */
export function assignments(account: Account, source: ConfigurationSource): Assignment[] {
  return configurationsOf(account, source)
    .filter(({ active }) => active)
    .flatMap(({ id, domains }) =>
      (hasDomains(source) ? domains : [id])
        .filter((domain) => account.domains.get(domain)?.is_active ?? true)
        .map((domain) => ({ source: domain, configuration: id })),
    );
}

/** Returns true if a configuration's traffic is that of its domains, so that it has none without a domain. */
export function hasDomains(source: ConfigurationSource): boolean {
  return source.endsWith('applications') || source === 'functions';
}
