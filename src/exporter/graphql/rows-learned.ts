import { z } from 'zod';
import { type AccountMemory, changed, type SavedPart } from '../state/account-memory.ts';

/** What answers have shown of a dataset's rows. */
export interface LearnedRows {
  /** Rows in a bucket for each key that was asked for; as many as there can be, until answers show it. */
  readonly perKey: number;
  /** What a read of all readers takes: by the last of most of them or, where they take turns, by about the last round. */
  readonly operations: number;
  readonly readers: number;
  /** Keys that have more rows in a minute than an answer, each with until when (platform ms) it is not asked for. */
  readonly resting?: readonly (readonly [key: string, until: number])[] | undefined;
}

export const NOTHING_LEARNED: LearnedRows = { perKey: 1, operations: 0, readers: 0 };

/** What was read of some keys of a part. */
export interface PartRead {
  /** Buckets, of each key that was asked for. */
  readonly cells: number;
  readonly rows: number;
  readonly operations: number;
  readonly readers: number;
}

/** Of the rows that were expected, what is left with every answer that has fewer. */
const KEPT = 0.9;

/** Rows may have become a little more since the last answer. */
const MARGIN = 1.15;

/** How many buckets a read asks for that nothing delays. */
const USUAL_BUCKETS = 15;

/** So long (ms) a key is not asked for whose rows of a minute do not fit into an answer. */
const REST_MS = 3_600_000;

/** Whether a key is not to be asked for. */
export function isResting({ resting = [] }: LearnedRows, key: string, now: number): boolean {
  return resting.some(([name, until]) => name === key && now < until);
}

/** What is known when the rows of a minute of some keys have not fitted into an answer. */
export function restingAfter(known: LearnedRows, keys: readonly string[], now: number): LearnedRows {
  const others = (known.resting ?? []).filter(([name, until]) => now < until && !keys.includes(name));
  return { ...known, resting: [...others, ...keys.map((key) => [key, now + REST_MS] as const)] };
}

/** Rows in a bucket for each key that are to be expected. */
export function expectedPerKey({ perKey }: LearnedRows): number {
  return perKey * MARGIN;
}

/** Of whom operations are shared: readers, the keys that they read, parts by fields, and the rows that an answer may have. */
export interface Sharing {
  readonly readers: number;
  readonly keys: number;
  readonly parts: number;
  readonly limit: number;
}

/** So many operations show what each reader takes also where others have yet to take their turn: that they are whole ones matters little. */
const ENOUGH_OPERATIONS = 4;

/** What is known after a read of present time, in parts of some keys each. */
export function rowsLearned(known: LearnedRows, parts: readonly PartRead[], sharing: Sharing): LearnedRows {
  const { readers: all } = sharing;
  const sum = (of: (part: PartRead) => number) => parts.reduce((total, part) => total + of(part), 0);
  const [operations, readers] = [sum((part) => part.operations), sum((part) => part.readers)];
  const learned = densityLearned(known, parts);
  if (readers <= all / 2 && operations < ENOUGH_OPERATIONS) return learned;
  // Of those that take turns about the last round counts, and each turn as much as it has readers.
  const weight = Math.min(1, (2 * readers) / all);
  const each = (1 - weight) * operationsOf(known, sharing) + (weight * operations) / readers;
  return { ...learned, operations: each * all, readers: all };
}

/** What is known of how many rows there are after any read. */
export function densityLearned(known: LearnedRows, parts: readonly PartRead[]): LearnedRows {
  if (parts.length === 0) return known;
  const densest = parts.reduce((most, { rows, cells }) => Math.max(most, rows / Math.max(1, cells)), 0);
  return { ...known, perKey: Math.max(densest, known.perKey * KEPT) };
}

/** Operations that a read of one reader takes, of those of all: as reads have taken, or until then as many as rows and fields should need. */
export function operationsOf(known: LearnedRows, { readers, keys, parts, limit }: Sharing): number {
  if (known.readers > readers / 2) return known.operations / known.readers;
  const rows = keys * USUAL_BUCKETS * expectedPerKey(known);
  return (parts * Math.max(1, Math.ceil(rows / limit))) / Math.max(1, readers);
}

const count = z.number().min(0);
const storedRows = z.strictObject({
  perKey: count,
  operations: count,
  readers: count,
  resting: z.array(z.tuple([z.string(), z.number()])).optional(),
});
const stored = z.strictObject({
  version: z.literal(1),
  datasets: z.array(z.tuple([z.string(), storedRows])),
});

type Learned = ReadonlyMap<string, LearnedRows>;

/** What an account remembers of the rows of its datasets, by name. */
export class RowsMemory {
  readonly part: SavedPart<Learned>;
  readonly #memory: Pick<AccountMemory, 'of' | 'adopt'>;

  constructor(
    account: { readonly name: string; readonly address: string },
    memory: Pick<AccountMemory, 'of' | 'adopt'>,
  ) {
    this.#memory = memory;
    this.part = {
      key: ['rows', account.name, account.address],
      open: (given) => new Map(stored.safeParse(given).data?.datasets),
      store: (learned) => (learned.size === 0 ? undefined : { version: 1, datasets: [...learned] }),
    };
  }

  of(name: string): LearnedRows {
    return this.#memory.of(this.part).get(name) ?? NOTHING_LEARNED;
  }

  learn(name: string, after: LearnedRows): void {
    const datasets = new Map([...this.#memory.of(this.part), [name, after]]);
    this.#memory.adopt(changed(this.part, datasets), true);
  }
}
