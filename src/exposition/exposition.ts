import { setImmediate } from 'node:timers/promises';
import type { FamilyLines } from './family-lines.ts';
import type { ExpositionFormat } from './negotiate.ts';
import { append, type Body, EMPTY_BODY, gzipMember, makeSegment } from './segment.ts';
import { runInSlices } from './slices.ts';
import type { Store } from './store.ts';

export type ExpositionEncoding = 'identity' | 'gzip';

/** A body as it was at one moment, without its end, so that more can be appended; and whole, ready to be sent. */
interface Snapshot {
  readonly open: Body;
  readonly ready: Readonly<Record<ExpositionEncoding, readonly Buffer[]>>;
}

/** What ends a document. */
const ENDS: Readonly<Record<ExpositionFormat, string>> = { text: '', openmetrics: '# EOF\n' };

/** The body with `end` behind it, encoded. */
function finish(open: Body, end: string, encoding: ExpositionEncoding): readonly Buffer[] {
  if (encoding === 'identity') return end === '' ? open.identity : open.identity.concat(Buffer.from(end));
  return gzipMember(end === '' ? open : append(open, [makeSegment(end)]));
}

function takeSnapshot(families: readonly FamilyLines[], format: ExpositionFormat): Snapshot {
  const open = append(
    EMPTY_BODY,
    families.flatMap((family) => family.segments(format)),
  );
  const end = ENDS[format];
  return { open, ready: { identity: finish(open, end, 'identity'), gzip: finish(open, end, 'gzip') } };
}

/**
 * The bodies of `/metrics`, kept ready: what the store shows is rendered and compressed soon after each change, in
 * slices of the event loop's time and only where it changed, then put in the place of the former body as a whole. So a
 * scrape costs next to nothing, and sees each owner's samples all old or all new.
 */
export class Exposition {
  readonly #store: Store;
  #snapshots: Readonly<Record<ExpositionFormat, Snapshot>>;
  /** The refresh under way, or the last one. */
  #current: Promise<void> = Promise.resolve();
  /** The refresh that waits for the current one. */
  #next: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#snapshots = this.#takeSnapshots();
    store.onChange(() => {
      this.#next ??= this.#current.then(() => this.#refresh());
    });
  }

  /** Resolves when scrapes see everything that the store was told before the call. */
  settled(): Promise<void> {
    return this.#next ?? this.#current;
  }

  /**
   * A complete document of everything shown, in pieces to be sent one after the other; they never change.
   * @param own the exporter's own samples in the same format (`writeRegistry`), of families that the store has not
   */
  snapshot(format: ExpositionFormat, encoding: ExpositionEncoding, own = ''): readonly Buffer[] {
    const { open, ready } = this.#snapshots[format];
    return own === '' ? ready[encoding] : finish(open, own + ENDS[format], encoding);
  }

  async #refresh(): Promise<void> {
    // Whatever else is published in the same turn of the event loop comes along.
    await setImmediate();
    this.#current = this.#next ?? this.#current;
    this.#next = undefined;
    await runInSlices(this.#steps());
    this.#snapshots = this.#takeSnapshots();
  }

  *#steps(): Generator<undefined, void> {
    yield* this.#store.apply();
    for (const family of this.#store.families) yield* family.render();
  }

  #takeSnapshots(): Readonly<Record<ExpositionFormat, Snapshot>> {
    const { families } = this.#store;
    return { text: takeSnapshot(families, 'text'), openmetrics: takeSnapshot(families, 'openmetrics') };
  }
}
