import type { Firing } from './alert-states.ts';
import { type Chunk, Evaluation, type EvaluationOptions } from './evaluation.ts';
import type { Labels } from './labels.ts';

/** A time in which an alert fired. */
export interface FiredAlert extends Firing {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
  /** Whether it went on when the evaluation ended. */
  readonly open: boolean;
}

export interface HistoryEvaluation extends Chunk, Pick<EvaluationOptions, 'groups' | 'step'> {
  /** Called after each step with what reads recorded series at that moment. */
  readonly onStep?: (step: number, read: ReadSeries) => void;
}

/** The value of a series in the newest evaluation; NaN where there is none. */
export type ReadSeries = (name: string, labels: Labels) => number;

/**
 * Evaluates rules over a history that is there as a whole.
 * @returns the times in which alerts fired, in the order of their ends
 */
export function evaluate({ groups, step, onStep, ...history }: HistoryEvaluation): readonly FiredAlert[] {
  const fired: FiredAlert[] = [];
  const evaluation = new Evaluation({
    groups,
    step,
    observer: { fired: ({ labels }, firing, open) => fired.push({ ...firing, labels, open }) },
  });
  const read: ReadSeries = (name, labels) => evaluation.read(name, labels);
  evaluation.advance(history, onStep === undefined ? undefined : (index) => onStep(index, read));
  evaluation.end();
  return fired;
}
