import { DIMENSIONS, percentagesOf } from '../catalogue/catalogue.ts';
import { type Decoded, decodeSeries, mergeDecoded } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { ReadMode } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';
import { type SeriesQuestion, seriesResource } from '../targets/target.ts';
import {
  everyDimension,
  type GroupAnswer,
  type ReadableSeries,
  type SeriesAsked,
  type SeriesSource,
  type WindowAsked,
  type WindowedAnswer,
} from './series-source.ts';

export interface RestSourceOptions extends SeriesAsked {
  /** Returns the way to read the metric: all dimensions in one operation, or one operation each. */
  readonly mode: () => ReadMode;
  /** Returns true if the dimensions may be tried one by one after a 404 for the metric. */
  readonly mayTry: () => boolean;
  readonly platformClock: PlatformClock;
}

/** Name under which an answer without dimensions is decoded. */
const UNNAMED = '';

type DecodedAnswer = Pick<WindowedAnswer, 'decoded' | 'now' | 'mode'>;

/** Source that reads one metric of one target by REST, with as few operations as the platform allows. */
export class RestSource implements SeriesSource {
  readonly name = 'rest';
  readonly costsByWindow = false;
  readonly #options: RestSourceOptions;
  readonly #isPercent: ReturnType<typeof percentagesOf>;

  constructor(options: RestSourceOptions) {
    this.#options = options;
    this.#isPercent = percentagesOf(options.metric);
  }

  /** Group of the operations: those of one API share a limit. */
  get group(): string {
    return this.#options.target.product.api;
  }

  cost(): number {
    return this.#options.mode() === 'metric'
      ? 1
      : Math.max(1, this.#dimensions.filter(this.#options.wants).length);
  }

  answers(): boolean {
    return true;
  }

  async read<S extends ReadableSeries>(
    { series, window }: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>> {
    const answer = await this.answer(read, window, signal);
    return { answers: series.map((one) => [one, answer]), rejected: answer.decoded.rejected };
  }

  /**
   * Reads the metric over one window.
   * @param window called when the first operation is sent
   * @throws PlatformFailure if there is no usable answer
   */
  async answer(read: Read, window: (now: number) => Window, signal: AbortSignal): Promise<WindowedAnswer> {
    const asked = once(() => window(this.#options.platformClock.now()));
    const { decoded, now, mode } =
      this.#options.mode() === 'metric'
        ? await this.#readMetric(read, asked, signal)
        : await this.#readDimensions(read, asked, signal);
    return { decoded: this.#wanted(decoded), window: asked(), now, mode };
  }

  async #readMetric(read: Read, window: () => Window, signal: AbortSignal): Promise<DecodedAnswer> {
    const dimensions = this.#dimensions;
    try {
      const answer = await this.#ask(read, window, undefined, signal);
      if (!answer.decoded.series.has(UNNAMED)) return answer;
      if (dimensions.length <= 1)
        return { ...answer, decoded: renamed(answer.decoded, dimensions[0] ?? 'total') };
    } catch (failure) {
      const isUnknown = failure instanceof PlatformFailure && failure.outcome === 'not_found';
      const [first] = dimensions.filter(this.#options.wants);
      if (!isUnknown || dimensions.length <= 1 || first === undefined) throw failure;
      if (!this.#options.mayTry()) throw failure;
      // One dimension is tried first: if the platform does not know it, it does not know the others.
      await this.#ask(read, window, first, signal);
    }
    return { ...(await this.#readDimensions(read, window, signal)), mode: 'dimensions' };
  }

  async #readDimensions(read: Read, window: () => Window, signal: AbortSignal): Promise<DecodedAnswer> {
    const answers = await Promise.all(
      this.#dimensions
        .filter(this.#options.wants)
        .map(async (dimension) =>
          renamed((await this.#ask(read, window, dimension, signal)).decoded, dimension),
        ),
    );
    return { decoded: mergeDecoded(answers), now: this.#options.platformClock.now() };
  }

  async #ask(
    read: Read,
    window: () => Window,
    dimension: string | undefined,
    signal: AbortSignal,
  ): Promise<DecodedAnswer> {
    const { target, metric, platformClock } = this.#options;
    const question = (): SeriesQuestion => ({
      target,
      metric,
      window: window(),
      ...(dimension === undefined ? {} : { dimension }),
    });
    const { body } = await read(() => seriesResource(question()), signal);
    const now = platformClock.now();
    const asked = { metric, id: target.id, dimension, isPercent: this.#isPercent };
    return { decoded: decodeSeries(body, asked, now), now };
  }

  get #dimensions(): readonly string[] {
    return DIMENSIONS[this.#options.metric] ?? [];
  }

  #wanted(decoded: Decoded): Decoded {
    const { wants } = this.#options;
    if (wants === everyDimension) return decoded;
    const unwanted = [...decoded.series.keys()].filter((dimension) => !wants(dimension));
    if (unwanted.length === 0) return decoded;
    const series = new Map(decoded.series);
    for (const dimension of unwanted) series.delete(dimension);
    return { ...decoded, series };
  }
}

/** Returns an answer without dimensions under the name of the requested dimension. */
function renamed(decoded: Decoded, dimension: string): Decoded {
  const unnamed = decoded.series.get(UNNAMED);
  if (unnamed === undefined) return decoded;
  const valueless = decoded.valueless?.get(UNNAMED);
  return {
    ...decoded,
    series: new Map([[dimension, unnamed]]),
    ...(valueless !== undefined && { valueless: new Map([[dimension, valueless]]) }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
