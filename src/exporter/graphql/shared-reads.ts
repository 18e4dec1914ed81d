import { setMaxListeners } from 'node:events';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { othersHaveGoneOn, wakeInSlices } from '../slices.ts';
import { type DatasetRows, datasetRows, keyOf } from './dataset-rows.ts';
import { type DatasetAsked, type Opening, PartReading, tooManyRows } from './part-reading.ts';
import {
  askable,
  bucketsIn,
  datasetQuestion,
  inKeys,
  type KeyedPart,
  MOST_FIELDS,
  type Need,
  type Part,
  type Piece,
  partsOf,
  piecesOf,
  type RowsExpected,
  resourceOf,
  rowLimit,
} from './question.ts';
import {
  densityLearned,
  expectedPerKey,
  isResting,
  type LearnedRows,
  operationsOf,
  type PartRead,
  restingAfter,
  rowsLearned,
  type Sharing,
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
  /** Whether it is of time that was read before, which may be due much later: nobody who reads fresh time waits for it. */
  readonly isPast?: boolean;
}

/** A reader that waits. */
interface Member extends Asked<void> {
  readonly read: Read;
  readonly signal: AbortSignal;
  readonly fail: (error: unknown) => void;
  /** Set where operations are those of its poll: it ends when no more of them are to come. */
  endsAfter: Promise<void> | undefined;
}

/** When nobody has joined while all other work went on for so many turns, all have that fell due together. */
const QUIET_TURNS = 3;

/**
 * What took longer than this (ms), since its operations had to wait for the quota, is as of so long after it was asked for: what ends
 * further from the present would be none of the present.
 */
const LONGEST_MS = 4 * MINUTE_MS;

/**
 * Where all need more operations than these, those of some keys take their turn after the others: each is asked for a window of
 * its own time, and not of one that has grown old meanwhile.
 */
const IN_A_TURN = 8;

/**
 * Reads of one dataset: those that are asked for at about the same time are one operation, or as many as its limits
 * require. Each reader takes its own rows of the answer as soon as they are there, and counts and commits them by itself.
 */
export class SharedReads {
  readonly #options: SharedReadsOptions;
  /** Readers that will be served by the next operation that leaves, those of the past apart. */
  readonly #waiting = new Map<boolean, Batch>();
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
    return operationsOf(this.#options.learned.of(), this.#sharing);
  }

  get #sharing(): Sharing {
    const { limit } = this.#rowsExpected(Math.min(this.#fields.size, this.#mostFields));
    return { readers: this.#readers, keys: this.#keys.size, parts: this.#fieldParts, limit };
  }

  /**
   * What a reader takes of the rows over at least its window.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  async read<T>(asked: Asked<T>, read: Read, signal: AbortSignal): Promise<T> {
    const { learned, platformClock } = this.#options;
    signal.throwIfAborted();
    if (isResting(learned.of(), asked.key, platformClock.now())) throw tooManyRows();
    const { isPast = false } = asked;
    const waiting = this.#waiting.get(isPast);
    const joined = waiting?.signal.aborted === false ? waiting : undefined;
    const batch = joined ?? new Batch();
    this.#waiting.set(isPast, batch);
    return new Promise<T>((resolve, reject) => {
      const end = (how: () => void) =>
        member.endsAfter === undefined ? how() : void member.endsAfter.then(how);
      const member: Member = {
        ...asked,
        take: (answer) => {
          const mine = asked.take(answer);
          batch.leave(member);
          end(() => resolve(mine));
        },
        read,
        signal,
        fail: (error) => {
          batch.leave(member);
          end(() => reject(error));
        },
        endsAfter: undefined,
      };
      const leave = () => {
        batch.leave(member);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      batch.join(member);
      if (joined === undefined) void this.#serve(batch, isPast);
    });
  }

  /** Serves those who wait, and whoever joins them until the last of them are asked for. */
  async #serve(batch: Batch, isPast: boolean): Promise<void> {
    await allJoined(batch);
    while (this.#waiting.get(isPast) === batch) await this.#serveFirst(batch, isPast);
  }

  /** Serves those who have waited longest. */
  async #serveFirst(batch: Batch, isPast: boolean): Promise<void> {
    const leader = batch.first;
    let over: () => void = () => undefined;
    try {
      if (leader === undefined) throw nobodyWaits();
      leader.endsAfter = new Promise((resolve) => {
        over = resolve;
      });
      await this.#options.schema.ask(leader.read, batch.signal);
      await this.#readParts(batch, leader.read, isPast);
    } catch (error) {
      this.#close(batch);
      for (const { fail } of batch.members) fail(error);
    } finally {
      over();
    }
  }

  #close(batch: Batch): void {
    for (const [isPast, waiting] of this.#waiting) if (waiting === batch) this.#waiting.delete(isPast);
  }

  async #readParts(batch: Batch, read: Read, isPast: boolean): Promise<void> {
    const { key, learned, platformClock } = this.#options;
    let reads: Promise<PartRead | undefined>[] = [];
    let first: { readonly part: Part<Member>; readonly piece: Piece | undefined } | undefined;
    let opened: (opening: Opening) => void = () => undefined;
    const opening = new Promise<Opening>((resolve) => {
      opened = resolve;
    });
    // Windows are computed when the first operation leaves, and with that nobody can join any more.
    const depart = () => {
      const now = platformClock.now();
      const asked = batch
        .depart((need) => this.#keysInATurn(need.window(now)))
        .map((need) => ({ need, window: askable(need.window(now)) }));
      if (batch.isAskedFor) this.#close(batch);
      const parts = partsOf(asked, key === undefined ? 1 : 2).flatMap((part) =>
        inKeys(part, this.#rowsExpected(part.fields.length)),
      );
      const [mine] = parts;
      if (mine === undefined) throw nobodyWaits();
      reads = parts.map((part) =>
        this.#readKeys(part, now, { read, signal: batch.signal }, part === mine ? opening : undefined),
      );
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
    const found = (await Promise.all(reads)).flatMap((one) => one ?? []);
    const known = learned.of();
    learned.learn(isPast ? densityLearned(known, found) : rowsLearned(known, found, this.#sharing));
  }

  /**
   * @param askedAt when its window was chosen (platform ms)
   * @param opening what becomes of the first piece, where it has been asked for
   */
  async #readKeys(
    part: KeyedPart<Member>,
    askedAt: number,
    { read, signal }: Pick<Member, 'read' | 'signal'>,
    opening?: Promise<Opening>,
  ): Promise<PartRead | undefined> {
    const { window, needs, keys } = part;
    const reading = new PartReading(part, this.#options, (piece, fields) =>
      read(() => this.#resource({ fields }, piece), signal, QUESTIONS.group),
    );
    try {
      const all = await reading.read(this.#piecesOf(part), opening);
      const { key, learned, platformClock, split } = this.#options;
      const now = Math.min(platformClock.now(), askedAt + LONGEST_MS);
      const { cut } = reading;
      const rows = cut.size === 0 ? all : all.filter((row) => !cut.has(keyOf(row, key) ?? ''));
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
      // One of them also hears what is to be said of it.
      const { notice } = reading;
      await wakeInSlices(
        served.map(
          ({ take }, index) =>
            () =>
              take(index === 0 ? { ...answer, notice } : answer),
        ),
      );
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

  /** How many keys are asked for at a time. @param window of one of them */
  #keysInATurn(window: Window): number {
    const { limit, perKey } = this.#rowsExpected(Math.min(this.#fields.size, this.#mostFields));
    return Math.ceil((IN_A_TURN * limit) / (this.#fieldParts * bucketsIn(window) * perKey));
  }

  get #fieldParts(): number {
    return Math.max(1, Math.ceil(this.#fields.size / this.#mostFields));
  }

  get #mostFields(): number {
    return MOST_FIELDS - (this.#options.key === undefined ? 1 : 2);
  }
}

async function allJoined(batch: Batch): Promise<void> {
  let known = 0;
  for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
    if (batch.size > known) quiet = 0;
    known = batch.size;
    await othersHaveGoneOn();
  }
}

function nobodyWaits(): PlatformFailure {
  return new PlatformFailure('network', 'nobody waits for an answer any more');
}

/** Readers that the same operations serve. */
class Batch {
  /** Those that are not asked for yet, by key: the key that was wanted first is first. */
  readonly #members = new Map<string, Set<Member>>();
  readonly #unserved = new Set<Member>();
  readonly #nobody = new AbortController();

  constructor() {
    // Every operation of the batch listens.
    setMaxListeners(0, this.#nobody.signal);
  }

  /** How many wait, asked for or not. */
  get size(): number {
    return this.#unserved.size;
  }

  /** Whether there is nobody left to be asked for. */
  get isAskedFor(): boolean {
    return this.#members.size === 0;
  }

  /** Aborts when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#nobody.signal;
  }

  join(member: Member): void {
    const { key } = member;
    this.#members.set(key, (this.#members.get(key) ?? new Set()).add(member));
    this.#unserved.add(member);
  }

  /** A member was served, has failed, or no longer waits. */
  leave(member: Member): void {
    const { key, signal } = member;
    const alike = this.#members.get(key);
    alike?.delete(member);
    if (alike?.size === 0) this.#members.delete(key);
    if (this.#unserved.delete(member) && this.#unserved.size === 0) this.#nobody.abort(signal.reason);
  }

  /** Who has waited longest of those that are not asked for yet. */
  get first(): Member | undefined {
    for (const [first] of this.#members.values()) return first;
    return undefined;
  }

  /** Those that are not asked for yet. */
  get members(): Member[] {
    return [...this.#members.values()].flatMap((alike) => [...alike]);
  }

  /** Takes out those of the first keys: what each takes of an answer is to be held by nobody else. */
  depart(mostOf: (first: Member) => number): Member[] {
    const taken: Member[] = [];
    const { first } = this;
    let keys = first === undefined ? 0 : mostOf(first);
    for (const [key, alike] of this.#members) {
      if (keys <= 0) break;
      taken.push(...alike);
      this.#members.delete(key);
      keys -= 1;
    }
    return taken;
  }
}
