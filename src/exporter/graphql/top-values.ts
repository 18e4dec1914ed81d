import { OTHER, TOP_VALUES } from '../catalogue/products.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Column, KeyRows } from './dataset-rows.ts';
import { MARK } from './fields.ts';

/** Recent amount of each value of a field, for one configuration with limited series. */
export interface Ranking {
  /** A minute, by value: the mean of about the last hour. */
  readonly rates: ReadonlyMap<string, number>;
  /** Platform ms. */
  readonly at: number;
  /** Time of the last replacement, or of the first answer. */
  readonly changedAt: number;
}

/** After so long (ms) what came then weighs half; one value takes the place of another no more often. */
const HOUR_MS = 3_600_000;

/** A value must have this many times the amount of the one that it replaces. */
const OVERTAKEN = 2;

/** Values followed for each one with a series: senders of hosts can invent them. */
const FOLLOWED = 5;

/** The ranking with an answer. @param rates what came a minute, by value */
export function rankedAgain(
  before: Ranking | undefined,
  rates: ReadonlyMap<string, number>,
  { now, most }: { readonly now: number; readonly most: number },
): Ranking {
  const kept = before === undefined ? 0 : 2 ** (-Math.max(0, now - before.at) / HOUR_MS);
  const values = new Set([...(before?.rates.keys() ?? []), ...rates.keys()]);
  const mixed = [...values].map((value): [string, number] => [
    value,
    kept * (before?.rates.get(value) ?? 0) + (1 - kept) * (rates.get(value) ?? 0),
  ]);
  const followed = mixed.sort(([, a], [, b]) => b - a).slice(0, most * FOLLOWED);
  return { rates: new Map(followed), at: now, changedAt: before?.changedAt ?? now };
}

/**
 * The values that have series of their own from now on: those that had, whatever came of them lately; free places go to the largest.
 * Where none is free, one that is clearly overtaken gives up its place, one an hour.
 */
export function topOf(
  shown: readonly string[],
  ranking: Ranking,
  most: number,
): { readonly shown: readonly string[]; readonly ranking: Ranking } {
  const { rates, at, changedAt } = ranking;
  const rate = (value: string) => rates.get(value) ?? 0;
  const mine = [...shown].sort((a, b) => rate(b) - rate(a)).slice(0, most);
  const others = [...rates.keys()].filter((value) => rate(value) > 0 && !mine.includes(value));
  const free = most - mine.length;
  if (free > 0) return { shown: [...mine, ...others.slice(0, free)], ranking };
  const [largest] = others;
  const smallest = mine.at(-1);
  if (largest === undefined || smallest === undefined || at - changedAt < HOUR_MS)
    return { shown: mine, ranking };
  if (rate(largest) <= OVERTAKEN * rate(smallest)) return { shown: mine, ranking };
  return { shown: [...mine.slice(0, -1), largest], ranking: { ...ranking, changedAt: at } };
}

/** Values of a field that have series of their own, for one configuration. */
export class TopValues {
  readonly #wants: (value: string) => boolean;
  readonly #most: number;
  #ranking: Ranking | undefined;

  constructor(wants: (value: string) => boolean, most = TOP_VALUES) {
    this.#wants = wants;
    this.#most = most;
  }

  /**
   * Returns the columns of the values with series of their own, and of all others together.
   * @param open column of any value
   * @param counters values that are counted, perhaps since before a restart, and whether others may be from now on
   */
  columns(
    open: Column,
    rows: KeyRows | undefined,
    { window, now }: { readonly window: Window; readonly now: number },
    counters: { readonly dimensions: readonly string[]; readonly mayChange: boolean },
  ): readonly Column[] {
    const sums = sumsIn(rows, window);
    const shown = counters.dimensions.filter((value) => value !== OTHER && this.#wants(value));
    const chosen = counters.mayChange ? this.#chosen(shown, sums, window, now) : shown;
    const isShown = new Set(chosen);
    const column = (dimension: string, fields: readonly string[]): Column => ({
      ...open,
      dimension,
      fields,
      isOpen: true,
    });
    const rest = [...sums.keys()].filter((value) => !isShown.has(value));
    // Always in one order: what has the same names is remembered once.
    return [...[...chosen].sort().map((value) => column(value, [value])), column(OTHER, rest)];
  }

  #chosen(shown: readonly string[], sums: ReadonlyMap<string, number>, window: Window, now: number) {
    const minutes = (window.to - window.from) / MINUTE_MS;
    const rates = [...sums].filter(([value, sum]) => value !== OTHER && sum > 0 && this.#wants(value));
    const ranking = rankedAgain(this.#ranking, new Map(rates.map(([value, sum]) => [value, sum / minutes])), {
      now,
      most: this.#most,
    });
    const top = topOf(shown, ranking, this.#most);
    this.#ranking = top.ranking;
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
