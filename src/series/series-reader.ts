import { DIMENSIONS } from '../catalogue/products.ts';
import { type Decoded, decodeSeries, mergeDecoded } from '../decode/decode.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { Window } from '../settling/window.ts';
import { type SeriesQuestion, seriesResource, type Target } from '../targets/target.ts';

export interface SeriesReaderOptions {
  readonly target: Target;
  readonly metric: string;
  /** Whether a dimension is wanted. */
  readonly wants: (dimension: string) => boolean;
  readonly modes: ReadModes;
  readonly platformClock: PlatformClock;
}

/** An answer with the window that was asked for. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** The platform's time when the answer came. */
  readonly now: number;
}

/** The name under which an answer without dimensions is decoded. */
const UNNAMED = '';

/** Reads one metric of one target over a window, by as few operations as the platform lets. */
export class SeriesReader {
  readonly #options: SeriesReaderOptions;

  constructor(options: SeriesReaderOptions) {
    this.#options = options;
  }

  /** Operations that one read costs. */
  cost(): number {
    return this.#mode === 'metric' ? 1 : Math.max(1, this.#dimensions.filter(this.#options.wants).length);
  }

  /**
   * @param window computed when the first operation leaves, not before
   * @throws PlatformFailure
   */
  async read(read: Read, window: (now: number) => Window, signal: AbortSignal): Promise<WindowedAnswer> {
    const asked = once(() => window(this.#options.platformClock.now()));
    const decoded =
      this.#mode === 'metric'
        ? await this.#readMetric(read, asked, signal)
        : await this.#readDimensions(read, asked, signal);
    return { decoded: this.#wanted(decoded), window: asked(), now: this.#options.platformClock.now() };
  }

  async #readMetric(read: Read, window: () => Window, signal: AbortSignal): Promise<Decoded> {
    const dimensions = this.#dimensions;
    try {
      const decoded = await this.#ask(read, window, undefined, signal);
      const unnamed = decoded.series.get(UNNAMED);
      if (unnamed === undefined) return decoded;
      if (dimensions.length <= 1) return renamed(decoded, dimensions[0] ?? 'total');
    } catch (failure) {
      const hasDimensions =
        failure instanceof PlatformFailure && failure.outcome === 'not_found' && dimensions.length > 1;
      if (!hasDimensions) throw failure;
      const decoded = await this.#readDimensions(read, window, signal);
      this.#learn();
      return decoded;
    }
    this.#learn();
    return this.#readDimensions(read, window, signal);
  }

  async #readDimensions(read: Read, window: () => Window, signal: AbortSignal): Promise<Decoded> {
    const answers = await Promise.all(
      this.#dimensions
        .filter(this.#options.wants)
        .map(async (dimension) => renamed(await this.#ask(read, window, dimension, signal), dimension)),
    );
    return mergeDecoded(answers);
  }

  async #ask(
    read: Read,
    window: () => Window,
    dimension: string | undefined,
    signal: AbortSignal,
  ): Promise<Decoded> {
    const { target, metric, platformClock } = this.#options;
    const question = (): SeriesQuestion => ({
      target,
      metric,
      window: window(),
      ...(dimension === undefined ? {} : { dimension }),
    });
    const { body } = await read(() => seriesResource(question()), signal);
    return decodeSeries(
      body,
      { metric, id: target.id, ...(dimension === undefined ? {} : { dimension }) },
      platformClock.now(),
    );
  }

  get #mode() {
    const { target, metric, modes } = this.#options;
    return modes.of(target.product.api, target.product.id, metric);
  }

  #learn(): void {
    const { target, metric, modes } = this.#options;
    modes.learn(target.product.api, target.product.id, metric, 'dimensions');
  }

  get #dimensions(): readonly string[] {
    return DIMENSIONS[this.#options.metric] ?? [];
  }

  #wanted(decoded: Decoded): Decoded {
    const { wants } = this.#options;
    const unwanted = [...decoded.series.keys()].filter((dimension) => !wants(dimension));
    if (unwanted.length === 0) return decoded;
    const series = new Map(decoded.series);
    for (const dimension of unwanted) series.delete(dimension);
    return { ...decoded, series };
  }
}

/** The series of an answer that names no dimension, under the name of the one that was asked for. */
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

/** How a metric's dimensions are read: all in the metric's own answer, or each by an operation of its own. */
export type ReadMode = 'metric' | 'dimensions';

/**
 * What was learned of how the platform answers, shared by all targets of an account: a metric read that brings its
 * dimensions costs one operation, and only where it does not are the dimensions read one by one.
 */
export class ReadModes {
  readonly #learned = new Map<string, ReadMode>();

  of(api: string, productId: number, metric: string): ReadMode {
    return this.#learned.get(key(api, productId, metric)) ?? 'metric';
  }

  learn(api: string, productId: number, metric: string, mode: ReadMode): void {
    this.#learned.set(key(api, productId, metric), mode);
  }
}

function key(api: string, productId: number, metric: string): string {
  return `${api}/${productId}/${metric}`;
}
