import { setMaxListeners } from 'node:events';
import { unlessAborted } from '../platform/deadline.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Window } from '../settling/window.ts';
import { madeInSlices } from '../slices.ts';
import { type DatasetRows, datasetRows, rowsOf, rowsOfPiece } from './dataset-rows.ts';
import type { Split } from './fields.ts';
import type { KnownFields } from './known-fields.ts';
import {
  askable,
  datasetQuestion,
  halves,
  MOST_FIELDS,
  type Need,
  type Part,
  type Piece,
  partsOf,
  piecesOf,
  QUESTIONS,
  resourceOf,
  rowLimit,
} from './question.ts';

export interface SharedReadsOptions {
  readonly dataset: string;
  /** The field that tells rows of one time apart; undefined for the sum of all. */
  readonly key: string | undefined;
  readonly summed: string | undefined;
  /** By what the rows of a time and key are told apart further. */
  readonly split?: Split | undefined;
  readonly schema: KnownFields;
  readonly platformClock: PlatformClock;
  /** The largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** What the operations brought that a reader shared with others. */
export interface SharedAnswer {
  readonly rows: DatasetRows;
  /** What was asked for: it may reach further than the reader's own window. */
  readonly window: Window;
  /** The platform's time when it came. */
  readonly now: number;
  /** What an operator should know, for one of those who shared it. */
  readonly notice: string | undefined;
}

/** A reader that waits. */
interface Member extends Need {
  readonly window: (now: number) => Window;
  readonly read: Read;
  readonly signal: AbortSignal;
  readonly take: (answer: SharedAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/** When nobody has joined for so many turns of the event loop, all have that fell due together. */
const QUIET_TURNS = 3;

/** A field that is refused leaves the others; more refusals than this in a row mean something else. */
const MOST_REFUSALS = 10;

/** Of the density of rows that was learned, what is left with every answer that has fewer. */
const KEPT_DENSITY = 0.9;

/** Rows may have become a little more since the last answer. */
const MARGIN = 1.15;

/**
 * Reads of one dataset: those that are asked for at about the same time are one operation, or as many as its limits
 * require. Each reader takes its own rows of the answer, and counts and commits them by itself.
 */
export class SharedReads {
  readonly #options: SharedReadsOptions;
  /** Readers that will be served by the next operation that leaves. */
  #waiting: Batch | undefined;
  /** Rows in a bucket for each key that was asked for; as many as there can be, until answers show it. */
  #density = 1;
  /** Operations for each reader, in the last read that served most of them. */
  #share: number | undefined;
  #readers = 0;
  readonly #fields = new Set<string>();

  constructor(options: SharedReadsOptions) {
    this.#options = options;
  }

  /** Announces one more reader of these fields. */
  join(fields: readonly string[]): void {
    this.#readers += 1;
    // What few readers cost is not what each of many does.
    this.#share = undefined;
    for (const field of fields) this.#fields.add(field);
  }

  /** Operations that a read of one reader takes: until most were served together, as many as all of their fields need. */
  cost(): number {
    const operations = Math.ceil(this.#fields.size / (MOST_FIELDS - this.#keys));
    return this.#share ?? Math.max(1, operations) / Math.max(1, this.#readers);
  }

  /**
   * The rows that serve a need over at least its window.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  read(need: Need, window: (now: number) => Window, read: Read, signal: AbortSignal): Promise<SharedAnswer> {
    const answer = new Promise<SharedAnswer>((take, fail) => {
      const member = { ...need, window, read, signal, take, fail };
      const isFirst = this.#waiting === undefined;
      const batch = this.#waiting ?? new Batch();
      this.#waiting = batch;
      batch.join(member);
      if (isFirst) void this.#serve(batch);
    });
    return unlessAborted(answer, signal);
  }

  /** Serves those who wait, and whoever joins them until the first operation leaves. */
  async #serve(batch: Batch): Promise<void> {
    try {
      await allJoined(batch);
      const [leader] = batch.live();
      if (leader === undefined) return;
      await this.#options.schema.ask(leader.read, batch.signal);
      await this.#readParts(batch, leader.read);
    } catch (error) {
      for (const { fail } of batch.members) fail(error);
    } finally {
      this.#close(batch);
    }
  }

  #close(batch: Batch): void {
    if (this.#waiting === batch) this.#waiting = undefined;
  }

  async #readParts(batch: Batch, read: Read): Promise<void> {
    const { signal } = batch;
    let others: Promise<unknown>[] = [];
    let first: { readonly part: Part<Member>; readonly pieces: readonly Piece[] } | undefined;
    // Windows are computed when the first operation leaves, and with that nobody can join any more.
    const depart = () => {
      if (first !== undefined) return;
      this.#close(batch);
      const now = this.#options.platformClock.now();
      const asked = batch.live().map((need) => ({ need, window: askable(need.window(now)) }));
      const [mine, ...rest] = partsOf(asked, this.#keys);
      if (mine === undefined) throw new PlatformFailure('network', 'nobody waits for an answer any more');
      first = { part: mine, pieces: this.#piecesOf(mine) };
      others = rest.map((part) => this.#readPart(part, this.#piecesOf(part), read, signal));
    };
    const opening = await read(
      () => {
        depart();
        if (first === undefined) throw new Error('nothing has departed');
        return this.#resource(first.part, first.pieces[0]);
      },
      signal,
      QUESTIONS.group,
    ).then(
      ({ body }) => ({ body }),
      (failure: unknown) => ({ failure }),
    );
    if (first === undefined) throw 'failure' in opening ? opening.failure : new Error('nothing has departed');
    await Promise.all([this.#readPart(first.part, first.pieces, read, signal, opening), ...others]);
  }

  /** @param opening what became of the first piece, where it has been asked for */
  async #readPart(
    part: Part<Member>,
    pieces: readonly Piece[],
    read: Read,
    signal: AbortSignal,
    opening?: Opening,
  ): Promise<void> {
    const reading = new PartReading(part, (piece, fields) =>
      read(() => this.#resource({ ...part, fields }, piece), signal, QUESTIONS.group),
    );
    try {
      const rows = await reading.read(
        pieces,
        opening,
        this.#options,
        rowLimit(part.fields.length, this.#options.mostBytes),
      );
      const { key, platformClock, split } = this.#options;
      const now = platformClock.now();
      const { window } = part;
      const answer = datasetRows(rows, { key, split, window, now });
      this.#learn(part, rows.length, reading.operations);
      await madeInSlices(
        delivered(part.needs, { rows: answer, window, now, notice: undefined }, reading.notice),
      );
    } catch (error) {
      for (const { fail } of part.needs) fail(error);
    }
  }

  #learn({ needs, window }: Part<Member>, rows: number, operations: number): void {
    const keys = new Set(needs.map(({ key }) => key)).size;
    const buckets = (window.to - window.from) / 60_000;
    const density = rows / Math.max(1, keys * buckets);
    this.#density = Math.max(density, this.#density * KEPT_DENSITY);
    if (needs.length > this.#readers / 2) this.#share = operations / needs.length;
  }

  #piecesOf(part: Part<Member>): Piece[] {
    const limit = rowLimit(part.fields.length, this.#options.mostBytes);
    return piecesOf(part, { limit, perKey: this.#density * MARGIN });
  }

  #resource({ fields }: Pick<Part<Member>, 'fields'>, piece: Piece | undefined) {
    if (piece === undefined) throw new Error('a part has no pieces');
    const { dataset, key, summed, split, schema, mostBytes } = this.#options;
    const { window, ids } = piece;
    const limit = rowLimit(fields.length, mostBytes);
    const known = fields.filter((field) => !schema.lacks(dataset, field));
    return resourceOf(
      datasetQuestion({ dataset, key, by: split?.by, summed, fields: known, window, ids, limit }),
    );
  }

  get #keys(): number {
    return this.#options.key === undefined ? 1 : 2;
  }
}

type Opening = { readonly body: unknown } | { readonly failure: unknown };

/** Performs the operation of a piece. */
type Ask = (piece: Piece, fields: readonly string[]) => Promise<{ readonly body: unknown }>;

/** The operations of one part: those that were planned, and more where an answer was cut or a field is not known. */
class PartReading {
  readonly #part: Part<Member>;
  readonly #ask: Ask;
  operations = 0;
  notice: string | undefined;

  constructor(part: Part<Member>, ask: Ask) {
    this.#part = part;
    this.#ask = ask;
  }

  async read(
    pieces: readonly Piece[],
    opening: Opening | undefined,
    options: SharedReadsOptions,
    limit: number,
  ): Promise<readonly unknown[]> {
    const rows = await Promise.all(
      pieces.map((piece, index) => this.#readPiece(piece, index === 0 ? opening : undefined, options, limit)),
    );
    return rows.flat();
  }

  /** The rows of a piece. An answer of as many rows as it may have was cut: it is asked for again, in halves. */
  async #readPiece(
    piece: Piece,
    opening: Opening | undefined,
    options: SharedReadsOptions,
    limit: number,
  ): Promise<readonly unknown[]> {
    const rows = await this.#rowsOf(piece, opening, options);
    if (rows.length < limit) return rowsOfPiece(rows, piece.window, this.#part.window);
    const parts = halves(piece, this.#part.needs);
    if (parts.length === 0) {
      throw new PlatformFailure(
        'undecodable',
        `the answer is cut at ${limit} rows, and cannot be asked for in parts`,
      );
    }
    const read = await Promise.all(parts.map((part) => this.#readPiece(part, undefined, options, limit)));
    return read.flat();
  }

  /** The rows of an answer to a piece. A field that is refused is left out from then on. */
  async #rowsOf(
    piece: Piece,
    opening: Opening | undefined,
    { dataset, schema, summed, split }: SharedReadsOptions,
  ): Promise<readonly unknown[]> {
    let given = opening;
    for (let refusals = 0; ; refusals += 1) {
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
      const named = failure instanceof PlatformFailure ? schema.refused(dataset, names, failure, summed) : [];
      if (named.length === 0 || refusals >= MOST_REFUSALS) throw failure;
      this.notice = `the account's ${dataset} does not have ${named.join(', ')}: what comes of it is left out`;
    }
  }
}

function rowsOrFailure(body: unknown, dataset: string) {
  try {
    return { rows: rowsOf(body, dataset) };
  } catch (failure) {
    return { failure };
  }
}

/** Gives each reader the answer, in slices, since each goes on to count: one of them also hears what is to be said of it. */
function* delivered(
  members: readonly Member[],
  answer: SharedAnswer,
  notice: string | undefined,
): Generator<undefined, void> {
  for (const [index, { take }] of members.entries()) {
    take(index === 0 ? { ...answer, notice } : answer);
    yield;
  }
}

async function allJoined({ members }: Batch): Promise<void> {
  let known = 0;
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    if (members.length > known) quiet = 0;
    known = members.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Readers that the same operations serve. */
class Batch {
  readonly members: Member[] = [];
  readonly #nobody = new AbortController();

  constructor() {
    // Every operation of the batch listens.
    setMaxListeners(0, this.#nobody.signal);
  }

  /** Aborts when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#nobody.signal;
  }

  join(member: Member): void {
    this.members.push(member);
    member.signal.addEventListener('abort', () => this.#check(member), { once: true });
  }

  live(): Member[] {
    return this.members.filter(({ signal }) => !signal.aborted);
  }

  #check({ signal }: Member): void {
    if (this.live().length === 0) this.#nobody.abort(signal.reason);
  }
}
