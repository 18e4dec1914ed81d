/** An operation that wants to leave. Times are local ms. */
export interface Ticket {
  /** The group of operations it belongs to, which decides its limit scope. */
  readonly group: string;
  /** Before then it must not leave. */
  readonly notBefore: number;
  /** How much it matters, relative to the others. */
  readonly weight: number;
  /** Since when what it asks for has been ageing: the greatest weight times age leaves first. */
  readonly since: number;
  /** The age (ms) at which the plan lets it leave. Until then it may be kept for a moment that brings more. */
  patience(): number;
}

/** How much it matters that a ticket leaves now. */
export function urgencyOf({ weight, since }: Ticket, now: number): number {
  return weight * (now - since);
}
