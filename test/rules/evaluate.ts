import type { EvaluationObserver, Firing } from '../../src/rules/promql/evaluation.ts';
import { type Chunk, Evaluation, type EvaluationOptions } from '../../src/rules/promql/evaluation.ts';
import type { Labels } from '../../src/rules/promql/vector.ts';

/** Alert with the time span in which it fired. */
export interface FiredAlert extends Firing {
  readonly labels: Labels;
  readonly open: boolean;
}

/**
 * Evaluates rules over a complete history.
 * @returns the times in which alerts fired, in order of their ends
 */
export function evaluate({
  groups,
  step,
  recorded,
  ...history
}: Chunk &
  Pick<EvaluationOptions, 'groups' | 'step'> &
  Pick<EvaluationObserver, 'recorded'>): readonly FiredAlert[] {
  const fired: FiredAlert[] = [];
  const evaluation = new Evaluation({
    groups,
    step,
    observer: {
      ...(recorded === undefined ? {} : { recorded }),
      fired: ({ labels }, firing, open) => fired.push({ ...firing, labels, open }),
    },
  });
  evaluation.advance(history);
  evaluation.end();
  return fired;
}
