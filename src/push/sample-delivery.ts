import type { Clock } from '../clock.ts';
import type { PushedSample } from './pushed-sample.ts';
import type { ReceiverAnswer, RefusalReason } from './receiver-answer.ts';

/** Told what becomes of samples, and of requests. */
export interface DeliveryListener {
  readonly sent: (samples: number) => void;
  /** @param words the receiver's, without secrets */
  readonly refused: (reason: RefusalReason, samples: number, words: string) => void;
  /** A request has failed and is made again, unless this throws: then the delivery ends with that error. */
  readonly failed: (words: string) => void;
}

export interface DeliveryOptions extends DeliveryListener {
  readonly send: (samples: readonly PushedSample[], signal: AbortSignal) => Promise<ReceiverAnswer>;
  readonly clock: Clock;
}

/** Most samples in a request: as many as Prometheus sends. */
export const REQUEST_SAMPLES = 2_000;

/** How long (ms) to wait after a first failure; twice as long after each further one. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** A receiver that asks for a longer wait than this (ms) is asked again all the same. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/** Brings samples to one receiver, with as many requests as that takes. */
export class Delivery {
  readonly #options: DeliveryOptions;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Has the receiver answer for each of the samples, so that one it refuses costs none of the others. */
  async deliver(samples: readonly PushedSample[], signal: AbortSignal): Promise<void> {
    const { send, sent } = this.#options;
    let parts: readonly (readonly PushedSample[])[] = [samples];
    let failures = 0;
    for (let [part, ...others] = parts; part !== undefined; [part, ...others] = parts) {
      const answer: ReceiverAnswer = part.length === 0 ? { kind: 'accepted' } : await send(part, signal);
      if (answer.kind === 'failed') {
        failures += 1;
        await this.#waitAfter(failures, answer, signal);
        continue;
      }
      failures = 0;
      parts = others;
      if (answer.kind === 'accepted') sent(part.length);
      else if (answer.kind === 'partly accepted') this.#partlyAccepted(part, answer);
      else parts = this.#refused(part, others, answer);
    }
  }

  /** Which samples it did not take the receiver does not say, and none may be sent again. */
  #partlyAccepted(
    part: readonly PushedSample[],
    { rejected, reason, words }: Extract<ReceiverAnswer, { kind: 'partly accepted' }>,
  ): void {
    const { sent, refused } = this.#options;
    const count = Math.min(rejected, part.length);
    if (count < part.length) sent(part.length - count);
    refused(reason, count, words);
  }

  /** What is left to send after a refusal. */
  #refused(
    part: readonly PushedSample[],
    others: readonly (readonly PushedSample[])[],
    { reason, words }: Extract<ReceiverAnswer, { kind: 'refused' }>,
  ): readonly (readonly PushedSample[])[] {
    const { refused } = this.#options;
    const middle = Math.ceil(part.length / 2);
    if (part.length > 1) return [part.slice(0, middle), part.slice(middle), ...others];
    const at = part[0]?.at ?? 0;
    // What is too old is so for the whole of a receiver: asking for each of the others would take thousands of requests.
    const isRefused = (sample: PushedSample) => reason === 'too_old' && sample.at <= at;
    const left = others.map((other) => other.filter((sample) => !isRefused(sample)));
    const count = (all: readonly (readonly PushedSample[])[]) =>
      all.reduce((sum, { length }) => sum + length, 0);
    refused(reason, 1 + count(others) - count(left), words);
    return left;
  }

  async #waitAfter(
    failures: number,
    { words, retryAfterMs }: Extract<ReceiverAnswer, { kind: 'failed' }>,
    signal: AbortSignal,
  ): Promise<void> {
    this.#options.failed(words);
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
    const wait = Math.max(backoff, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS));
    await this.#options.clock.sleep(wait, signal);
  }
}
