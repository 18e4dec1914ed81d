import { PlatformFailure } from '../platform/read.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { keyOf, rowsOf, rowsOfPiece } from './dataset-rows.ts';
import type { Split } from './fields.ts';
import type { KnownFields } from './known-fields.ts';
import { halves, type Need, type Part, type Piece, rowLimit, widthOf } from './question.ts';

/** What is asked for of a dataset, whatever the window and fields. */
export interface DatasetAsked {
  readonly dataset: string;
  /** The field by which rows of one time are grouped; undefined for the sum of all. */
  readonly key: string | undefined;
  readonly summed: string | undefined;
  /** By what the rows of a time and key are broken down further. */
  readonly split?: Split | undefined;
  readonly schema: KnownFields;
  /** The largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** What became of an operation that was performed already. */
export type Opening = { readonly body: unknown } | { readonly failure: unknown };

/** Performs the operation of a piece, for some fields. */
type Ask = (piece: Piece, fields: readonly string[]) => Promise<{ readonly body: unknown }>;

/** Operations that are spent at most to find out which fields are refused. */
const MOST_PROBES = 12;

/** Why a key rests. */
export function tooManyRows(): PlatformFailure {
  return new PlatformFailure(
    'undecodable',
    'there are more rows of this configuration in a minute than an answer has: it is asked for again after an hour',
  );
}

/** Why a key is left out of which alone an answer was cut that cannot be asked for in parts. */
interface CutKey {
  readonly failure: PlatformFailure;
  /** Whether it has too many rows in a single minute. */
  readonly isCrowded: boolean;
}

/** The operations of one part: those that were planned, and more where an answer was cut or a field is not known. */
export class PartReading {
  readonly #part: Part<Need>;
  readonly #options: DatasetAsked;
  readonly #ask: Ask;
  /** How many rows are asked for. */
  readonly #limit: number;
  operations = 0;
  notice: string | undefined;
  /** What cannot be read whole: nothing more is asked of these keys, and the others are read without them. */
  readonly cut = new Map<string, CutKey>();
  /** Answers that were cut are asked for again one after another, so that one such key costs its search once. */
  #again: Promise<unknown> = Promise.resolve();

  constructor(part: Part<Need>, options: DatasetAsked, ask: Ask) {
    this.#part = part;
    this.#options = options;
    this.#ask = ask;
    this.#limit = rowLimit(part.fields.length, options.mostBytes);
  }

  /** The rows of its pieces. @param opening what became of the first of them, where it was asked for already */
  async read(pieces: readonly Piece[], opening: Promise<Opening> | undefined): Promise<readonly unknown[]> {
    const rows = await Promise.all(
      pieces.map((piece, index) => this.#readPiece(piece, index === 0 ? opening : undefined)),
    );
    return rows.flat();
  }

  /** The rows of a piece. An answer of as many rows as it may have was cut: it is asked for again, in halves. */
  async #readPiece(piece: Piece, opening: Promise<Opening> | undefined): Promise<readonly unknown[]> {
    const rows = await this.#rowsOf(piece, opening);
    if (rows.length < this.#limit) return rowsOfPiece(rows, piece.window, this.#part.window);
    const again = this.#again.then(() => this.#readAgain(piece, rows));
    this.#again = again;
    return again;
  }

  async #readAgain(piece: Piece, rows: readonly unknown[]): Promise<readonly unknown[]> {
    const rest = this.#withoutCut(piece);
    const parts = rest === piece ? halves(piece, this.#part.needs) : [rest];
    if (parts.length === 0) this.#giveUp(piece, rows);
    const read: (readonly unknown[])[] = [];
    for (const part of parts) {
      const asked = this.#withoutCut(part);
      if (asked.ids?.length === 0) continue;
      const found = await this.#rowsOf(asked, undefined);
      const isCut = found.length >= this.#limit;
      read.push(
        isCut ? await this.#readAgain(asked, found) : rowsOfPiece(found, asked.window, this.#part.window),
      );
    }
    return read.flat();
  }

  /** A piece without the keys that cannot be read whole; the same where it has none of them. */
  #withoutCut(piece: Piece): Piece {
    if (this.cut.size === 0) return piece;
    const ids = piece.ids ?? [...new Set(this.#part.needs.map(({ key }) => key))];
    const left = ids.filter((id) => !this.cut.has(id));
    return left.length === ids.length ? piece : { ...piece, ids: left };
  }

  #giveUp({ window, ids }: Piece, rows: readonly unknown[]): void {
    const [id = ''] = ids ?? this.#part.needs.map((need) => need.key);
    const isCrowded =
      widthOf(window) === MINUTE_MS && rows.every((row) => keyOf(row, this.#options.key) === id);
    const words = `the answer is cut at ${this.#limit} rows, and cannot be asked for in parts`;
    const failure = isCrowded ? tooManyRows() : new PlatformFailure('undecodable', words);
    this.cut.set(id, { failure, isCrowded });
  }

  /** The rows of an answer to a piece. A field that is refused is left out from then on. */
  async #rowsOf(piece: Piece, opening: Promise<Opening> | undefined): Promise<readonly unknown[]> {
    const { dataset, schema, summed, split } = this.#options;
    let given = await opening;
    for (;;) {
      const { fields } = this.#part;
      const known = fields.filter((field) => !schema.lacks(dataset, field));
      const isRefused = [summed, split?.by].some((name) => schema.refuses(dataset, name));
      if (given === undefined && (known.length === 0 || isRefused)) {
        const nothing = `the account's ${dataset} has none of these fields`;
        throw new PlatformFailure('not_found', this.notice ?? nothing);
      }
      this.operations += 1;
      const asked = given ?? (await this.#ask(piece, fields).catch((failure: unknown) => ({ failure })));
      given = undefined;
      const answer = 'failure' in asked ? asked : rowsOrFailure(asked.body, dataset);
      if ('rows' in answer) return answer.rows;
      const { failure } = answer;
      const names = split === undefined ? known : [...known, split.by];
      const named = failure instanceof PlatformFailure ? await this.#refused(failure, names, piece) : [];
      if (named.length === 0) throw failure;
      this.notice = `the account's ${dataset} does not have ${named.join(', ')}: what comes of it is left out`;
    }
  }

  /** Fields that a refusal names or, where its message is not understood, that are refused when asked for by themselves. */
  async #refused(
    failure: PlatformFailure,
    names: readonly string[],
    piece: Piece,
  ): Promise<readonly string[]> {
    const { dataset, schema, summed } = this.#options;
    const named = schema.refused(dataset, names, failure, summed);
    const isUnclear = failure.outcome === 'not_acceptable' && named.length === 0;
    if (!isUnclear || summed !== undefined || names.length < 2) return named;
    let probes = 0;
    let isAnswered = false;
    const refusedIn = async (fields: readonly string[]): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const half of halvesOf(fields)) {
        if (probes === MOST_PROBES) break;
        probes += 1;
        this.operations += 1;
        const isRefused = await this.#ask(piece, half).then(
          ({ body }) => {
            isAnswered ||= 'rows' in rowsOrFailure(body, dataset);
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

/** The halves of a list. */
function halvesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0);
}

function rowsOrFailure(body: unknown, dataset: string) {
  try {
    return { rows: rowsOf(body, dataset) };
  } catch (failure) {
    return { failure };
  }
}
