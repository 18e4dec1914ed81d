/** Configuration to which a source of traffic belongs at a given time. */
export interface Assignment {
  readonly source: number;
  readonly configuration: number;
}

/** Period from `from` to `to` in which a source served a configuration (ms since the epoch; both may be infinite). */
export interface AssignmentPeriod extends Assignment {
  readonly from: number;
  readonly to: number;
}

/**
 * Periods in which sources served configurations of one product. Traffic of a source without a configuration (not created yet,
 * inactive, removed) counts only in the product's total.
 */
export class AssignmentHistory {
  #ended: AssignmentPeriod[] = [];
  #current = new Map<number, AssignmentPeriod>();

  /** Records the assignments from `at` on. For a new account, `at` is -Infinity: its first assignments have always been valid. */
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

  /** Returns the periods of a configuration or of a source. Their ids never coincide, unless a configuration is its own source. */
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
