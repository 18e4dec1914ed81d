import type { SeriesApi } from '../catalogue/products.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure } from '../platform/read.ts';
import type { SourceName, SourceReader } from '../series/series-source.ts';
import { mayAskRest, restAsked, type SourceChoice, sourceAnswered } from './source-choice.ts';

export interface ChosenReaderOptions {
  readonly sources: SourceChoice;
  readonly api: SeriesApi;
  /** What is read: the name of the target among all of the API, and the metric. */
  readonly target: string;
  readonly metric: string;
  /** How many targets of the API are read. */
  readonly targets: () => number;
  readonly platformClock: PlatformClock;
  readonly rest: SourceReader;
  /** Made when it is chosen first; undefined where that source has no such data. */
  readonly graphql: () => SourceReader | undefined;
}

type Question = Parameters<SourceReader['read']>;
type Answered = ReturnType<SourceReader['read']>;

/**
 * Reads by the source that is chosen when it is asked: a job, its counters and its memory stay the same. What its reads show of
 * the sources is noted, and REST that was left is asked first from time to time.
 */
export class ChosenReader implements SourceReader {
  readonly #options: ChosenReaderOptions;
  #graphql: { readonly reader: SourceReader | undefined } | undefined;

  constructor(options: ChosenReaderOptions) {
    this.#options = options;
  }

  get name(): SourceName {
    const { sources, api } = this.#options;
    return sources.of(api).source;
  }

  get group(): string {
    return this.#reader?.group ?? this.#options.rest.group;
  }

  get dimensions(): ReadonlySet<string> | undefined {
    const reader = this.#reader;
    return reader === undefined ? new Set() : reader.dimensions;
  }

  cost(): number {
    return this.#reader?.cost() ?? 0;
  }

  async read(...question: Question): Answered {
    const reader = this.#reader;
    if (reader === undefined) throw new PlatformFailure('not_found', 'GraphQL has no such metric');
    const { sources, api, target, rest, platformClock } = this.#options;
    const now = platformClock.localNow();
    const isTrial = reader !== rest && mayAskRest(sources.of(api), target, now);
    if (isTrial) sources.learn(api, (known) => restAsked(known, now));
    const first = isTrial ? rest : reader;
    try {
      return await this.#noted(first, question);
    } catch (failure) {
      // The choice may have changed meanwhile: then the failure is that of the source chosen now.
      const next = this.#reader;
      if (!(failure instanceof PlatformFailure) || next === undefined || next === first) throw failure;
      return await this.#noted(next, question);
    }
  }

  /** Reads, and notes what that shows of the source. */
  async #noted(reader: SourceReader, [read, window, signal]: Question): Answered {
    try {
      const answer = await reader.read(
        (resource, within, group = reader.group) => read(resource, within, group),
        window,
        signal,
      );
      this.#note(reader.name, undefined);
      return answer;
    } catch (failure) {
      if (failure instanceof PlatformFailure) this.#note(reader.name, failure);
      throw failure;
    }
  }

  #note(source: SourceName, failure: PlatformFailure | undefined): void {
    const { sources, api, target, metric, targets, platformClock } = this.#options;
    const outcome = failure?.outcome ?? 'ok';
    const isForeign = failure !== undefined && foreignAnswerOf(failure) !== undefined;
    const now = platformClock.localNow();
    sources.learn(api, (known) =>
      sourceAnswered(known, { source, target, metric, outcome, isForeign, now, targets }),
    );
  }

  get #reader(): SourceReader | undefined {
    if (this.name === 'rest') return this.#options.rest;
    this.#graphql ??= { reader: this.#options.graphql() };
    return this.#graphql.reader;
  }
}
