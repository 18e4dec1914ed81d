import { fits } from '../rate-limit/demand.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { Plan } from './observer.ts';

/** Reports demand and allowance of each limit scope whenever one of them changes. */
export class PlanReport {
  readonly #tell: (plan: Plan) => void;
  /** What was last reported, by scope. */
  readonly #told = new Map<string, string>();

  constructor(tell: (plan: Plan) => void) {
    this.#tell = tell;
  }

  /**
   * Call it from time to time, not at every change: during discovery there are many.
   * @param surveyed whether it is known what there is to poll: too much stays too much whatever else is found, but
   *   that a plan fits is known only then
   */
  update(forecast: DemandForecast, surveyed: boolean): void {
    for (const { scope, jobs, perMinute } of forecast.demands()) {
      const { name, limiter } = scope;
      const { allowance } = limiter;
      const fitting = fits(perMinute, allowance);
      if (fitting && !surveyed) continue;
      const text = `${jobs} ${allowance} ${fitting}`;
      if (text === this.#told.get(name)) continue;
      this.#told.set(name, text);
      this.#tell({ scope: name, jobs, perMinute, allowance });
    }
  }
}
