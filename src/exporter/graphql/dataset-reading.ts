import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read, type Resource } from '../platform/read.ts';
import type { Window } from '../settling/window.ts';
import { type DatasetRows, datasetRows, keyOf, rowsOf, rowsOfPiece } from './dataset-rows.ts';
import type { KnownFields } from './known-fields.ts';
import type { RowsAsked } from './metric-parts.ts';
import {
  bucketsIn,
  datasetQuestion,
  halves,
  namedKeys,
  type Piece,
  piecesOf,
  resourceOf,
  rowLimit,
} from './question.ts';

/** One read of a dataset. */
export interface DatasetAsked extends RowsAsked {
  readonly keys: readonly string[];
  readonly fields: readonly string[];
  /** Called once, when the first operation leaves. */
  readonly window: () => Window;
  /** Rows expected in a bucket for each key. */
  readonly perKey: number;
  /** Keys that are not read, because they had too many rows lately. */
  readonly resting: ReadonlySet<string>;
}

/** Rows of a read. */
export interface DatasetRead {
  readonly rows: DatasetRows;
  readonly window: Window;
  /** Platform's time as of which the rows are. */
  readonly now: number;
  /** Keys that are left out: one has more rows in a minute than an answer may have. */
  readonly crowded: ReadonlySet<string>;
  /** Rows in a bucket for each key. */
  readonly density: number;
  /** Sentence that names the rows or fields that are left out. */
  readonly notice: string | undefined;
}

export interface ReadingOptions {
  readonly schema: KnownFields;
  readonly platformClock: PlatformClock;
  /** Largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** A read that took longer (ms), since its operations waited for the quota, is as of so long after it was asked for. */
const LONGEST_MS = 4 * 60_000;

/** Operations that are spent at most to find out which fields are refused. */
const MOST_PROBES = 12;

/** Reads a dataset, one operation after the other: more than planned if an answer is cut or a field is refused. */
export class DatasetReading {
  readonly #asked: DatasetAsked;
  readonly #options: ReadingOptions;
  readonly #read: (resource: () => Resource) => Promise<{ readonly body: unknown }>;
  readonly #crowded: Set<string>;
  readonly #limit: number;
  #window: Window | undefined;
  #askedAt = 0;
  #notice: string | undefined;

  constructor(asked: DatasetAsked, options: ReadingOptions, read: Read, signal: AbortSignal) {
    this.#asked = asked;
    this.#crowded = new Set(asked.resting);
    this.#options = options;
    this.#read = (resource) => read(resource, signal, QUESTIONS.group);
    this.#limit = rowLimit(asked.fields.length, options.mostBytes);
  }

  /**
   * Returns the rows of all keys.
   * @throws PlatformFailure not_found if the account has none of the fields; others if an operation fails
   */
  async rows(): Promise<DatasetRead> {
    const { key, split, keys } = this.#asked;
    const rows = await this.#allRows();
    const window = this.#window ?? this.#asked.window();
    const now = Math.min(this.#options.platformClock.now(), this.#askedAt + LONGEST_MS);
    const crowded = this.#crowded;
    const kept = crowded.size === 0 ? rows : rows.filter((row) => !crowded.has(keyOf(row, key) ?? ''));
    return {
      rows: datasetRows(kept, { key, split, window, now }),
      window,
      now,
      crowded,
      density: kept.length / Math.max(1, (keys.length - crowded.size) * bucketsIn(window)),
      notice: this.#notice,
    };
  }

  async #allRows(): Promise<readonly unknown[]> {
    let todo: Piece[] | undefined;
    const rows: unknown[][] = [];
    do {
      // Until the first operation leaves, there is no window.
      const next = () => {
        todo ??= this.#planned();
        return todo[0] ?? nothingLeft();
      };
      const found = await this.#rowsOf(next);
      const piece = next();
      todo?.shift();
      if (found.length < this.#limit)
        rows.push([...rowsOfPiece(found, piece.window, this.#window ?? piece.window)]);
      else todo?.unshift(...this.#again(piece));
      todo = todo?.flatMap((one) => this.#withoutCrowded(one));
    } while (todo === undefined || todo.length > 0);
    return rows.flat();
  }

  #planned(): Piece[] {
    const { keys, perKey, window } = this.#asked;
    this.#askedAt = this.#options.platformClock.now();
    this.#window = window();
    const pieces = piecesOf(
      { window: this.#window, ids: namedKeys(keys) },
      keys.length * perKey,
      this.#limit,
    );
    return pieces.flatMap((piece) => this.#withoutCrowded(piece));
  }

  /** An answer of as many rows as it may have was cut: it is asked for again in parts, or the key is left out. */
  #again(piece: Piece): Piece[] {
    const { keys } = this.#asked;
    const parts = halves(piece, keys);
    if (parts.length > 0) return parts;
    const [id = ''] = piece.ids ?? keys;
    this.#crowded.add(id);
    this.#notice = `configuration ${id} has more rows in a minute than an answer may have: it is left out`;
    return [];
  }

  /** A piece without the keys that cannot be read; none if nothing is left of it. */
  #withoutCrowded(piece: Piece): Piece[] {
    if (this.#crowded.size === 0) return [piece];
    const ids = (piece.ids ?? this.#asked.keys).filter((id) => !this.#crowded.has(id));
    return ids.length === 0 ? [] : [{ ...piece, ids }];
  }

  /** Rows of an answer to a piece. A field that is refused is left out from then on. */
  async #rowsOf(piece: () => Piece): Promise<readonly unknown[]> {
    const { dataset, fields, summed } = this.#asked;
    for (;;) {
      const known = fields.filter((field) => !this.#options.schema.lacks(dataset, field));
      if (known.length === 0)
        throw new PlatformFailure(
          'not_found',
          this.#notice ?? `the account's ${dataset} has none of ${fields.join(', ')}`,
        );
      try {
        return await this.#ask(piece, known);
      } catch (failure) {
        if (!isRefusal(failure) || summed !== undefined) throw failure;
        const refused = await this.#refused(known, piece);
        if (refused.length === 0) throw failure;
        this.#options.schema.lack(dataset, refused);
        this.#notice = leftOut(dataset, refused);
      }
    }
  }

  async #ask(piece: () => Piece, fields: readonly string[]): Promise<readonly unknown[]> {
    const { dataset, key, summed, split } = this.#asked;
    const { body } = await this.#read(() =>
      resourceOf(
        datasetQuestion({ dataset, key, by: split?.by, summed, fields, ...piece(), limit: this.#limit }),
      ),
    );
    return rowsOf(body, dataset);
  }

  /** Fields that are refused when halves of them are asked for; none if the platform refuses all: the reason is another. */
  async #refused(names: readonly string[], piece: () => Piece): Promise<readonly string[]> {
    let probes = 0;
    let isAnswered = false;
    const refusedIn = async (fields: readonly string[]): Promise<readonly string[]> => {
      const found: string[] = [];
      const middle = Math.ceil(fields.length / 2);
      for (const half of [fields.slice(0, middle), fields.slice(middle)]) {
        if (half.length === 0 || half.length === names.length || probes === MOST_PROBES) continue;
        probes += 1;
        const failure = await this.#ask(piece, half).then(
          () => undefined,
          (error: unknown) => error,
        );
        isAnswered ||= failure === undefined;
        if (isRefusal(failure)) found.push(...(half.length === 1 ? half : await refusedIn(half)));
      }
      return found;
    };
    const found = await refusedIn(names);
    return isAnswered ? found : [];
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof PlatformFailure && error.outcome === 'not_acceptable';
}

/** Returns what a platform does not have, as a sentence. */
export function leftOut(dataset: string, names: readonly string[]): string {
  return `the account's ${dataset} does not have ${names.join(', ')}: what comes of it is left out`;
}

function nothingLeft(): never {
  throw new Error('no piece is left to be asked for');
}
