/** How many requests are taken: `burst` at once, and then one every `interval` milliseconds. */
export interface RequestRate {
  readonly interval: number;
  readonly burst: number;
}

/** Whether a request that comes now is within the rate, all clients taken together. A new rate starts with its burst. */
export type TakeRequest = (rate: RequestRate) => boolean;

/** A bucket of tokens, one for each request; `now` is in milliseconds. */
export function createRequestBucket(now: () => number): TakeRequest {
  let current: RequestRate | undefined;
  let tokens = 0;
  let filled = now();
  return (rate) => {
    const passed = now() - filled;
    filled += passed;
    tokens = rate === current ? Math.min(rate.burst, tokens + passed / rate.interval) : rate.burst;
    current = rate;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
