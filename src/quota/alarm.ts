import type { Clock } from '../clock.ts';

/** Rings once, at the time it was set to last. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: AbortController | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** The time it is set to (local ms); undefined when it is set to none. */
  get at(): number | undefined {
    return Number.isFinite(this.#at) ? this.#at : undefined;
  }

  /** Sets it to a time (local ms), in place of the one before; Infinity for never. */
  set(at: number): void {
    if (at === this.#at) return;
    this.#set?.abort();
    this.#set = undefined;
    this.#at = at;
    if (at === Number.POSITIVE_INFINITY) return;
    const set = new AbortController();
    this.#set = set;
    const wait = Math.max(1, at - this.#clock.now());
    this.#clock.sleep(wait, set.signal).then(
      () => {
        this.#at = Number.POSITIVE_INFINITY;
        this.#ring();
      },
      // The only way to fail is the abort above: another time has replaced this one.
      () => undefined,
    );
  }
}
