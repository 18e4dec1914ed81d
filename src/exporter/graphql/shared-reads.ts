import { setMaxListeners } from 'node:events';
import { unlessAborted } from '../clock.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Window } from '../settling/window.ts';
import { madeInSlices } from '../slices.ts';
import { type DatasetRows, datasetRows } from './dataset-rows.ts';
import { type DatasetAsked, keyOf, type Opening, PartReading, tooManyRows } from './part-reading.ts';
import {
  askable,
  datasetQuestion,
  inKeys,
  type KeyedPart,
  MOST_FIELDS,
  type Need,
  type Part,
  type Piece,
  partsOf,
  piecesOf,
  QUESTIONS,
  type RowsExpected,
  resourceOf,
  rowLimit,
} from './question.ts';
import {
  expectedPerKey,
  isResting,
  type LearnedRows,
  operationsOf,
  type PartRead,
  restingAfter,
  rowsLearned,
} from './rows-learned.ts';

export interface SharedReadsOptions extends DatasetAsked {
  /** What answers have shown of the rows. */
  readonly learned: { of(): LearnedRows; learn(after: LearnedRows): void };
  readonly platformClock: PlatformClock;
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

/** What a reader wants. */
export interface Asked<T> extends Need {
  readonly window: (now: number) => Window;
  /** Takes what it needs of an answer, whose rows are let go then. */
  readonly take: (answer: SharedAnswer) => T;
}

/** A reader that waits. */
interface Member extends Asked<void> {
  readonly read: Read;
  readonly signal: AbortSignal;
  readonly fail: (error: unknown) => void;
}

/** When nobody has joined for so many turns of the event loop, all have that fell due together. */
const QUIET_TURNS = 3;

/**
 * Reads of one dataset: those that are asked for at about the same time are one operation, or as many as its limits
 * require. Each reader takes its own rows of the answer as soon as they are there, and counts and commits them by itself.
 */
export class SharedReads {
  readonly #options: SharedReadsOptions;
  /** Readers that will be served by the next operation that leaves. */
  #waiting: Batch | undefined;
  #readers = 0;
  readonly #keys = new Set<string>();
  readonly #fields = new Set<string>();

  constructor(options: SharedReadsOptions) {
    this.#options = options;
  }

  /** Announces one more reader. */
  join({ key, fields }: Need): void {
    this.#readers += 1;
    this.#keys.add(key);
    for (const field of fields) this.#fields.add(field);
  }

  /** Operations that a read of one reader takes. */
  cost(): number {
    const fields = Math.min(this.#fields.size, this.#mostFields);
    const parts = Math.max(1, Math.ceil(this.#fields.size / this.#mostFields));
    const { limit } = this.#rowsExpected(fields);
    const asked = { readers: this.#readers, keys: this.#keys.size, parts, limit };
    return operationsOf(this.#options.learned.of(), asked);
  }

  /**
   * What a reader takes of the rows over at least its window.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  async read<T>(asked: Asked<T>, read: Read, signal: AbortSignal): Promise<T> {
    const { learned, platformClock } = this.#options;
    if (isResting(learned.of(), asked.key, platformClock.now())) throw tooManyRows();
    const isFirst = this.#waiting === undefined;
    const batch = this.#waiting ?? new Batch();
    this.#waiting = batch;
    const taken = new Promise<T>((resolve, reject) => {
      // All operations are those of the leader's poll, which ends last.
      const end = (how: () => void) => (member === batch.leader ? void batch.over.then(how) : how());
      const member: Member = {
        ...asked,
        take: (answer) => {
          const mine = asked.take(answer);
          end(() => resolve(mine));
        },
        read,
        signal,
        fail: (error) => end(() => reject(error)),
      };
      batch.join(member);
    });
    if (isFirst) void this.#serve(batch);
    return unlessAborted(taken, signal);
  }

  /** Serves those who wait, and whoever joins them until the first operation leaves. */
  async #serve(batch: Batch): Promise<void> {
    try {
      await allJoined(batch);
      const leader = batch.led();
      if (leader === undefined) return;
      await this.#options.schema.ask(leader.read, batch.signal);
      await this.#readParts(batch, leader.read);
    } catch (error) {
      for (const { fail } of batch.live()) fail(error);
    } finally {
      this.#close(batch);
      batch.end();
    }
  }

  #close(batch: Batch): void {
    if (this.#waiting === batch) this.#waiting = undefined;
  }

  async #readParts(batch: Batch, read: Read): Promise<void> {
    let reads: Promise<unknown>[] = [];
    let first: { readonly part: Part<Member>; readonly piece: Piece | undefined } | undefined;
    let opened: (opening: Opening) => void = () => undefined;
    const opening = new Promise<Opening>((resolve) => {
      opened = resolve;
    });
    // Windows are computed when the first operation leaves, and with that nobody can join any more.
    const depart = () => {
      this.#close(batch);
      const now = this.#options.platformClock.now();
      const asked = batch.live().map((need) => ({ need, window: askable(need.window(now)) }));
      const parts = partsOf(asked, this.#options.key === undefined ? 1 : 2).map((part) =>
        inKeys(part, this.#rowsExpected(part.fields.length)),
      );
      const [[mine] = []] = parts;
      if (mine === undefined) throw new PlatformFailure('network', 'nobody waits for an answer any more');
      reads = parts.map((some) =>
        this.#readPart(some, read, batch.signal, (one) => (one === mine ? opening : undefined)),
      );
      batch.letGo();
      return { part: mine, piece: this.#piecesOf(mine)[0] };
    };
    const answer = await read(
      () => {
        first ??= depart();
        return this.#resource(first.part, first.piece);
      },
      batch.signal,
      QUESTIONS.group,
    ).then(
      ({ body }) => ({ body }),
      (failure: unknown) => ({ failure }),
    );
    if (first === undefined) throw 'failure' in answer ? answer.failure : new Error('nothing has departed');
    opened(answer);
    await Promise.all(reads);
  }

  /** Reads the keys of a part that are asked for together, each by themselves, and learns from all of them. */
  async #readPart(
    parts: readonly KeyedPart<Member>[],
    read: Read,
    signal: AbortSignal,
    openingOf: (part: KeyedPart<Member>) => Promise<Opening> | undefined,
  ): Promise<void> {
    const found = await Promise.all(parts.map((part) => this.#readKeys(part, read, signal, openingOf(part))));
    const { learned } = this.#options;
    learned.learn(
      rowsLearned(
        learned.of(),
        found.flatMap((one) => one ?? []),
        this.#readers,
      ),
    );
  }

  /** @param opening what becomes of the first piece, where it has been asked for */
  async #readKeys(
    part: KeyedPart<Member>,
    read: Read,
    signal: AbortSignal,
    opening?: Promise<Opening>,
  ): Promise<PartRead | undefined> {
    const { window, needs, keys } = part;
    const reading = new PartReading(part, (piece) =>
      read(() => this.#resource(part, piece), signal, QUESTIONS.group),
    );
    try {
      const all = await reading.read(this.#piecesOf(part), opening, this.#options);
      const { key, learned, platformClock, split } = this.#options;
      const now = platformClock.now();
      const { cut } = reading;
      const rows = cut.size === 0 ? all : all.filter((row) => !cut.has(keyOf(row, key)));
      const crowded = [...cut].filter(([, { isCrowded }]) => isCrowded).map(([id]) => id);
      if (crowded.length > 0) learned.learn(restingAfter(learned.of(), crowded, now));
      for (const need of needs) {
        const failure = cut.get(need.key)?.failure;
        if (failure !== undefined) need.fail(failure);
      }
      const served = needs.filter((need) => !cut.has(need.key));
      if (served.length === 0) return undefined;
      const answer = { rows: datasetRows(rows, { key, split, window, now }), window, now, notice: undefined };
      const buckets = (window.to - window.from) / 60_000;
      const found = {
        cells: (keys - cut.size) * buckets,
        rows: rows.length,
        operations: reading.operations,
        readers: served.length,
      };
      await madeInSlices(delivered(served, answer, reading.notice));
      return found;
    } catch (error) {
      for (const { fail } of needs) fail(error);
      return undefined;
    }
  }

  #piecesOf(part: KeyedPart<Member>): Piece[] {
    return piecesOf(part, this.#rowsExpected(part.fields.length));
  }

  #rowsExpected(fields: number): RowsExpected {
    const { learned, mostBytes } = this.#options;
    return { limit: rowLimit(fields, mostBytes), perKey: expectedPerKey(learned.of()) };
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

  get #mostFields(): number {
    return MOST_FIELDS - (this.#options.key === undefined ? 1 : 2);
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

async function allJoined(batch: Batch): Promise<void> {
  let known = 0;
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    if (batch.size > known) quiet = 0;
    known = batch.size;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Readers that the same operations serve. */
class Batch {
  #members: Member[] = [];
  readonly #nobody = new AbortController();
  /** By whose poll the operations are performed. */
  leader: Member | undefined;
  /** Resolves when no operation is to come any more. */
  readonly over: Promise<void>;
  end: () => void = () => undefined;
  /** How many still wait; each may end on its own. */
  #waiting = 0;

  constructor() {
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    // Every operation of the batch listens.
    setMaxListeners(0, this.#nobody.signal);
  }

  get size(): number {
    return this.#members.length;
  }

  /** Aborts when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#nobody.signal;
  }

  join(member: Member): void {
    this.#members.push(member);
    this.#waiting += 1;
    const { signal } = member;
    const left = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#nobody.abort(signal.reason);
    };
    if (signal.aborted) left();
    else signal.addEventListener('abort', left, { once: true });
  }

  /** Chooses who leads. */
  led(): Member | undefined {
    [this.leader] = this.live();
    return this.leader;
  }

  /** Those who still wait. */
  live(): Member[] {
    return this.#members.filter(({ signal }) => !signal.aborted);
  }

  /** What each takes of an answer is to be held by nobody else. */
  letGo(): void {
    this.#members = [];
  }
}
