import { OF_WHOLES, type Product, type SeriesApi } from '../catalogue/products.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { GraphqlSource } from '../graphql/graphql-source.ts';
import { type Outcome, QUESTIONS } from '../platform/read.ts';
import type { PollEnd } from '../poll/job.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { SeriesJob } from '../series/series-job.ts';
import type { SourceName } from '../series/series-source.ts';
import {
  type Chosen,
  chooseSource,
  restoreChoice,
  SOURCE_AT_FIRST,
  type SourceEvidence,
  storeChoice,
} from '../series/source-choice.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type AccountMemory, changed, type SavedPart } from '../state/account-memory.ts';
import type { Addressing, Target } from '../targets/target.ts';
import type { ListElsewhere } from './discovery-job.ts';
import { SourceProbe } from './source-probe.ts';

/** Source of the series of a collector, and the reason for it. */
export interface ChosenSource extends Chosen {
  readonly collector: SeriesApi;
  /** Fields that the source lacks, as `dataset.field`. Series that need them are left out. */
  readonly missing: readonly string[];
}

interface AccountSourcesOptions {
  readonly account: AccountConfig;
  readonly scopes: LimitScopes;
  readonly memory: AccountMemory;
  /** APIs whose series are read. */
  readonly apis: () => ReadonlySet<SeriesApi>;
}

/** Time (ms) after which a source is probed again if it answers every read with 404. */
const GONE_MS = 10 * MINUTE_MS;

/** Evidence of this process about the sources of one API. */
interface Known {
  readonly evidence: Pick<SourceEvidence, 'restLists' | 'rest' | 'graphql'>;
  /** `failed` if a probe ended without an answer from the sources, and no earlier probe was answered. */
  readonly probe: 'pending' | 'failed' | 'answered';
  /** Time (local ms) since which every read is answered with 404; undefined if the last one was not. */
  readonly goneSince: number | undefined;
}

const NOTHING_KNOWN: Known = {
  evidence: { restLists: undefined, rest: undefined, graphql: undefined },
  probe: 'pending',
  goneSince: undefined,
};

/** Sources of an account's series, REST or GraphQL, for each API. */
export class AccountSources {
  readonly #options: AccountSourcesOptions;
  readonly #parts: Readonly<Record<SeriesApi, SavedPart<Chosen | undefined>>>;
  readonly #known = new Map<SeriesApi, Known>();
  /** Source, and need of a probe, for which the jobs were last made, by API. */
  #madeFor: ReadonlyMap<SeriesApi, string> = new Map();
  #graphql: GraphqlSource | undefined;

  constructor(options: AccountSourcesOptions) {
    this.#options = options;
    const { name, api_url } = options.account;
    const partOf = (api: SeriesApi): SavedPart<Chosen | undefined> => ({
      key: ['source', name, api, api_url],
      open: restoreChoice,
      store: (chosen) => chosen && storeChoice(chosen),
    });
    this.#parts = { metrics: partOf('metrics'), analytics: partOf('analytics') };
  }

  #configured(api: SeriesApi): 'auto' | SourceName {
    const { collectors, source } = this.#options.account;
    return collectors[api]?.source ?? source;
  }

  #knownOf(api: SeriesApi): Known {
    return this.#known.get(api) ?? NOTHING_KNOWN;
  }

  #chosen(api: SeriesApi): Chosen {
    const before = this.#options.memory.of(this.#parts[api]) ?? SOURCE_AT_FIRST;
    const { evidence } = this.#knownOf(api);
    return chooseSource({ configured: this.#configured(api), ...evidence }, before);
  }

  /** Returns true if the source was found, and is not just the initial assumption. */
  #isFound(api: SeriesApi): boolean {
    return this.#chosen(api) !== SOURCE_AT_FIRST;
  }

  /** Returns true if jobs can be made: the source was found, or a probe has ended. */
  isReady(api: SeriesApi): boolean {
    return this.#isFound(api) || this.#knownOf(api).probe !== 'pending';
  }

  /** Returns the source of each API's series, with the reason for it. */
  chosen(): ChosenSource[] {
    return [...this.#options.apis()].map((collector) => {
      const { source, why } = this.#chosen(collector);
      const missing = source === 'graphql' ? (this.#graphql?.missing() ?? []) : [];
      return { collector, source, why, missing };
    });
  }

  /** Returns the sources that were found, without those that are only assumed. */
  known(): ChosenSource[] {
    return this.chosen().filter(({ collector }) => this.#isFound(collector));
  }

  isRest(api: SeriesApi): boolean {
    return this.#chosen(api).source === 'rest';
  }

  /** Returns true if the source has at least one metric of a product. */
  serves(product: Product): boolean {
    return this.isRest(product.api) || GraphqlSource.serves(product);
  }

  /** Returns the source of a metric of a product's targets; undefined if no source has it. */
  sourceOf(product: Product, metric: string, by: Target['by']): SourceName | undefined {
    if (OF_WHOLES.has(metric) && by !== 'product') return undefined;
    const { source } = this.#chosen(product.api);
    // REST does not have this metric, whichever source is chosen.
    const isElsewhere = product.onlyElsewhere?.includes(metric) ?? false;
    if (isElsewhere && this.#configured(product.api) === 'rest') return undefined;
    if (source === 'rest' && !isElsewhere) return 'rest';
    return GraphqlSource.has(product, metric) ? 'graphql' : undefined;
  }

  /** Returns the kind of id that the source takes for configurations. GraphQL has no series of single domains. */
  addressed(api: SeriesApi, addressing: Addressing): Addressing {
    return addressing === 'domain' && !this.isRest(api) ? 'only_domain' : addressing;
  }

  /** Records which API listed the configurations of a product. Returns true if that changes the source. */
  listed(api: SeriesApi, isFromElsewhere: boolean): boolean {
    const { restLists } = this.#knownOf(api).evidence;
    if (restLists === true) return false;
    return this.#learn(api, { restLists: !isFromElsewhere });
  }

  /** Returns the GraphQL list of configurations, for a product that REST does not list; undefined if only REST is configured. */
  listElsewhere(product: Product): ListElsewhere | undefined {
    const { api } = product;
    if (this.#configured(api) === 'rest') return undefined;
    return {
      isInUse: () => !this.isRest(api),
      list: async (read, signal) => {
        const mayList = this.#configured(api) === 'graphql' || this.#knownOf(api).evidence.restLists !== true;
        return mayList ? this.graphql.configurations(product, read, signal) : [];
      },
    };
  }

  /** Returns the job that finds the source of an API's series; undefined if no probe is needed. */
  probe(
    api: SeriesApi,
    given: Pick<ConstructorParameters<typeof SourceProbe>[1], 'reads' | 'jobs'>,
  ): SourceProbe | undefined {
    if (!this.#needsProbe(api)) return undefined;
    return new SourceProbe(api, {
      group: api,
      ...given,
      learn: (result) => void this.#learn(api, result),
    });
  }

  #needsProbe(api: SeriesApi): boolean {
    if (this.#configured(api) !== 'auto') return false;
    const { probe, goneSince, evidence } = this.#knownOf(api);
    if (probe !== 'answered') return evidence.restLists !== false;
    return goneSince !== undefined && this.#now >= goneSince + GONE_MS;
  }

  /** Records the end of a probe. Returns true if the jobs must be made again. */
  probed(api: SeriesApi, outcome: Outcome): boolean {
    const known = this.#knownOf(api);
    const isNeeded = this.#needsProbe(api);
    const isAnswered = known.probe === 'answered' || outcome === 'ok' || outcome === 'not_found';
    const goneSince = isNeeded && isAnswered ? undefined : known.goneSince;
    this.#known.set(api, { ...known, probe: isAnswered ? 'answered' : 'failed', goneSince });
    return this.haveChanged;
  }

  /** Adds evidence. Returns true if the chosen source changes. */
  #learn(api: SeriesApi, evidence: Partial<Known['evidence']>): boolean {
    const before = this.#chosen(api);
    const known = this.#knownOf(api);
    this.#known.set(api, { ...known, evidence: { ...known.evidence, ...evidence } });
    const after = this.#chosen(api);
    if (after !== before && this.#configured(api) === 'auto')
      this.#options.memory.adopt(changed(this.#parts[api], after), true);
    return after.source !== before.source;
  }

  /** Records the evidence of a poll about its source. */
  polled({ job, outcome, foreignAnswer, endedAt }: PollEnd): void {
    if (!(job instanceof SeriesJob) || foreignAnswer !== undefined) return;
    const api = job.subject.collector === 'metrics' ? 'metrics' : 'analytics';
    if (job.source.name !== this.#chosen(api).source) return;
    const known = this.#knownOf(api);
    if (outcome === 'ok' || outcome === 'empty') this.#known.set(api, { ...known, goneSince: undefined });
    else if (outcome === 'not_found')
      this.#known.set(api, { ...known, goneSince: known.goneSince ?? endedAt });
  }

  /** Records that the jobs now match the chosen sources. */
  jobsAreMade(apis: Iterable<SeriesApi>): void {
    this.#madeFor = new Map([...apis].map((api) => [api, this.#jobsFor(api)]));
  }

  /** True if the sources have changed since the jobs were made. */
  get haveChanged(): boolean {
    return [...this.#madeFor].some(([api, known]) => this.#jobsFor(api) !== known);
  }

  /** Returns the source of the series and the need of a probe, as one comparable text. */
  #jobsFor(api: SeriesApi): string {
    return JSON.stringify([this.isReady(api) && this.#chosen(api).source, this.#needsProbe(api)]);
  }

  /** Returns the parts of the memory that are saved periodically. */
  parts(): readonly SavedPart<unknown>[] {
    return Object.values(this.#parts);
  }

  get graphql(): GraphqlSource {
    const { account, scopes } = this.#options;
    if (this.#graphql === undefined) scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit);
    this.#graphql ??= new GraphqlSource({
      platformClock: scopes.platformClock,
      units: account.units,
      mostBytes: account.request.max_response_bytes,
    });
    return this.#graphql;
  }

  get #now(): number {
    return this.#options.scopes.platformClock.localNow();
  }
}
