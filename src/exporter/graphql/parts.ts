import { FINEST_WINDOW_MS, isCoarse, type Window } from '../settling/window.ts';
import { LONGEST_OF_MINUTES_MS, SHORTEST_OF_HOURS_MS, widthOf } from './dataset-rows.ts';
import { MOST_FIELDS, MOST_ROWS } from './question.ts';

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
  const byFields = new Map<string, N[]>();
  for (const need of needs) {
    const name = need.fields.join();
    const alike = byFields.get(name);
    if (alike === undefined) byFields.set(name, [need]);
    else alike.push(need);
  }
  const largestFirst = [...byFields.values()].sort((a, b) => fieldsIn(b) - fieldsIn(a));
  for (const alike of largestFirst) {
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

function fieldsIn([first]: readonly Need[]): number {
  return first?.fields.length ?? 0;
}

/** More keys than these are not named: all are asked for, where a selection is not needed to stay below the limit. */
const MOST_IDS = 500;

/** What is known of how many rows there are. */
export interface RowsExpected {
  /** Rows that one answer may have. */
  readonly limit: number;
  /** Rows in a bucket for each key that is wanted (0 to 1 where only those are asked for), as far as is known. */
  readonly perKey: number;
}

/** The operations that bring a part, each with fewer rows than are cut. */
export function piecesOf({ needs, window }: Part<Need>, { limit, perKey }: RowsExpected): Piece[] {
  const ids = [...new Set(needs.map(({ key }) => key))].filter((key) => key !== '');
  const buckets = Math.max(1, Math.ceil((window.to - window.from) / widthOf(window)));
  const perBucket = Math.max(1, ids.length) * perKey;
  const named = ids.length > 0 && ids.length <= MOST_IDS ? ids : undefined;
  if (perBucket * buckets <= limit) return [{ window, ids: named }];
  const together = Math.floor(limit / perBucket);
  if (!isCoarse(window) && together >= 1) return inTime({ window, ids: named }, together);
  return inKeys({ window, ids }, Math.max(1, Math.floor(limit / (buckets * perKey))));
}

/** Two halves of a piece whose answer was cut; none where it cannot be halved. */
export function halves(piece: Piece, needs: readonly Need[]): Piece[] {
  const { window } = piece;
  const width = widthOf(window);
  const buckets = Math.ceil((window.to - window.from) / width);
  if (!isCoarse(window) && buckets > 1) return inTime(piece, Math.ceil(buckets / 2));
  const ids = piece.ids ?? [...new Set(needs.map(({ key }) => key))];
  return ids.length > 1 ? inKeys({ window, ids }, Math.ceil(ids.length / 2)) : [];
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

/** In pieces of so many keys. */
function inKeys({ window, ids = [] }: Piece, step: number): Piece[] {
  const pieces: Piece[] = [];
  for (let index = 0; index < ids.length; index += step) {
    pieces.push({ window, ids: ids.slice(index, index + step) });
  }
  return pieces;
}

/** Characters that a field takes in an answer, with its name, and what else a row takes. */
const FIELD_BYTES = 36;
const ROW_BYTES = 80;

/** How many rows are asked for: no more than an answer may have, and than fit into the largest body that is accepted. */
export function rowLimit(fields: number, mostBytes: number): number {
  const fitting = Math.floor((0.9 * mostBytes) / (ROW_BYTES + fields * FIELD_BYTES));
  return Math.max(1, Math.min(MOST_ROWS, fitting));
}
