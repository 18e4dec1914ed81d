import { ExchangeFailure } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/outcome.ts';

/** First wait after the platform refused the login itself, or a token that it had just created. */
const FIRST_WAIT_REFUSED_MS = 30_000;
/** First wait after a temporary failure. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** A token that worked this long was valid; its refusal is a new problem. */
const PROVEN_AFTER_MS = 3_600_000;

const REFUSED_AT_ONCE = new PlatformFailure(
  'unauthorized',
  'the platform refuses the tokens that it created',
  401,
);

/**
 * Lets token creations through at growing intervals while they fail, so that a wrong password does not hammer
 * the platform (or lock the user out). A created token that is refused at once counts as a failure too.
 */
export class TokenCreationGate {
  #strikes = 0;
  #opensAt = Number.NEGATIVE_INFINITY;
  #last = REFUSED_AT_ONCE;

  isOpen(now: number): boolean {
    return now >= this.#opensAt;
  }

  /** @throws PlatformFailure the last failure, with the time until the next attempt, while the gate is closed */
  pass(now: number): void {
    if (this.isOpen(now)) return;
    const seconds = Math.ceil((this.#opensAt - now) / 1000);
    const { outcome, message, status } = this.#last;
    throw new PlatformFailure(outcome, `${message}; next attempt to create a token in ${seconds} s`, status);
  }

  /**
   * A token was created at `now` in place of one that had served for `servedMs`. After earlier strikes the next
   * creation still has to wait: a new token has to prove itself.
   */
  created(now: number, servedMs: number): void {
    if (servedMs >= PROVEN_AFTER_MS) this.#strikes = 0;
    this.#opensAt = now + waitAfter(this.#strikes, FIRST_WAIT_REFUSED_MS);
  }

  /** A creation failed at `now`. */
  failed(failure: PlatformFailure, now: number): void {
    this.#strikes += 1;
    this.#last = failure;
    const refused = failure.outcome === 'unauthorized' || failure.outcome === 'forbidden';
    const wait = waitAfter(this.#strikes, refused ? FIRST_WAIT_REFUSED_MS : FIRST_WAIT_MS);
    this.#opensAt = now + Math.max(wait, askedWait(failure));
  }

  /** The platform refused a token that had served for `servedMs`. To be called once for each token. */
  refused(servedMs: number): void {
    if (servedMs < PROVEN_AFTER_MS) {
      this.#strikes += 1;
      this.#last = REFUSED_AT_ONCE;
    } else {
      this.#strikes = 0;
      this.#opensAt = Number.NEGATIVE_INFINITY;
    }
  }
}

function waitAfter(strikes: number, first: number): number {
  return strikes === 0 ? 0 : Math.min(first * 2 ** (strikes - 1), LONGEST_WAIT_MS);
}

/** What a 429 asks for: `Retry-After`, or else the time until the window's reset, both by the platform's clock. */
function askedWait(failure: PlatformFailure): number {
  if (!(failure instanceof ExchangeFailure) || failure.outcome !== 'rate_limited') return 0;
  const { retryAfterMs, rate, serverDate } = failure.info;
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, LONGEST_WAIT_MS);
  if (rate?.resetAt === undefined) return 0;
  return Math.min(Math.max(0, rate.resetAt - (serverDate ?? failure.info.endedAt)), LONGEST_WAIT_MS);
}
