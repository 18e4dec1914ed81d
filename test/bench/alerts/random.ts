/** Random numbers that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a separate sequence of random numbers. Its draws do not change other sequences. */
  fork(key: number): Random {
    return new Random(Math.imul(this.#state ^ Math.imul(key + 1, 0x9e3779b1), 0x85ebca6b) ^ (key << 7));
  }

  /** Returns a random number from 0 to 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.fraction();
  }

  logBetween(low: number, high: number): number {
    return Math.exp(this.between(Math.log(low), Math.log(high)));
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return radius * Math.cos(2 * Math.PI * this.fraction());
  }

  logNormal(median: number, spread: number): number {
    return median * Math.exp(spread * this.normal());
  }

  poisson(mean: number): number {
    if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.fraction(); product > limit; product *= this.fraction()) count += 1;
    return count;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.fraction() * items.length)] ?? items[0];
  }
}
