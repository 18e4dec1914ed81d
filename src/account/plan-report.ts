import { fits } from '../rate-limit/demand.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
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
