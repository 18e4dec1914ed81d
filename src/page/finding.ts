import type { Html } from './html.ts';

/** Something that an operator should know or do. */
export interface Finding {
  /** The account that it is about; undefined where it is about the exporter itself. */
  readonly account?: string;
  /** The greatest is told first. */
  readonly severity: number;
  readonly mood: 'bad' | 'warn' | 'calm';
  /** What is wrong, as a clause. */
  readonly text: Html;
  /** What to do next. */
  readonly next: Html;
  /** Details, one a line. */
  readonly lines?: readonly string[];
}

/** What matters more is told first. */
export const SEVERITY = {
  down: 11,
  withheld: 10,
  refused: 9,
  late: 8,
  behind: 7,
  dropped: 6,
  starved: 5,
  failing: 4,
  config: 3,
  clock: 2,
  note: 1,
} as const;

/** The worst first. */
export function bySeverity(a: Finding, b: Finding): number {
  return b.severity - a.severity;
}
