import type {
  Application,
  Certificate,
  DnsRecord,
  Domain,
  EdgeFunction,
  ErrorResponses,
  Firewall,
  FirewallRuleset,
  NetworkList,
  OtherConfiguration,
  WafRuleset,
  Workload,
  Zone,
} from './items.ts';

/** Resources of one kind by id, in the order of creation. */
export class Collection<Item extends { readonly id: number }> implements Iterable<Item> {
  readonly #items = new Map<number, Item>();
  readonly #changed: () => void;
  #nextId: number;

  /** @param changed called after every change */
  constructor(firstId: number, changed: () => void = () => {}) {
    this.#nextId = firstId;
    this.#changed = changed;
  }

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  get(id: number): Item | undefined {
    return this.#items.get(id);
  }

  /** Returns an id that was never used. */
  nextId(): number {
    return this.#nextId++;
  }

  /** Adds the item, or replaces the one with its id. */
  put(item: Item): Item {
    this.#items.set(item.id, item);
    this.#nextId = Math.max(this.#nextId, item.id + 1);
    this.#changed();
    return item;
  }

  /** Adds an item with a new id. */
  add(fields: Omit<Item, 'id'>): Item {
    return this.put({ id: this.nextId(), ...fields } as Item);
  }

  /** Changes fields of an item in place; returns undefined if it does not exist. */
  update(id: number, fields: Partial<Item>): Item | undefined {
    const item = this.#items.get(id);
    if (item === undefined) return undefined;
    Object.assign(item, fields);
    this.#changed();
    return item;
  }

  remove(id: number): boolean {
    const removed = this.#items.delete(id);
    if (removed) this.#changed();
    return removed;
  }
}

/** Contents of the account. The API and tests change it through the same collections. */
export type Account = ReturnType<typeof emptyAccount>;

/**
 * Returns an empty account. Ids start at values like the platform's.
 * @param changed called after changes that affect traffic
 */
export function emptyAccount(changed: () => void) {
  return {
    domains: new Collection<Domain>(1_536_580_016, changed),
    certificates: new Collection<Certificate>(14),
    applications: new Collection<Application>(1_528_990_720, changed),
    functions: new Collection<EdgeFunction>(4184, changed),
    firewalls: new Collection<Firewall>(200),
    firewallRulesets: new Collection<FirewallRuleset>(534),
    wafRulesets: new Collection<WafRuleset>(3),
    networkLists: new Collection<NetworkList>(1009),
    zones: new Collection<Zone>(40_960, changed),
    records: new Collection<DnsRecord>(90_000),
    workloads: new Collection<Workload>(1_720_000_000),
    otherConfigurations: new Collection<OtherConfiguration>(1_610_000_000, changed),
    /** Error responses by the id of their content delivery configuration; others have the defaults. */
    errorResponses: new Collection<ErrorResponses>(1),
  };
}

/** Removes an edge application with everything associated with it (specification section 3, rule 1). */
export function removeApplication(account: Account, id: number): void {
  for (const domain of [...account.domains]) {
    if (domain.edge_application_id === id) removeDomain(account, domain.id);
  }
  for (const ruleset of account.firewallRulesets) {
    ruleset.used_by = ruleset.used_by.filter((application) => application !== id);
  }
  for (const workload of account.workloads) {
    if (workload.application_id === id) workload.application_id = null;
  }
  account.errorResponses.remove(id);
  account.applications.remove(id);
}

/** Removes a domain, also from the firewalls and functions that refer to it. */
export function removeDomain(account: Account, id: number): void {
  for (const kind of [account.firewalls, account.functions]) {
    for (const item of kind) item.domains = item.domains.filter((domain) => domain !== id);
  }
  account.domains.remove(id);
}

/** Removes a hosted zone with its records. */
export function removeZone(account: Account, id: number): void {
  for (const record of [...account.records]) {
    if (record.zone_id === id) account.records.remove(record.id);
  }
  account.zones.remove(id);
}
