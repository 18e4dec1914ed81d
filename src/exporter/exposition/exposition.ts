import type { Page } from './family-lines.ts';
import { gzipMember, makeSegment, type Segment } from './segment.ts';
import { runInSlices } from './slices.ts';
import type { Store } from './store.ts';
import type { ExpositionFormat } from './text-format.ts';

export type ExpositionEncoding = 'identity' | 'gzip';

type Exposed = Pick<Store, 'refresh' | 'pages' | 'onChange'>;

/**
 * Delay (ms) before changes are rendered. Responses arrive in bursts and change the same chunks, so changes are rendered together.
 * A scrape renders them at once.
 */
const WAIT_MS = 100;

/** Maximum wait (ms) of a scrape for rendering, because a million series may change at once. It then gets the last bytes. */
const LONGEST_WAIT_MS = 2_000;

/** Number of changes that are rendered at once, those of about 15 polls, so that scrapes wait briefly. */
const FULL_BATCH = 64;

/** End of a document. */
const ENDS: Readonly<Record<ExpositionFormat, Segment>> = {
  text: makeSegment(''),
  openmetrics: makeSegment('# EOF\n'),
};

/** Pages as of one moment, and the bodies created from them on demand. */
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
  /** True if changes are rendered before a scrape; default: true. Tests in simulated time disable it. */
  readonly rendersAhead?: boolean;
}

/**
 * Prepared bodies of `/metrics`. Samples are rendered and compressed soon after each change, in short slices of the event loop, and
 * only where they changed. They then replace the former body as a whole. A scrape sees all samples of an owner old, or all new. It
 * sees everything published before, unless rendering takes too long.
 */
export class Exposition {
  readonly #exposed: Exposed;
  readonly #rendersAhead: boolean;
  #snapshot: FrozenDocument;
  /** Number of changes that no refresh includes yet. */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #scrapes = 0;
  /** Refresh in progress; undefined if there is none. */
  #refreshing: Promise<void> | undefined;

  constructor(exposed: Exposed, { rendersAhead = true }: ExpositionOptions = {}) {
    this.#exposed = exposed;
    this.#rendersAhead = rendersAhead;
    this.#snapshot = new FrozenDocument(exposed.pages());
    exposed.onChange(() => this.#changed());
  }

  /** Renders everything that changed before the call at once. @returns undefined if scrapes see the changes already */
  refresh(): Promise<void> | undefined {
    if (this.#waiting === 0) return this.#refreshing;
    if (this.#refreshing !== undefined) return this.#refreshing.then(() => this.refresh());
    return this.#refresh();
  }

  /**
   * Refreshes for a scrape with priority over other work, with a limited wait.
   * @param mustBeWhole true to wait for all changes, because samples that must disappear may be among them
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

  /** Number of scrapes that wait for a refresh. */
  get scrapes(): number {
    return this.#scrapes;
  }

  /** Returns a complete document in immutable pieces, in order. @param further families of this scrape, added at the end */
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
