import { AssignmentHistory, type AssignmentPeriod, without } from '../account/assignment-history.ts';
import { assignments, findConfiguration } from '../account/configurations.ts';
import type { Account } from '../account/platform-account.ts';
import { PRODUCTS, type Product } from '../account/served-products.ts';
import { bucketSums, type Contribution } from './bucket-sums.ts';
import type { Buckets, Settling } from './buckets.ts';
import type { Group } from './groups.ts';
import type { Incident } from './incidents.ts';
import { createSource, type Source } from './source.ts';

/** Selected traffic: that of the whole product, none, or that of a configuration or domain by id. */
export type Selection = 'product' | 'nobody' | number;

/** A contribution to a configuration. */
export interface Span extends Contribution {
  readonly configuration: number;
}

/** The only product that incidents other than outages affect. */
const DELIVERY = 1441740010;

/** Counts of every source of every product, computed from the seed when needed. */
export class Traffic {
  readonly #seed: number;
  readonly #account: Account;
  readonly #incidents: Incident[] = [];
  readonly #bySource = new Map<number, Incident[]>();
  readonly #sources = new Map<Product, Map<number, Source>>();
  readonly #histories = new Map(PRODUCTS.map((product) => [product, new AssignmentHistory()]));

  constructor(seed: number, account: Account) {
    this.#seed = seed;
    this.#account = account;
    this.observe(-Infinity);
  }

  /**
   * Records a change of the account. Must be called after each change.
   * @param at time (ms since the epoch) from which the change is valid
   */
  observe(at: number): void {
    for (const [product, history] of this.#histories) {
      history.observe(assignments(this.#account, product.source), at);
    }
  }

  get incidents(): readonly Incident[] {
    return this.#incidents;
  }

  /** @throws RangeError if the configuration or domain does not exist */
  inject(incident: Incident): void {
    const [first, ...rest] = this.#targets(incident.configuration);
    if (first === undefined) throw new RangeError(`no configuration or domain ${incident.configuration}`);
    this.#incidents.push(incident);
    const hitsAll = incident.kind === 'outage' || incident.kind === 'slow_origin';
    for (const source of hitsAll ? [first, ...rest] : [first]) {
      this.#at(source).push(incident);
    }
  }

  #targets(id: number): readonly number[] {
    if (this.#account.domains.get(id)) return [id];
    const domains = findConfiguration(this.#account, 'applications', id)?.domains ?? [];
    return domains.filter((domain) => this.#account.domains.get(domain)?.is_active);
  }

  /** Yields the cells of each bucket of a selection, in the form of `bucketSums`. */
  sums(
    product: Product,
    selection: Selection,
    group: Group,
    buckets: Buckets,
    settling?: Settling,
  ): Float64Array {
    const contributions = this.#periodsOf(product, selection).flatMap((period) =>
      this.#contributions(product, period),
    );
    return bucketSums(contributions, group, buckets, settling);
  }

  /** Yields the contributions of every source of a product to each configuration, including removed ones. */
  *spans(product: Product): Generator<Span> {
    for (const period of this.#histories.get(product) ?? []) {
      for (const contribution of this.#contributions(product, period)) {
        yield { ...contribution, configuration: period.configuration };
      }
    }
  }

  /** Returns the share (0 to 1) of a time range in which the origin of a source was slow. */
  slowed(source: number, from: number, to: number): number {
    const slow = (this.#bySource.get(source) ?? []).filter(({ kind }) => kind === 'slow_origin');
    const lasted = slow.map((incident) => Math.min(to, incident.to) - Math.max(from, incident.from));
    return Math.min(1, lasted.reduce((sum, ms) => sum + Math.max(0, ms), 0) / (to - from));
  }

  #periodsOf(product: Product, selection: Selection): AssignmentPeriod[] {
    const history = this.#histories.get(product);
    if (history === undefined || selection === 'nobody') return [];
    return selection === 'product' ? [...history] : history.of(selection);
  }

  #contributions(product: Product, period: AssignmentPeriod): Contribution[] {
    const source = this.#source(product, period.source);
    const outages = (this.#bySource.get(period.source) ?? []).filter(({ kind }) => kind === 'outage');
    return without(period, outages).map(({ from, to }) => ({ source, from, to }));
  }

  #source(product: Product, id: number): Source {
    const sources = this.#sources.get(product) ?? new Map<number, Source>();
    this.#sources.set(product, sources);
    const incidents = product.id === DELIVERY ? this.#at(id) : [];
    const source = sources.get(id) ?? createSource(this.#seed, id, product, incidents);
    sources.set(id, source);
    return source;
  }

  #at(source: number): Incident[] {
    const incidents = this.#bySource.get(source) ?? [];
    this.#bySource.set(source, incidents);
    return incidents;
  }
}
