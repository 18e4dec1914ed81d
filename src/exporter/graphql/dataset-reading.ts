import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read, type Resource } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { type DatasetRows, datasetRows, keyOf, rowsOf, rowsOfPiece } from './dataset-rows.ts';
import type { Split } from './fields.ts';
import type { KnownFields } from './known-fields.ts';
import {
  askable,
  bucketsIn,
  datasetQuestion,
  halves,
  namedKeys,
  type Piece,
  piecesOf,
  resourceOf,
  rowLimit,
  widthOf,
} from './question.ts';

/** Rows that questions about a dataset bring. Readers of the same rows can share questions. */
export interface RowsAsked {
  readonly dataset: string;
  /** Field by which rows of one time are grouped; undefined for the sum of all. */
  readonly key: string | undefined;
  readonly summed: string | undefined;
  /** Further breakdown of the rows of a time and key. */
  readonly split: Split | undefined;
}

/** One read of a dataset. */
export interface DatasetAsked extends RowsAsked {
  readonly keys: readonly string[];
  readonly fields: readonly string[];
  /** Called once, when the first operation leaves. */
  readonly window: () => Window;
  /** Rows expected in a bucket for each key. */
  readonly perKey: number;
}

/** Rows of a read, and what it took. */
export interface DatasetRead {
  readonly rows: DatasetRows;
  readonly window: Window;
  /** Platform's time as of which the rows are. */
  readonly now: number;
  /** Reason why a key has no rows. */
  readonly cut: ReadonlyMap<string, CutKey>;
  readonly operations: number;
  /** Rows in a bucket for each key. */
  readonly density: number;
  /** Fields that were found to be missing, as a sentence. */
  readonly notice: string | undefined;
}

/** Reason why an answer about a key alone was cut and cannot be asked for in parts. */
export interface CutKey {
  readonly failure: PlatformFailure;
  /** True if the key has too many rows in a single minute. */
  readonly isCrowded: boolean;
}

export interface ReadingOptions {
  readonly schema: KnownFields;
  readonly platformClock: PlatformClock;
  /** Largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** A read that took longer (ms), since its operations waited for the quota, is as of so long after it was asked for. */
const LONGEST_MS = 4 * MINUTE_MS;

/** Operations that are spent at most to find out which fields are refused. */
const MOST_PROBES = 12;

/** Returns the failure of a key that has more rows in a minute than an answer may have. */
export function tooManyRows(key: string): PlatformFailure {
  return new PlatformFailure(
    'undecodable',
    `configuration ${key} has more rows in a minute than an answer may have: it is read again after an hour`,
  );
}

/** Reads a dataset, one operation after the other: more than planned if an answer is cut or a field is refused. */
export class DatasetReading {
  readonly #asked: DatasetAsked;
  readonly #options: ReadingOptions;
  readonly #read: (resource: () => Resource) => Promise<{ readonly body: unknown }>;
  readonly #cut = new Map<string, CutKey>();
  readonly #limit: number;
  #window: Window | undefined;
  #operations = 0;
  #notice: string | undefined;

  constructor(asked: DatasetAsked, options: ReadingOptions, read: Read, signal: AbortSignal) {
    this.#asked = asked;
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
    const askedAt = this.#askedAt;
    const now = Math.min(this.#options.platformClock.now(), askedAt + LONGEST_MS);
    const kept = this.#cut.size === 0 ? rows : rows.filter((row) => !this.#cut.has(keyOf(row, key) ?? ''));
    return {
      rows: datasetRows(kept, { key, split, window, now }),
      window,
      now,
      cut: this.#cut,
      operations: this.#operations,
      density: kept.length / Math.max(1, (keys.length - this.#cut.size) * bucketsIn(window)),
      notice: this.#notice,
    };
  }

  #askedAt = 0;

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
      else todo?.unshift(...this.#again(piece, found));
      todo = todo?.flatMap((one) => this.#withoutCut(one));
    } while (todo === undefined || todo.length > 0);
    return rows.flat();
  }

  #planned(): Piece[] {
    const { keys, perKey, window } = this.#asked;
    this.#askedAt = this.#options.platformClock.now();
    this.#window = askable(window());
    return piecesOf({ window: this.#window, ids: namedKeys(keys) }, keys.length * perKey, this.#limit);
  }

  /** An answer of as many rows as it may have was cut: it is asked for again in parts, or the key is left out. */
  #again(piece: Piece, rows: readonly unknown[]): Piece[] {
    const { keys, key } = this.#asked;
    const parts = halves(piece, keys);
    if (parts.length > 0) return parts;
    const [id = ''] = piece.ids ?? keys;
    const isCrowded = widthOf(piece.window) === MINUTE_MS && rows.every((row) => keyOf(row, key) === id);
    const words = `the answer is cut at ${this.#limit} rows, and cannot be asked for in parts`;
    const failure = isCrowded ? tooManyRows(id) : new PlatformFailure('undecodable', words);
    this.#cut.set(id, { failure, isCrowded });
    return [];
  }

  /** A piece without the keys that cannot be read; none if nothing is left of it. */
  #withoutCut(piece: Piece): Piece[] {
    if (this.#cut.size === 0) return [piece];
    const ids = (piece.ids ?? this.#asked.keys).filter((id) => !this.#cut.has(id));
    return ids.length === 0 ? [] : [{ ...piece, ids }];
  }

  /** Rows of an answer to a piece. A field that is refused is left out from then on. */
  async #rowsOf(piece: () => Piece): Promise<readonly unknown[]> {
    for (;;) {
      const known = this.#knownFields();
      try {
        return await this.#ask(piece, known);
      } catch (failure) {
        if (!(failure instanceof PlatformFailure)) throw failure;
        const named = await this.#refused(failure, known, piece);
        if (named.length === 0) throw failure;
        this.#notice = `the account's ${this.#asked.dataset} does not have ${named.join(', ')}: what comes of it is left out`;
      }
    }
  }

  /** @throws PlatformFailure not_found if none are left */
  #knownFields(): readonly string[] {
    const { dataset, fields, summed, split } = this.#asked;
    const { schema } = this.#options;
    const known = fields.filter((field) => !schema.lacks(dataset, field));
    const isRefused = [summed, split?.by].some((name) => schema.refuses(dataset, name));
    if (known.length > 0 && !isRefused) return known;
    throw new PlatformFailure(
      'not_found',
      this.#notice ?? `the account's ${dataset} has none of ${fields.join(', ')}`,
    );
  }

  async #ask(piece: () => Piece, fields: readonly string[]): Promise<readonly unknown[]> {
    const { dataset, key, summed, split } = this.#asked;
    this.#operations += 1;
    const { body } = await this.#read(() =>
      resourceOf(
        datasetQuestion({ dataset, key, by: split?.by, summed, fields, ...piece(), limit: this.#limit }),
      ),
    );
    return rowsOf(body, dataset);
  }

  /** Fields that a refusal names or, if its message is not understood, that are refused when asked for by themselves. */
  async #refused(
    failure: PlatformFailure,
    known: readonly string[],
    piece: () => Piece,
  ): Promise<readonly string[]> {
    const { dataset, summed, split } = this.#asked;
    const { schema } = this.#options;
    const names = split === undefined ? known : [...known, split.by];
    const named = schema.refused(dataset, names, failure, summed);
    const isUnclear = failure.outcome === 'not_acceptable' && named.length === 0;
    if (!isUnclear || summed !== undefined || names.length < 2) return named;
    let probes = 0;
    let isAnswered = false;
    const refusedIn = async (fields: readonly string[]): Promise<readonly string[]> => {
      const found: string[] = [];
      const middle = Math.ceil(fields.length / 2);
      for (const half of [fields.slice(0, middle), fields.slice(middle)]) {
        if (half.length === 0 || probes === MOST_PROBES) continue;
        probes += 1;
        const isRefused = await this.#ask(piece, half).then(
          () => {
            isAnswered = true;
            return false;
          },
          (error: unknown) => error instanceof PlatformFailure && error.outcome === 'not_acceptable',
        );
        if (isRefused) found.push(...(half.length === 1 ? half : await refusedIn(half)));
      }
      return found;
    };
    const found = await refusedIn(names);
    // A question that is refused whatever its fields is refused for something else.
    if (!isAnswered) return [];
    schema.lack(dataset, found);
    return found;
  }
}

function nothingLeft(): never {
  throw new Error('no piece is left to be asked for');
}
