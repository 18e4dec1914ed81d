/** Which configuration a source of traffic belongs to, at one moment. */
export interface Assignment {
  readonly source: number;
  readonly configuration: number;
}

/** A source serving a configuration from `from` until `to` (ms since the epoch; endless either way). */
export interface Tenure extends Assignment {
  readonly from: number;
  readonly to: number;
}

/**
 * The history of who served what, of one product: what was counted before a configuration was created, while it was
 * inactive, or after it was removed is nobody's, and what was counted before stays counted in the product's total.
 */
export class Tenures {
  #ended: Tenure[] = [];
  #current = new Map<number, Tenure>();

  /** Takes in what holds from `at` on. The first assignments of a new account hold since ever: `at` is -Infinity. */
  observe(assignments: Iterable<Assignment>, at: number): void {
    const next = new Map<number, Tenure>();
    for (const { source, configuration } of assignments) {
      const held = this.#current.get(source);
      const stays = held?.configuration === configuration;
      next.set(source, stays ? held : { source, configuration, from: at, to: Infinity });
    }
    for (const [source, tenure] of this.#current) {
      if (next.get(source) !== tenure) this.#ended.push({ ...tenure, to: at });
    }
    this.#current = next;
  }

  /** All tenures, those that ended included. */
  *[Symbol.iterator](): Iterator<Tenure> {
    yield* this.#ended;
    yield* this.#current.values();
  }

  /** Those of a configuration, or of one source: their ids never meet, unless a configuration is its own source. */
  of(id: number): Tenure[] {
    const belongs = (tenure: Tenure) => tenure.source === id || tenure.configuration === id;
    return [...this.#ended.filter(belongs), ...[...this.#current.values()].filter(belongs)];
  }
}

/** What is left of a tenure when times without any traffic are cut out of it. */
export function without(tenure: Tenure, outages: readonly { from: number; to: number }[]): Tenure[] {
  let pieces = [tenure];
  for (const outage of outages) {
    pieces = pieces.flatMap((piece) =>
      [
        { ...piece, to: Math.min(piece.to, outage.from) },
        { ...piece, from: Math.max(piece.from, outage.to) },
      ].filter(({ from, to }) => from < to),
    );
  }
  return pieces;
}
