import type { Firing } from './alert-states.ts';
import type { Labels } from './labels.ts';

/** An alert of a rule: always the same object for the same labels. */
export interface Alert {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
}

/** Told of what rules come to at every evaluation. */
export interface EvaluationObserver {
  /** A recording rule was evaluated: the values of its series, NaN where there is none, until the next evaluation. */
  recorded?(name: string, series: readonly Labels[], moment: number, values: Float64Array): void;
  /** It fires. `value` is NaN while its condition does not hold and `keep_firing_for` keeps it. */
  firing?(alert: Alert, moment: number, value: number): void;
  /** It does not fire any more, or `open`: the evaluation ended while it did. */
  fired?(alert: Alert, firing: Firing, open: boolean): void;
}
