import type { Read } from '../platform/read.ts';
import type { SeriesReader } from './series-reader.ts';
import type { GroupAnswer, ReadableSeries, SeriesSource, WindowAsked } from './series-source.ts';

/** REST answers one metric of one target at a time, in any dimension. */
export class RestSource implements SeriesSource {
  readonly name = 'rest';
  readonly costsByWindow = false;
  readonly group: string;
  readonly #reader: SeriesReader;

  constructor(reader: SeriesReader) {
    this.#reader = reader;
    this.group = reader.group;
  }

  cost(): number {
    return this.#reader.cost();
  }

  answers(): boolean {
    return true;
  }

  async read<S extends ReadableSeries>(
    { series, window }: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>> {
    const answer = await this.#reader.read(read, window, signal);
    return { answers: series.map((one) => [one, answer]), rejected: answer.decoded.rejected };
  }
}
