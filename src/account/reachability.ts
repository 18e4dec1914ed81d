import { describeForeignAnswer, type ExchangeInfo } from '../platform/exchange.ts';
import type { Job } from '../poll/job.ts';
import type { PollEnd } from '../poll/runner.ts';

/** A hint for the case that another server answers. */
const HINT = 'is api_url right?';

const NO_ANSWER: Readonly<Partial<Record<ExchangeInfo['outcome'], string>>> = {
  timeout: 'the platform does not answer in time',
  network: 'the platform cannot be reached',
};

/** Tokens are created and revoked with the user name and the password; all else carries a token. */
function refusalOf({ method }: ExchangeInfo): string {
  return method === 'GET'
    ? 'the platform refuses the token'
    : 'the platform refuses the user name or the password';
}

function unlike(info: ExchangeInfo): string {
  return `${describeForeignAnswer(info)}: ${HINT}`;
}

/**
 * Whether an account's platform answers and accepts the token. Any server answers something: so the platform must have
 * been recognised first, by an answer that only it gives or by a poll that could use one, and what is answered to some
 * jobs in a way that the platform does not (with a web page, for instance) is ignored while others recognise it. So is
 * a 5xx to one job while others are served.
 */
export class Reachability {
  readonly #now: () => number;
  #up: boolean | undefined;
  #since: number | undefined;
  #note = '';
  #answered = false;
  /** The last 5xx. */
  #serverError = 500;
  /** Whether what answers now is the platform, as far as the last answers show. */
  #recognised = false;
  /** Jobs that have been answered by the platform at some time. */
  readonly #served = new WeakSet<Job>();
  /** Those of them that another server has answered since the platform was last recognised. */
  readonly #misled = new Set<Job>();
  /** The job that the platform served last. */
  #lastServed: Job | undefined;
  /** A job that a 5xx answered since the platform last answered anything else. */
  #broken: Job | undefined;

  /** @param now local time (ms) */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the platform answers and accepts the token, as far as the last exchanges show; undefined while unknown. */
  get up(): boolean | undefined {
    return this.#up;
  }

  /** Since when (local ms) it has been up, or has not; undefined before that is known. */
  get since(): number | undefined {
    return this.#since;
  }

  /** Whether the platform has ever answered, even with a refusal. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Why it is not up, as a sentence. */
  get note(): string {
    return this.#note;
  }

  /** Records an exchange that was not aborted by the exporter. */
  exchanged(info: ExchangeInfo): void {
    const { status, outcome, answeredBy } = info;
    const noAnswer = NO_ANSWER[outcome];
    if (answeredBy === 'platform') this.#recognise();
    if (noAnswer !== undefined) this.#down(noAnswer);
    else if (status === undefined) this.#down(`the server at api_url does not speak HTTP: ${HINT}`);
    else if (status >= 500) this.#failed(info, status);
    else if (status === 401) this.#down(answeredBy === 'platform' ? refusalOf(info) : unlike(info));
    else if (this.#recognised && answeredBy !== 'foreign') this.#rise();
    else if (!this.#recognised && (answeredBy === 'foreign' || status === 404)) this.#down(unlike(info));
  }

  /** Records the end of a poll: only its reader knows whether the document came from the platform. */
  polled({ job, outcome, reason, operations, foreignAnswer }: PollEnd): void {
    if (operations === 0) return;
    if (outcome === 'server_error') {
      if (this.#isWidespread(job)) this.#down(`the platform answers ${this.#serverError}`);
      this.#broken = job;
    } else if (outcome === 'ok' || outcome === 'empty') {
      this.#served.add(job);
      this.#lastServed = job;
      if (!this.#recognised) this.#rise();
      this.#recognise();
    } else if (foreignAnswer === undefined) {
      // Without any answer yet the credentials failed: no request was sent to the platform.
      if (outcome === 'unauthorized' && !this.#answered) this.#down(reason ?? 'there is no token');
    } else if (!this.#recognised || this.#misleads(job)) {
      this.#recognised = false;
      this.#down(`${foreignAnswer}: ${HINT}`);
    }
  }

  /** A poll tells whose path it was; a token concerns all. */
  #failed({ method }: ExchangeInfo, status: number): void {
    this.#serverError = status;
    if (method !== 'GET') this.#down(`the platform answers ${status}`);
  }

  /** Whether a 5xx to a job tells more than that its path is broken: nothing but it is answered, or a second job fails as well. */
  #isWidespread(job: Job): boolean {
    const others = this.#lastServed !== undefined && this.#lastServed !== job;
    return !others || (this.#broken !== undefined && this.#broken !== job);
  }

  /** Whether a job that the platform once answered has now been answered by another server twice, with no platform answer to any job in between. */
  #misleads(job: Job): boolean {
    if (!this.#served.has(job)) return false;
    if (this.#misled.has(job)) return true;
    this.#misled.add(job);
    return false;
  }

  #recognise(): void {
    this.#recognised = true;
    this.#answered = true;
    this.#misled.clear();
  }

  #rise(): void {
    this.#broken = undefined;
    this.#become(true, '');
  }

  #down(note: string): void {
    this.#become(false, note);
  }

  #become(up: boolean, note: string): void {
    if (up !== this.#up) this.#since = this.#now();
    this.#up = up;
    this.#note = note;
  }
}
