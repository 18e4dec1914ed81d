import type { PushedSample, ReceiverAnswer } from '../../../src/exporter/push/protocol.ts';

/** Fate of a request: stored; lost before or after it was stored; or refused temporarily. */
export type Fate = 'taken' | 'lost' | 'stored, answer lost' | 'busy';

/**
 * Receiver with Prometheus' rules. It accepts the samples of a series in order, and the newest sample again
 * only if it is equal.
 */
export class ModelReceiver {
  readonly stored = new Map<string, (readonly [number, number])[]>();
  requests = 0;
  /** Returns the reason for which a sample is always refused; undefined if it can be accepted. */
  refuses: (sample: PushedSample) => 'too_old' | 'invalid' | undefined = () => undefined;

  take(samples: readonly PushedSample[], fate: Fate): ReceiverAnswer {
    this.requests += 1;
    if (fate === 'lost') return { kind: 'failed', words: 'connection reset' };
    if (fate === 'busy') return { kind: 'failed', words: 'HTTP 429', retryAfterMs: 5_000 };
    const bad = samples.map((sample) => this.#mistake(sample)).find((mistake) => mistake !== undefined);
    if (bad !== undefined) return { kind: 'refused', reason: bad, words: 'HTTP 400' };
    for (const sample of samples) this.#store(sample);
    return fate === 'taken' ? { kind: 'accepted' } : { kind: 'failed', words: 'the answer was cut off' };
  }

  #mistake(sample: PushedSample) {
    const own = this.refuses(sample);
    if (own !== undefined) return own;
    const [at, value] = this.stored.get(seriesOf(sample))?.at(-1) ?? [Number.NEGATIVE_INFINITY, 0];
    if (sample.at < at) return 'out_of_order';
    return sample.at === at && !Object.is(sample.value, value) ? 'duplicate' : undefined;
  }

  #store(sample: PushedSample): void {
    const series = this.stored.get(seriesOf(sample)) ?? [];
    this.stored.set(seriesOf(sample), series);
    if (series.at(-1)?.[0] !== sample.at) series.push([sample.at, sample.value]);
  }
}

export function seriesOf({ series: { family, labels } }: Pick<PushedSample, 'series'>): string {
  return `${family.name}${JSON.stringify(labels)}`;
}
