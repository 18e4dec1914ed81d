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

interface Part {
  /** The configurations, or the one with this id. */
  list(account: Account, id?: number): Configuration[];
  /** The configuration that a domain's traffic belongs to. */
  ofDomain(account: Account, domain: number): Configuration | undefined;
}

function applicationsThat(counts: (application: Application) => boolean): Part {
  const configuration = ({ id, name, active }: Application, domains: readonly number[]) => ({
    id,
    name,
    active,
    domains,
  });
  return {
    list(account, wanted) {
      const domains = new Map<number, number[]>();
      for (const { id, edge_application_id: owner } of account.domains) {
        if (wanted !== undefined && owner !== wanted) continue;
        domains.set(owner, [...(domains.get(owner) ?? []), id]);
      }
      return pick(account.applications, wanted)
        .filter(counts)
        .map((application) => configuration(application, domains.get(application.id) ?? []));
    },
    ofDomain(account, domain) {
      const owner = account.domains.get(domain)?.edge_application_id;
      return owner === undefined ? undefined : this.list(account, owner)[0];
    },
  };
}

const PARTS: Record<ConfigurationSource, Part> = {
  applications: applicationsThat(() => true),
  image_applications: applicationsThat((application) => application.image_optimization),
  cached_applications: applicationsThat((application) => application.caching),
  balanced_applications: applicationsThat((application) => application.load_balancer),
  functions: {
    list: (account, id) =>
      pick(account.functions, id).map(({ id, name, active, domains }) => ({ id, name, active, domains })),
    ofDomain(account, domain) {
      return this.list(account).find(({ domains }) => domains.includes(domain));
    },
  },
  zones: withoutDomains((account, id) =>
    pick(account.zones, id).map((zone) => ({
      id: zone.id,
      name: zone.name,
      active: zone.is_active,
      domains: [],
    })),
  ),
  streams: others('streams'),
  channels: others('channels'),
  buckets: others('buckets'),
};

function withoutDomains(list: Part['list']): Part {
  return { list, ofDomain: () => undefined };
}

function others(kind: 'streams' | 'channels' | 'buckets'): Part {
  return withoutDomains((account, id) =>
    pick(account.otherConfigurations, id)
      .filter((item) => item.kind === kind)
      .map(({ id, name, active }) => ({ id, name, active, domains: [] })),
  );
}

function pick<Item>(items: Iterable<Item> & { get(id: number): Item | undefined }, id?: number): Item[] {
  if (id === undefined) return [...items];
  const item = items.get(id);
  return item === undefined ? [] : [item];
}

/** The configurations of a product as they stand. */
export function configurationsOf(account: Account, source: ConfigurationSource): Configuration[] {
  return PARTS[source].list(account);
}

export function findConfiguration(
  account: Account,
  source: ConfigurationSource,
  id: number,
): Configuration | undefined {
  return PARTS[source].list(account, id)[0];
}

/** The configuration that one of its domains belongs to. */
export function findByDomain(
  account: Account,
  source: ConfigurationSource,
  domain: number,
): Configuration | undefined {
  return PARTS[source].ofDomain(account, domain);
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
