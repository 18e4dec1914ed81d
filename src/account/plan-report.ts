import { fits } from '../quota/intervals.ts';
import type { Foresight } from '../schedule/foresight.ts';
import type { Plan } from './observer.ts';

/** Tells of each limit scope what its jobs ask for and what they may use, whenever either is another than before. */
export class PlanReport {
  readonly #tell: (plan: Plan) => void;
  /** By scope: what was told last. */
  readonly #told = new Map<string, string>();

  constructor(tell: (plan: Plan) => void) {
    this.#tell = tell;
  }

  /**
   * To be called now and then, not at every change: while configurations are being discovered there are many.
   * @param surveyed whether it is known what there is to poll: too much stays too much whatever else is found, but
   *   that a plan fits is known only then
   */
  update(foresight: Foresight, surveyed: boolean): void {
    for (const { scope, jobs, perMinute } of foresight.demands()) {
      const { name, budget } = scope;
      const { allowance } = budget;
      const fitting = fits(perMinute, allowance);
      if (fitting && !surveyed) continue;
      const text = `${jobs} ${allowance} ${fitting}`;
      if (text === this.#told.get(name)) continue;
      this.#told.set(name, text);
      this.#tell({ scope: name, jobs, perMinute, allowance });
    }
  }
}
