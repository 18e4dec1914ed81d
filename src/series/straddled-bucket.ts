import { FINEST_WINDOW_MS, MINUTE_MS, type Window } from '../settling/window.ts';

/** How often the bucket is asked for alone, before it is waited for like any other. */
const ATTEMPTS = 5;

/**
 * A bucket that a counter's watermark lies inside of, since the platform has gone over to wider ones. It can be counted
 * neither whole nor in part; but asked for alone it comes in finer buckets again, as the platform's widths follow
 * the length of the window.
 */
export class StraddledBucket {
  #window: Window | undefined;
  #attempts = 0;

  /**
   * The window to ask for while a watermark lies in it.
   * @param settledUntil up to when buckets do not change any more
   */
  windowAt(watermark: number | undefined, settledUntil: number): Window | undefined {
    const window = this.#window;
    if (window === undefined || watermark === undefined || this.#attempts >= ATTEMPTS) return undefined;
    return window.from < watermark && watermark < window.to && window.to <= settledUntil ? window : undefined;
  }

  /**
   * Takes in where an answer has left the watermark.
   * @param asked the window of the answer; `start` is where one of its buckets begins
   */
  note(asked: Window, watermark: number, width: number, start: number): void {
    const bucket = bucketAround(watermark, width, start);
    if (bucket === undefined) return;
    if (!sameWindow(bucket, this.#window)) this.#attempts = 0;
    else if (sameWindow(bucket, asked)) this.#attempts += 1;
    this.#window = bucket;
  }
}

function bucketAround(watermark: number, width: number, start: number): Window | undefined {
  const from = watermark - modulo(watermark - start, width);
  if (from === watermark || width > FINEST_WINDOW_MS) return undefined;
  return {
    from: Math.floor(from / MINUTE_MS) * MINUTE_MS,
    to: Math.ceil((from + width) / MINUTE_MS) * MINUTE_MS,
  };
}

function modulo(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

function sameWindow(a: Window, b: Window | undefined): boolean {
  return a.from === b?.from && a.to === b.to;
}
