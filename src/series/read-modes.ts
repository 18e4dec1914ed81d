/** How a metric's dimensions are had: all in the metric's own answer, or each by an operation of its own. */
export type ReadMode = 'metric' | 'dimensions';

/**
 * What was learned of how the platform answers, shared by all targets of an account: a metric read that brings its
 * dimensions costs one operation, and only where it does not are the dimensions read one by one.
 */
export class ReadModes {
  readonly #learned = new Map<string, ReadMode>();

  of(api: string, productId: number, metric: string): ReadMode {
    return this.#learned.get(key(api, productId, metric)) ?? 'metric';
  }

  learn(api: string, productId: number, metric: string, mode: ReadMode): void {
    this.#learned.set(key(api, productId, metric), mode);
  }
}

function key(api: string, productId: number, metric: string): string {
  return `${api}/${productId}/${metric}`;
}
