import { OTHER, TOP_VALUES } from '../catalogue/products.ts';
import type { Window } from '../settling/window.ts';
import type { Column, KeyRows } from './dataset-rows.ts';
import { MARK } from './fields.ts';

/** Minimum time (ms) between two replacements of a value. */
const HOUR_MS = 3_600_000;

/** Factor by which a value must exceed the one that it replaces. */
const OVERTAKEN = 2;

/**
 * Returns the values that have their own series from now on. Existing ones stay, even without recent traffic; the largest others
 * take free slots. Without a free slot, a clearly larger value replaces the smallest.
 * @param shown values that have their own series so far
 * @param sums amount of each value in a response
 * @param mayReplace false for an hour after a replacement
 */
export function topOf(
  shown: readonly string[],
  sums: ReadonlyMap<string, number>,
  { most, mayReplace }: { readonly most: number; readonly mayReplace: boolean },
): { readonly shown: readonly string[]; readonly isReplaced: boolean } {
  const sum = (value: string) => sums.get(value) ?? 0;
  const descending = (a: string, b: string) => sum(b) - sum(a);
  const mine = [...shown].sort(descending).slice(0, most);
  const others = [...sums.keys()].filter((value) => sum(value) > 0 && !mine.includes(value)).sort(descending);
  const free = most - mine.length;
  if (free > 0) return { shown: [...mine, ...others.slice(0, free)], isReplaced: false };
  const [largest] = others;
  const smallest = mine.at(-1);
  const isReplaced =
    mayReplace && largest !== undefined && smallest !== undefined && sum(largest) > OVERTAKEN * sum(smallest);
  return { shown: isReplaced ? [...mine.slice(0, -1), largest] : mine, isReplaced };
}

/** Selects the values of a field that have their own series, for one configuration. */
export class TopValues {
  readonly #wants: (value: string) => boolean;
  readonly #most: number;
  /** Platform time (ms) of the last replacement, or of the first response. */
  #changedAt: number | undefined;

  constructor(wants: (value: string) => boolean, most = TOP_VALUES) {
    this.#wants = wants;
    this.#most = most;
  }

  /**
   * Returns one column per value with its own series, and one for all others together.
   * @param open column of the field that may have any value
   * @param counters values with counters, some perhaps from before a restart, and whether further counters may start
   */
  columns(
    open: Column,
    rows: KeyRows | undefined,
    { window, now }: { readonly window: Window; readonly now: number },
    counters: { readonly dimensions: readonly string[]; readonly mayChange: boolean },
  ): readonly Column[] {
    const sums = sumsIn(rows, window);
    const shown = counters.dimensions.filter((value) => value !== OTHER && this.#wants(value));
    const chosen = counters.mayChange ? this.#chosen(shown, sums, now) : shown;
    const isShown = new Set(chosen);
    const column = (dimension: string, fields: readonly string[]): Column => ({
      ...open,
      dimension,
      fields,
      isOpen: true,
    });
    const rest = [...sums.keys()].filter((value) => !isShown.has(value));
    // Sorted, so that equal lists of names are stored once.
    return [...[...chosen].sort().map((value) => column(value, [value])), column(OTHER, rest)];
  }

  #chosen(shown: readonly string[], sums: ReadonlyMap<string, number>, now: number): readonly string[] {
    const wanted = [...sums].filter(([value]) => value !== OTHER && this.#wants(value));
    this.#changedAt ??= now;
    const mayReplace = Math.abs(now - this.#changedAt) >= HOUR_MS;
    const top = topOf(shown, new Map(wanted), { most: this.#most, mayReplace });
    if (top.isReplaced) this.#changedAt = now;
    return top.shown;
  }
}

/** Returns the amount of each value in a window. */
function sumsIn(rows: KeyRows | undefined, window: Window): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [index, time] of (rows?.times ?? []).entries()) {
    if (time < window.from || time >= window.to) continue;
    for (const [value, sum] of Object.entries(rows?.rows[index] ?? {}))
      if (!value.startsWith(MARK)) sums.set(value, (sums.get(value) ?? 0) + Number(sum));
  }
  return sums;
}
