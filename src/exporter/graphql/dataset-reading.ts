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

/** Request to read a dataset. */
export interface DatasetAsked extends RowsAsked {
  readonly keys: readonly string[];
  readonly fields: readonly string[];
  /** Returns the window to read. Called once, when the first operation is sent. */
  readonly window: () => Window;
  /** Number of rows expected in a bucket per key. */
  readonly perKey: number;
  /** Keys that are not read, because they had too many rows lately. */
  readonly resting: ReadonlySet<string>;
}

/** Result of reading a dataset. */
export interface DatasetRead {
  readonly rows: DatasetRows;
  readonly window: Window;
  /** The platform's time (ms since the epoch) that the rows reflect. */
  readonly now: number;
  /** Keys omitted from the result, because each has more rows in one minute than a response may have. */
  readonly crowded: ReadonlySet<string>;
  /** Number of rows found in a bucket per key. */
  readonly density: number;
  /** Sentence that lists the omitted rows or fields; undefined if nothing was omitted. */
  readonly notice: string | undefined;
}

export interface ReadingOptions {
  readonly schema: KnownFields;
  readonly platformClock: PlatformClock;
  /** Maximum size of a response, in bytes. */
  readonly mostBytes: number;
}

/** Maximum duration (ms) between the start of a read and the time that its rows reflect: reads may wait for the quota. */
const LONGEST_MS = 4 * 60_000;

/** Maximum number of operations spent to find out which fields the platform refuses. */
const MOST_PROBES = 12;

/** Reads a dataset with sequential operations. Sends more of them than planned if a response is truncated or a field is refused. */
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

  /** Returns the rows of all keys. @throws PlatformFailure `not_found` if the account has none of the fields */
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
      // The window is unknown until the first operation is sent.
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

  /**
   * Handles a response with as many rows as its limit, which counts as truncated. Returns smaller pieces to request again,
   * or omits the key if the piece cannot be split.
   */
  #again(piece: Piece): Piece[] {
    const { keys } = this.#asked;
    const parts = halves(piece, keys);
    if (parts.length > 0) return parts;
    const [id = ''] = piece.ids ?? keys;
    this.#crowded.add(id);
    this.#notice = `configuration ${id} has more rows in a minute than an answer may have: it is left out`;
    return [];
  }

  /** Returns the piece without keys that cannot be read; nothing if no key remains. */
  #withoutCrowded(piece: Piece): Piece[] {
    if (this.#crowded.size === 0) return [piece];
    const ids = (piece.ids ?? this.#asked.keys).filter((id) => !this.#crowded.has(id));
    return ids.length === 0 ? [] : [{ ...piece, ids }];
  }

  /** Returns the rows of the response to a piece. Omits refused fields from then on. */
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

  /**
   * Returns the refused fields, found by requesting halves of them. Returns none if the platform refuses every half, because the
   * cause is then not a field.
   */
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

/** Returns a sentence that lists the fields that a dataset lacks. */
export function leftOut(dataset: string, names: readonly string[]): string {
  return `the account's ${dataset} does not have ${names.join(', ')}: what comes of it is left out`;
}

function nothingLeft(): never {
  throw new Error('no piece is left to be asked for');
}
