/** Configuration to which a source of traffic belongs at a moment. */
export interface Assignment {
  readonly source: number;
  readonly configuration: number;
}

/** A source serving a configuration from `from` until `to` (ms since the epoch; endless either way). */
export interface AssignmentPeriod extends Assignment {
  readonly from: number;
  readonly to: number;
}

/**
 * Periods in which sources served configurations of one product. Traffic of a source without a configuration (not
 * created yet, inactive, removed) counts in the product's total only.
 */
export class AssignmentHistory {
  #ended: AssignmentPeriod[] = [];
  #current = new Map<number, AssignmentPeriod>();

  /** Records the assignments from `at` on; the first ones of a new account have always held: `at` is -Infinity. */
  observe(assignments: Iterable<Assignment>, at: number): void {
    const next = new Map<number, AssignmentPeriod>();
    for (const { source, configuration } of assignments) {
      const held = this.#current.get(source);
      const stays = held?.configuration === configuration;
      next.set(source, stays ? held : { source, configuration, from: at, to: Infinity });
    }
    for (const [source, period] of this.#current) {
      if (next.get(source) !== period) this.#ended.push({ ...period, to: at });
    }
    this.#current = next;
  }

  /** Yields all periods, including ended ones. */
  *[Symbol.iterator](): Iterator<AssignmentPeriod> {
    yield* this.#ended;
    yield* this.#current.values();
  }

  /** Returns the periods of a configuration or of a source. Their ids never meet, unless a configuration is its own source. */
  of(id: number): AssignmentPeriod[] {
    const belongs = (period: AssignmentPeriod) => period.source === id || period.configuration === id;
    return [...this.#ended.filter(belongs), ...[...this.#current.values()].filter(belongs)];
  }
}

/** Returns the parts of a period outside the outages. */
export function without(
  period: AssignmentPeriod,
  outages: readonly { from: number; to: number }[],
): AssignmentPeriod[] {
  let pieces = [period];
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
