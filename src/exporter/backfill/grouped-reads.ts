import type { GraphqlSeries, GraphqlSource } from '../graphql/graphql-source.ts';
import { groupedBy } from '../grouped-by.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { WindowedAnswer } from '../series/series-source.ts';
import type { Window } from '../settling/window.ts';

interface Asked {
  readonly series: GraphqlSeries;
  readonly window: Window;
  readonly isPast: boolean;
  readonly signal: AbortSignal;
  readonly resolve: (answer: WindowedAnswer) => void;
  readonly reject: (failure: unknown) => void;
}

/** Reads by GraphQL: series that are asked for at the same time over the same window share operations. */
export class GroupedReads {
  readonly #graphql: Pick<GraphqlSource, 'groups' | 'source'>;
  readonly #read: Read;
  #asked: Asked[] = [];

  constructor(graphql: Pick<GraphqlSource, 'groups' | 'source'>, read: Read) {
    this.#graphql = graphql;
    this.#read = read;
  }

  /** Reads one series. @param isPast true if it may not be broken down by other values than before @throws PlatformFailure */
  read(series: GraphqlSeries, window: Window, isPast: boolean, signal: AbortSignal): Promise<WindowedAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#asked.length === 0) setImmediate(() => this.#ask());
      this.#asked.push({ series, window, isPast, signal, resolve, reject });
    });
  }

  #ask(): void {
    const asked = this.#asked;
    this.#asked = [];
    const alike = groupedBy(asked, ({ window, isPast }) => `${window.from} ${window.to} ${isPast}`);
    for (const together of alike.values()) {
      const bySeries = new Map(together.map((one) => [one.series, one]));
      for (const { series } of this.#graphql.groups([...bySeries.keys()]))
        void this.#readGroup(series.flatMap((one) => bySeries.get(one) ?? []));
    }
  }

  async #readGroup(asked: readonly Asked[]): Promise<void> {
    const [first] = asked;
    if (first === undefined) return;
    const { window, isPast, signal } = first;
    const series = asked.map((one) => one.series);
    try {
      const source = this.#graphql.source();
      const { answers } = await source.read({ series, window: () => window, isPast }, this.#read, signal);
      const bySeries = new Map(answers);
      for (const { series: one, resolve, reject } of asked) {
        const answer = bySeries.get(one);
        if (answer !== undefined) resolve(answer);
        else reject(new PlatformFailure('not_found', 'GraphQL has no such series'));
      }
    } catch (failure) {
      for (const { reject } of asked) reject(failure);
    }
  }
}
