import type { Page } from './family-lines.ts';
import { gzipMember, makeSegment, type Segment } from './segment.ts';
import { runInSlices } from './slices.ts';
import type { Store } from './store.ts';
import type { ExpositionFormat } from './text-format.ts';

export type ExpositionEncoding = 'identity' | 'gzip';

type Exposed = Pick<Store, 'refresh' | 'pages' | 'onChange'>;

/**
 * Changes wait for this time (ms) to be rendered together: answers come in bursts, and change the same chunks. A scrape
 * renders them at once.
 */
const WAIT_MS = 100;

/** Longest wait (ms) of a scrape for rendering; it then gets the ready bytes. A million series may change at once. */
const LONGEST_WAIT_MS = 2_000;

/** Number of changes, those of about 15 polls, that are rendered at once, so that scrapes wait briefly. */
const FULL_BATCH = 64;

/** End of a document. */
const ENDS: Readonly<Record<ExpositionFormat, Segment>> = {
  text: makeSegment(''),
  openmetrics: makeSegment('# EOF\n'),
};

/** The pages as they were at one moment, and the bodies made of them once they are asked for. */
class FrozenDocument {
  readonly #pages: readonly Page[];
  readonly #bodies = new Map<string, Body>();

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
  }

  body(
    format: ExpositionFormat,
    encoding: ExpositionEncoding,
    further: readonly Segment[],
  ): readonly Buffer[] {
    const key = `${format} ${encoding}`;
    const known = this.#bodies.get(key);
    if (known?.further === further) return known.pieces;
    const pieces = this.#bodyOf(format, encoding, further);
    this.#bodies.set(key, { further, pieces });
    return pieces;
  }

  #bodyOf(
    format: ExpositionFormat,
    encoding: ExpositionEncoding,
    further: readonly Segment[],
  ): readonly Buffer[] {
    const segments: Segment[] = [];
    for (const page of this.#pages) segments.push(...page[format]);
    segments.push(...further, ENDS[format]);
    if (encoding === 'gzip') return gzipMember(segments);
    const pieces: Buffer[] = [];
    for (const { identity } of segments) pieces.push(...identity);
    return pieces;
  }
}

/** Body, and its additions. */
interface Body {
  readonly further: readonly Segment[];
  readonly pieces: readonly Buffer[];
}

const NOTHING: readonly Segment[] = [];

export interface ExpositionOptions {
  /** True if changes are rendered before a scrape asks for them. Default: true. Tests in simulated time turn it off. */
  readonly rendersAhead?: boolean;
}

/**
 * Bodies of `/metrics`, kept ready. Samples are rendered and compressed soon after each change, in slices of the event
 * loop's time and only where they changed. They then replace the former body as a whole. A scrape sees all samples of an
 * owner old, or all new. It sees everything published before, unless rendering takes too long.
 */
export class Exposition {
  readonly #exposed: Exposed;
  readonly #rendersAhead: boolean;
  #snapshot: FrozenDocument;
  /** Changes that no refresh has taken up yet. */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #scrapes = 0;
  /** The refresh under way. */
  #refreshing: Promise<void> | undefined;

  constructor(exposed: Exposed, { rendersAhead = true }: ExpositionOptions = {}) {
    this.#exposed = exposed;
    this.#rendersAhead = rendersAhead;
    this.#snapshot = new FrozenDocument(exposed.pages());
    exposed.onChange(() => this.#changed());
  }

  /**
   * Renders now, rather than soon, everything that changed before the call.
   * @returns undefined when scrapes see it already, or a promise of that
   */
  refresh(): Promise<void> | undefined {
    if (this.#waiting === 0) return this.#refreshing;
    if (this.#refreshing !== undefined) return this.#refreshing.then(() => this.refresh());
    return this.#refresh();
  }

  /**
   * Refreshes for a scrape, before other work, with a limited wait.
   * @param mustBeWhole true to wait for all changes: samples that must disappear may be among them
   */
  refreshForScrape(mustBeWhole = false): Promise<void> | undefined {
    const refreshed = this.refresh();
    if (refreshed === undefined) return undefined;
    this.#scrapes += 1;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      if (this.#rendersAhead && !mustBeWhole) timer = setTimeout(resolve, LONGEST_WAIT_MS);
    });
    return Promise.race([refreshed, tooLong]).finally(() => {
      clearTimeout(timer);
      this.#scrapes -= 1;
    });
  }

  /** Scrapes that wait for a refresh. */
  get scrapes(): number {
    return this.#scrapes;
  }

  /**
   * A complete document of everything shown, in pieces to be sent one after the other; they never change.
   * @param further families that are rendered for this scrape; they stand at the end
   */
  snapshot(
    format: ExpositionFormat,
    encoding: ExpositionEncoding,
    further: readonly Segment[] = NOTHING,
  ): readonly Buffer[] {
    return this.#snapshot.body(format, encoding, further);
  }

  #changed(): void {
    this.#waiting += 1;
    if (this.#refreshing !== undefined || !this.#rendersAhead) return;
    if (this.#waiting === 1) this.#wait(WAIT_MS);
    // Includes other entries that are published in the same turn of the event loop.
    else if (this.#waiting === FULL_BATCH) this.#wait(0);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), ms).unref();
  }

  #refresh(): Promise<void> | undefined {
    clearTimeout(this.#timer);
    this.#waiting = 0;
    this.#refreshing = runInSlices(this.#exposed.refresh(), () => this.#scrapes > 0)?.then(() =>
      this.#refreshed(),
    );
    if (this.#refreshing === undefined) this.#snapshot = new FrozenDocument(this.#exposed.pages());
    return this.#refreshing;
  }

  #refreshed(): void {
    this.#snapshot = new FrozenDocument(this.#exposed.pages());
    this.#refreshing = undefined;
    if (this.#waiting > 0 && this.#rendersAhead) this.#wait(this.#waiting < FULL_BATCH ? WAIT_MS : 0);
  }
}
