import type { Account } from '../configuration/schema.ts';
import { Delays, USUAL_PUBLISH_MS, USUAL_SETTLE_MS } from '../settling/delays.ts';

/** Learned delays of one metric of a product. */
export interface MetricDelays {
  readonly product: string;
  readonly metric: string;
  readonly delays: Delays;
}

/** A learned delay has become another one (ms). */
export interface DelayChange {
  readonly product: string;
  readonly metric: string;
  readonly delay: 'publish' | 'settle';
  readonly before: number;
  readonly after: number;
}

/** Settle delays move by seconds all the time: what is less than this (ms) is no change. */
const LEAST_CHANGE_MS = 60_000;

/** The delays of an account's metrics: learned by metric, and shared by all configurations. */
export class LearnedDelays {
  readonly #account: Account;
  readonly #known = new Map<string, MetricDelays>();
  readonly #told = new Map<string, number>();

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

  /** The delays that are others than when this was asked last. @param now the platform's time */
  changes(now: number): DelayChange[] {
    return [...this.all()].flatMap(({ product, metric, delays }) => {
      const of = (delay: DelayChange['delay'], after: number, usual: number) =>
        this.#change({ product, metric, delay, before: usual, after });
      return [
        ...of('publish', delays.publish(), USUAL_PUBLISH_MS),
        ...of('settle', delays.settle(now), USUAL_SETTLE_MS),
      ];
    });
  }

  #change(change: DelayChange): DelayChange[] {
    const { product, metric, delay, after } = change;
    const configured = this.#account[`${delay}_delay`];
    if (configured !== 'auto') return [];
    const key = `${product} ${metric} ${delay}`;
    const before = this.#told.get(key) ?? change.before;
    if (Math.abs(after - before) < LEAST_CHANGE_MS) return [];
    this.#told.set(key, after);
    return [{ ...change, before }];
  }

  all(): Iterable<MetricDelays> {
    return this.#known.values();
  }
}
