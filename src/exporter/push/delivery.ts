import type { Clock } from '../clock.ts';
import type { PushedSample, ReceiverAnswer, RefusalReason } from './protocol.ts';

/** Request function of a delivery, and its observers. */
export interface DeliveryOptions {
  readonly clock: Clock;
  readonly send: (samples: readonly PushedSample[], signal: AbortSignal) => Promise<ReceiverAnswer>;
  readonly sent: (samples: number) => void;
  /** Reports refused samples. @param words the receiver's message, without secrets */
  readonly refused: (reason: RefusalReason, samples: number, words: string) => void;
  /** Reports a failed request. It is repeated unless this function throws; then the delivery fails with that error. */
  readonly failed: (words: string) => void;
}

/** Maximum number of samples per request: about a megabyte before compression. If it is too large (413), it is halved. */
export const REQUEST_SAMPLES = 5_000;

/** Delay (ms) after the first failure. It doubles after each further one, up to the maximum. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

/** Maximum wait (ms) that a receiver can request with `Retry-After`. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/** Number of samples sent one by one before a refusal counts as one of all requests. */
const ASKED_FOR = 20;

/** Delivers samples to one receiver, with as many requests as needed. */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** Newest sample that the receiver accepted, if any. A receiver accepts it again, unless it refuses every request. */
  #taken: PushedSample | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /**
   * Delivers samples so that a refused sample does not affect the others. If the response is the same for all samples, it is a
   * failure, not a refusal. Causes are a proxy, a missing tenant, or the wrong protocol.
   * @returns true if the receiver accepted or refused each sample; false after such a failure, when all must be sent again
   */
  async deliver(samples: readonly PushedSample[], signal: AbortSignal): Promise<boolean> {
    const { send } = this.#options;
    let parts: readonly (readonly PushedSample[])[] = [samples];
    let failures = 0;
    let checked: readonly PushedSample[] | undefined;
    /** True once the receiver accepted or refused any sample, so that only the rest is sent again. */
    let hasSettled = false;
    for (let [part, ...others] = parts; part !== undefined; [part, ...others] = parts) {
      const answer: ReceiverAnswer = part.length === 0 ? { kind: 'accepted' } : await send(part, signal);
      if (answer.kind === 'failed') {
        failures += 1;
        await this.#waitAfter(failures, answer, signal);
        continue;
      }
      failures = 0;
      if (answer.kind === 'refused' && answer.unexplained && part.length === 1 && part !== checked) {
        // The receiver may have recovered only after it refused this part, so the part is sent once more.
        if (!(await this.#refusesAll(samples, answer.words, signal))) checked = part;
        else if (!hasSettled) return false;
        continue;
      }
      parts = others;
      hasSettled ||= answer.kind !== 'refused' || part.length === 1;
      if (answer.kind === 'accepted') this.#accepted(part);
      else if (answer.kind === 'partly accepted') this.#partlyAccepted(part, answer);
      else parts = this.#refused(part, others, answer);
    }
    this.#failuresAlike = 0;
    return true;
  }

  /** Number of consecutive deliveries that ended because everything was refused alike. */
  #failuresAlike = 0;

  /**
   * Returns true if the receiver also refuses a sample that it accepted before, with the same message. If it never accepted one,
   * tests several of `samples` instead. Waits as after a failure before it returns true.
   */
  async #refusesAll(samples: readonly PushedSample[], words: string, signal: AbortSignal): Promise<boolean> {
    const step = Math.ceil(samples.length / ASKED_FOR);
    const asked =
      this.#taken === undefined ? samples.filter((_, index) => index % step === 0) : [this.#taken];
    for (const sample of asked) {
      const answer = await this.#options.send([sample], signal);
      const isAlike = answer.kind === 'refused' && alike(answer.words) === alike(words);
      if (!isAlike && answer.kind !== 'failed') return false;
    }
    this.#failuresAlike += 1;
    await this.#waitAfter(this.#failuresAlike, { words: `it refuses everything alike: ${words}` }, signal);
    return true;
  }

  #accepted(part: readonly PushedSample[]): void {
    if (part.length === 0) return;
    this.#taken = part.find(({ ended }) => !ended) ?? this.#taken;
    this.#options.sent(part.length);
  }

  /** Handles a response that accepts some of the samples without identifying them: no sample is sent again. */
  #partlyAccepted(
    part: readonly PushedSample[],
    { rejected, reason, words }: Extract<ReceiverAnswer, { kind: 'partly accepted' }>,
  ): void {
    const { sent, refused } = this.#options;
    const count = Math.min(rejected, part.length);
    if (count < part.length) sent(part.length - count);
    refused(reason, count, words);
  }

  /** Returns the samples that remain to be sent after a refusal. */
  #refused(
    part: readonly PushedSample[],
    others: readonly (readonly PushedSample[])[],
    { reason, words }: Extract<ReceiverAnswer, { kind: 'refused' }>,
  ): readonly (readonly PushedSample[])[] {
    const { refused } = this.#options;
    const middle = Math.ceil(part.length / 2);
    if (part.length > 1) return [part.slice(0, middle), part.slice(middle), ...others];
    const at = part[0]?.at ?? 0;
    // The age limit applies to all samples of a receiver. Testing each of the others would take thousands of requests.
    const isRefused = (sample: PushedSample) => reason === 'too_old' && sample.at <= at;
    const left = others.map((other) => other.filter((sample) => !isRefused(sample)));
    const count = (all: readonly (readonly PushedSample[])[]) =>
      all.reduce((sum, { length }) => sum + length, 0);
    refused(reason, 1 + count(others) - count(left), words);
    return left;
  }

  async #waitAfter(
    failures: number,
    { words, retryAfterMs }: { readonly words: string; readonly retryAfterMs?: number },
    signal: AbortSignal,
  ): Promise<void> {
    this.#options.failed(words);
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
    const wait = Math.max(backoff, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS));
    await this.#options.clock.sleep(wait, signal);
  }
}

/** Returns a message without numbers and identifiers, which differ with every request. */
function alike(words: string): string {
  return words.replaceAll(/[0-9a-f-]{8,}|\d+/gi, '#');
}
