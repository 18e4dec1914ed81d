import { groupedBy } from '../grouped-by.ts';
import { QUESTIONS, type Resource } from '../platform/read.ts';
import { FINEST_WINDOW_MS, isCoarse, MINUTE_MS, type Window } from '../settling/window.ts';

/** The most that the platform lets select and answer. */
export const MOST_FIELDS = 37;
export const MOST_ROWS = 10_000;

/** A question, ready to be sent. Its variables are what changes from one minute to the next. */
export interface Question {
  readonly document: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** @throws Error when the document could do anything but read: a mistake in the program */
export function resourceOf({ document, variables }: Question): Resource {
  if (!/^query\b/.test(document) || /\b(mutation|subscription)\b/.test(document)) {
    throw new Error('a question only reads');
  }
  return {
    path: QUESTIONS.path,
    version: 3,
    question: JSON.stringify({ query: document, variables }),
  };
}

/** What is read of a dataset. Times are ms since the epoch. */
export interface DatasetQuestion {
  readonly dataset: string;
  /** The field by which rows of one time are grouped; undefined for the sum of all. */
  readonly key: string | undefined;
  /** A field by which they are broken down further. */
  readonly by?: string | undefined;
  /** Calculated fields by name; or, of a measure, what is summed, which the answer calls `sum`. */
  readonly fields: readonly string[];
  readonly summed: string | undefined;
  readonly window: Window;
  /** Values of `key` that are wanted; undefined for all. */
  readonly ids: readonly string[] | undefined;
  /** How many rows are taken. An answer of as many has been cut. */
  readonly limit: number;
}

/** The rows of a dataset, each of one time and key; or of one key, whatever the time. */
export function datasetQuestion(asked: DatasetQuestion, isOfTimes = true): Question {
  const { dataset, key, by, fields, summed, window, ids, limit } = asked;
  const only = key === undefined || ids === undefined ? '' : `, ${key}In: ${JSON.stringify(ids)}`;
  const keys = [...(isOfTimes ? ['ts'] : []), key, by].filter((name) => name !== undefined);
  const parts = [
    `limit: ${limit}`,
    ...(summed === undefined ? [] : [`aggregate: {sum: ${summed}}`]),
    `groupBy: [${keys.join(', ')}]`,
    ...(isOfTimes ? ['orderBy: [ts_ASC]'] : []),
    `filter: {tsRange: {begin: $begin, end: $end}${only}}`,
  ];
  const selected = [...keys, ...(summed === undefined ? fields : ['sum'])];
  return {
    document: `query ($begin: DateTime!, $end: DateTime!) { ${dataset}(${parts.join(', ')}) { ${selected.join(' ')} } }`,
    variables: { begin: timeText(window.from), end: timeText(window.to) },
  };
}

/** Which fields each dataset of the account has. */
export const SCHEMA_QUESTION: Question = {
  document:
    'query { __schema { queryType { fields { name type { name ofType { name ofType { name ofType { name } } } } } } types { name fields { name } } } }',
  variables: {},
};

function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The longest windows that are answered in minutes and in hours. What lies between is not documented. */
const LONGEST_OF_MINUTES_MS = 48 * HOUR_MS;
const SHORTEST_OF_HOURS_MS = 60 * HOUR_MS;
const LONGEST_OF_HOURS_MS = 59 * DAY_MS;

/** The width (ms) of the buckets that a window is answered with. */
export function widthOf({ from, to }: Window): number {
  if (to - from <= LONGEST_OF_MINUTES_MS) return MINUTE_MS;
  return to - from <= LONGEST_OF_HOURS_MS ? HOUR_MS : DAY_MS;
}

/** What one reader needs of a dataset. */
export interface Need {
  /** The value of the dataset's key; '' for the sum of all. */
  readonly key: string;
  readonly fields: readonly string[];
}

/** Readers that the same rows serve. */
export interface Part<N extends Need> {
  readonly needs: readonly N[];
  readonly fields: readonly string[];
  readonly window: Window;
}

/** What one operation asks for: a part, or where that has too many rows some of its time or of its keys. */
export interface Piece {
  readonly window: Window;
  /** Undefined for all that there are. */
  readonly ids: readonly string[] | undefined;
}

/**
 * A window that is answered in buckets of a documented width: what lies between minutes and hours is begun earlier.
 */
export function askable({ from, to }: Window): Window {
  const isBetween = to - from > LONGEST_OF_MINUTES_MS && to - from < SHORTEST_OF_HOURS_MS;
  return isBetween ? { from: to - SHORTEST_OF_HOURS_MS, to } : { from, to };
}

/**
 * Puts together what the same operations can bring: windows that are no longer together than one alone may be, and fields as
 * many as may be selected.
 */
export function partsOf<N extends Need>(
  asked: readonly { readonly need: N; readonly window: Window }[],
  keys: number,
): Part<N>[] {
  const groups: { window: Window; needs: N[] }[] = [];
  for (const { need, window } of [...asked].sort((a, b) => b.window.to - a.window.to)) {
    const group = groups.find((one) => canJoin(one.window, window));
    if (group === undefined) groups.push({ window, needs: [need] });
    else {
      group.window = union(group.window, window);
      group.needs.push(need);
    }
  }
  return groups.flatMap(({ window, needs }) =>
    fieldGroups(needs, MOST_FIELDS - keys).map((part) => ({ ...part, window })),
  );
}

function canJoin(one: Window, other: Window): boolean {
  const both = union(one, other);
  if (isCoarse(one) || isCoarse(other)) return one.from === other.from && one.to === other.to;
  return both.to - both.from <= FINEST_WINDOW_MS;
}

function union(one: Window, other: Window): Window {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

/** The needs, in groups that each select at most so many fields. */
function fieldGroups<N extends Need>(
  needs: readonly N[],
  most: number,
): { readonly needs: N[]; readonly fields: string[] }[] {
  const groups: { needs: N[]; fields: Set<string> }[] = [];
  for (const alike of groupedBy(needs, ({ fields }) => fields.join()).values()) {
    const fields = alike[0]?.fields ?? [];
    const group = groups.find((one) => new Set([...one.fields, ...fields]).size <= most);
    if (group === undefined) groups.push({ needs: [...alike], fields: new Set(fields) });
    else {
      group.needs.push(...alike);
      for (const field of fields) group.fields.add(field);
    }
  }
  return groups.map((group) => ({ needs: group.needs, fields: [...group.fields].sort() }));
}

/** More keys than these are not named: all are asked for, where a selection is not needed to stay below the limit. */
const MOST_IDS = 500;

/** So many keys are asked for together where that is possible: whether an absent row is a zero shows by the rows of others. */
const FEWEST_IDS = 25;

/** What is known of how many rows there are. */
export interface RowsExpected {
  /** Rows that one answer may have. */
  readonly limit: number;
  /** Rows in a bucket for each key that is wanted (0 to 1 where only those are asked for), as far as is known. */
  readonly perKey: number;
}

/** Some keys of a part, which are read and delivered by themselves. */
export interface KeyedPart<N extends Need> extends Part<N> {
  /** The keys that are asked for; undefined for all that there are. */
  readonly ids: readonly string[] | undefined;
  /** How many keys that is, as far as is known. */
  readonly keys: number;
}

/**
 * A part as one or, where that has more rows than an answer, as several of fewer keys: what is read of some keys need not be
 * kept until the others have come.
 */
export function inKeys<N extends Need>(part: Part<N>, { limit, perKey }: RowsExpected): KeyedPart<N>[] {
  const { needs, window } = part;
  const byKey = groupedBy(needs, ({ key }) => key);
  const ids = [...byKey.keys()];
  const fitting = Math.floor(limit / (bucketsIn(window) * perKey));
  const isSum = byKey.has('');
  if (isSum || ids.length <= fitting)
    return [{ ...part, ids: isSum || ids.length > MOST_IDS ? undefined : ids, keys: ids.length }];
  const chunks = Math.ceil(ids.length / Math.max(1, fitting));
  const most = widthOf(window) === MINUTE_MS ? Math.floor(ids.length / FEWEST_IDS) : ids.length;
  return chunksOf(ids, Math.max(1, Math.min(chunks, most))).map((some) => ({
    ...part,
    needs: some.flatMap((id) => byKey.get(id) ?? []),
    ids: some,
    keys: some.length,
  }));
}

/** The operations that bring some keys of a part, each with fewer rows than are cut. */
export function piecesOf({ ids, keys, window }: KeyedPart<Need>, { limit, perKey }: RowsExpected): Piece[] {
  const together = Math.max(1, Math.floor(limit / (keys * perKey)));
  const isCut = widthOf(window) === MINUTE_MS && together < bucketsIn(window);
  return isCut ? inTime({ window, ids }, together) : [{ window, ids }];
}

/** Two halves of a piece whose answer was cut; none where it cannot be halved. */
export function halves(piece: Piece, needs: readonly Need[]): Piece[] {
  const { window } = piece;
  const buckets = bucketsIn(window);
  // Of wider buckets a part would be answered in narrower ones.
  if (widthOf(window) === MINUTE_MS && buckets > 1) return inTime(piece, Math.ceil(buckets / 2));
  const ids = piece.ids ?? [...new Set(needs.map(({ key }) => key))];
  return ids.length > 1 ? chunksOf(ids, 2).map((some) => ({ window, ids: some })) : [];
}

/** How many buckets a window is answered with. */
export function bucketsIn(window: Window): number {
  return Math.max(1, Math.ceil((window.to - window.from) / widthOf(window)));
}

/** In pieces of so many buckets. */
function inTime({ window, ids }: Piece, buckets: number): Piece[] {
  const step = buckets * widthOf(window);
  const pieces: Piece[] = [];
  for (let { from } = window; from < window.to; from += step) {
    pieces.push({ window: { from, to: Math.min(from + step, window.to) }, ids });
  }
  return pieces;
}

/** In so many chunks, as even as can be. */
function chunksOf(ids: readonly string[], chunks: number): (readonly string[])[] {
  const start = (chunk: number) => Math.ceil((chunk * ids.length) / chunks);
  return Array.from({ length: chunks }, (_, chunk) => ids.slice(start(chunk), start(chunk + 1)));
}

/** Characters that a field takes in an answer, with its name, and what else a row takes. */
const FIELD_BYTES = 36;
const ROW_BYTES = 80;

/** How many rows are asked for: no more than an answer may have, and than fit into the largest body that is accepted. */
export function rowLimit(fields: number, mostBytes: number): number {
  const fitting = Math.floor((0.9 * mostBytes) / (ROW_BYTES + fields * FIELD_BYTES));
  return Math.max(1, Math.min(MOST_ROWS, fitting));
}
