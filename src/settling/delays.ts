import { Completeness } from './completeness.ts';
import { RestatementDirections, SettlingBound } from './restatement-memory.ts';
import { MINUTE_MS } from './window.ts';

/** A delay of the configuration: a time in ms, or `auto` for what is learned. */
export type ConfiguredDelay = number | 'auto';

/** The delays of an account's metrics as configured. */
export type DelaySettings = Readonly<Record<'publish_delay' | 'settle_delay', ConfiguredDelay>>;

/** Until enough was measured: the newest bucket or two always dip, and the platform aggregates for up to ten minutes. */
export const USUAL_PUBLISH_MS = 2 * MINUTE_MS;
export const USUAL_SETTLE_MS = 10 * MINUTE_MS;

/** Upper bound of a learned delay. */
const LONGEST_SETTLE_MS = 60 * MINUTE_MS;

/** How much of its final value a bucket must hold to be shown. */
const COMPLETE = 0.98;

/** The delay is shortened only when buckets hold a little more than that, so that it does not go back and forth. */
const COMPLETE_TO_ADVANCE = 0.985;

/** A lag is usual once it has lasted for two or three of these (ms). */
const SLOT_MS = 10 * MINUTE_MS;
const SLOTS = 3;

/** The platform aggregates for up to ten minutes; one that is further behind is not as it should be. */
const LONGEST_LAG_MS = 10 * MINUTE_MS;

/** Learns how far behind the clock the newest buckets of one metric usually are: the least of the last half an hour. */
export class UsualLag {
  readonly #least = new Map<number, number>();

  /** Takes in how long ago (ms) the newest bucket of an answer ended; `now` is the platform's time. */
  observe(lag: number, now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    this.#least.set(slot, Math.min(lag, this.#least.get(slot) ?? lag));
    for (const known of this.#least.keys())
      if (known <= slot - SLOTS || known > slot) this.#least.delete(known);
  }

  /** In ms; 0 before anything was seen. */
  get ms(): number {
    return this.#least.size === 0 ? 0 : Math.min(LONGEST_LAG_MS, ...this.#least.values());
  }
}

/** The delays of one metric, and what they are learned from. */
export class Delays {
  readonly completeness = new Completeness();
  readonly bound = new SettlingBound();
  readonly directions = new RestatementDirections();
  readonly lag = new UsualLag();
  readonly #publish: ConfiguredDelay;
  readonly #settle: ConfiguredDelay;
  #published = USUAL_PUBLISH_MS;

  constructor(publish: ConfiguredDelay, settle: ConfiguredDelay) {
    this.#publish = publish;
    this.#settle = settle;
  }

  /** Age at which a bucket is shown as a gauge: ms from its end to the end of the platform's newest. */
  publish(): number {
    if (this.#publish !== 'auto') return this.#publish;
    const wanted = this.completeness.leastAge(COMPLETE);
    const bold = this.completeness.leastAge(COMPLETE_TO_ADVANCE);
    if (wanted !== undefined && wanted > this.#published) this.#published = wanted;
    if (bold !== undefined && bold < this.#published) this.#published = bold;
    return this.#published;
  }

  /** Age at which a bucket is counted. */
  settle(now: number): number {
    if (this.#settle !== 'auto') return this.#settle;
    return Math.min(this.bound.settled(now) ?? USUAL_SETTLE_MS, LONGEST_SETTLE_MS);
  }

  /** Age up to which buckets are read again, so that late changes are seen. */
  horizon(now: number): number {
    return Math.max(USUAL_SETTLE_MS, this.settle(now));
  }
}

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

/** Settle delays move by seconds all the time: only a change of this much (ms) is reported. */
const LEAST_CHANGE_MS = 60_000;

/** The delays of an account's metrics: learned by metric, and shared by all configurations. */
export class LearnedDelays {
  readonly #settings: DelaySettings;
  readonly #known = new Map<string, MetricDelays>();
  readonly #told = new Map<string, number>();

  constructor(settings: DelaySettings) {
    this.#settings = settings;
  }

  of(product: string, metric: string): Delays {
    const { publish_delay, settle_delay } = this.#settings;
    const key = `${product} ${metric}`;
    const known = this.#known.get(key) ?? {
      product,
      metric,
      delays: new Delays(publish_delay, settle_delay),
    };
    this.#known.set(key, known);
    return known.delays;
  }

  /** The delays that have changed since the last call. @param now the platform's time */
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
    const configured = this.#settings[`${delay}_delay`];
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
