import type { Account } from '../configuration/schema.ts';
import { Delays } from '../settling/delays.ts';

/** What was learned of the delays of one metric of a product. */
export interface MetricDelays {
  readonly product: string;
  readonly metric: string;
  readonly delays: Delays;
}

/** The delays of an account's metrics: learned by metric, and shared by all configurations. */
export class LearnedDelays {
  readonly #account: Account;
  readonly #known = new Map<string, MetricDelays>();

  constructor(account: Account) {
    this.#account = account;
  }

  of(product: string, metric: string): Delays {
    const { publish_delay, settle_delay } = this.#account;
    const key = `${product} ${metric}`;
    const known = this.#known.get(key) ?? {
      product,
      metric,
      delays: new Delays(publish_delay, settle_delay),
    };
    this.#known.set(key, known);
    return known.delays;
  }

  all(): Iterable<MetricDelays> {
    return this.#known.values();
  }
}
