import type { Clock } from '../clock.ts';
import { partOfRate, type Shard } from '../cluster/shard.ts';
import { describeForeignAnswer, type ExchangeInfo, isRead } from '../platform/exchange.ts';
import { type ClockContradiction, PlatformClock } from '../platform/platform-clock.ts';
import { QUESTIONS } from '../platform/read.ts';
import { type LimitScope, LimitScopes, type LimitScopesOptions } from '../rate-limit/limit-scopes.ts';
import type { Job, PollEnd } from './job.ts';

export interface ObservedPlatformOptions {
  readonly clock: Clock;
  /** Path of the account's base address, which precedes the path of every resource. */
  readonly basePath: string;
  /** Returns the share of each limit that is reserved for other clients, which may change. */
  readonly reserve: () => number;
  readonly assumedLimit: number;
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Shard of the account that this exporter polls; undefined for the whole account. */
  readonly shard?: Shard | undefined;
}

/** Limit scope of requests that create and revoke tokens, which the platform limits separately from reads. */
export const TOKENS = 'tokens';

/** Facts from one exchange. */
export interface Observed {
  /** Limit scope that the exchange counts against. */
  readonly scope: LimitScope;
  /** Contradiction between its date and the platform's clock; undefined if they agree. */
  readonly contradiction: ClockContradiction | undefined;
}

/** Observations of an account's platform from its answers: its clock, its limits and its reachability. */
export class ObservedPlatform {
  readonly reachability: Reachability;
  readonly platformClock: PlatformClock;
  readonly scopes: LimitScopes;
  readonly #options: ObservedPlatformOptions;

  constructor(options: ObservedPlatformOptions) {
    this.#options = options;
    const { clock } = options;
    this.reachability = new Reachability(clock.now.bind(clock));
    this.platformClock = new PlatformClock(clock.now.bind(clock), clock.wall.bind(clock));
    const { platformClock } = this;
    this.scopes = new LimitScopes({
      platformClock,
      assumedLimit: options.assumedLimit,
      byAddress: options.byAddress,
      isPart: options.shard !== undefined,
      get reserve() {
        return options.reserve();
      },
    });
  }

  /** Updates the clock, the limits and the reachability from an exchange. */
  observe(info: ExchangeInfo): Observed {
    const { endedAt, startedAt, serverDate, status, retryAfterMs } = info;
    const isAnsweredRead = isRead(info) && status !== undefined;
    const { shard } = this.#options;
    const rate = info.rate && shard ? partOfRate(info.rate, shard) : info.rate;
    const contradiction =
      serverDate === undefined
        ? undefined
        : this.platformClock.observe({ sentAt: startedAt, receivedAt: endedAt, serverDate });
    const group = this.groupOf(info);
    this.scopes.learn(group, rate);
    const scope = this.scopes.of(group);
    if (status === 429) scope.limiter.refuse(endedAt, rate, retryAfterMs, startedAt);
    else scope.limiter.observe(endedAt, rate, startedAt);
    if (isAnsweredRead) this.scopes.token.observe(endedAt, status);
    this.reachability.exchanged(info);
    return { scope, contradiction };
  }

  /** Returns the group of an exchange: the first segment of its path, the tokens, or GraphQL. */
  groupOf({ method, isQuestion, path }: Pick<ExchangeInfo, 'method' | 'isQuestion' | 'path'>): string {
    if (isQuestion) return this.scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit).name;
    if (method !== 'GET') return this.scopes.apart(TOKENS).name;
    return path.slice(this.#options.basePath.length).split(/[/?]/, 2)[1] ?? '';
  }
}

/** Hint for answers that seem to come from another server. */
const HINT = 'is api_url right?';

const NO_ANSWER: Readonly<Partial<Record<ExchangeInfo['outcome'], string>>> = {
  timeout: 'the platform does not answer in time',
  network: 'the platform cannot be reached',
};

/** Returns the note for a 401. Requests for tokens carry the user name and the password, all others a token. */
function refusalOf(info: ExchangeInfo): string {
  return isRead(info)
    ? 'the platform refuses the token'
    : 'the platform refuses the user name or the password';
}

function unlike(info: ExchangeInfo): string {
  return `${describeForeignAnswer(info)}: ${HINT}`;
}

/**
 * Decides if an account's platform answers and accepts the token. Any server may answer, so the platform must be recognised first.
 * A distinctive answer or a successful poll does that. While some jobs recognise it, foreign answers to others (such as a web
 * page) and a 5xx to a single job are ignored.
 */
export class Reachability {
  /** True if the platform answers and accepts the token, from the last exchanges; undefined while unknown. */
  up: boolean | undefined;
  /** Time (local ms) of the last change of `up`; undefined while it is unknown. */
  since: number | undefined;
  /** Reason why it is not up, as a sentence; empty if it is up. */
  note = '';
  /** True if the platform has ever answered, even with a refusal. */
  answered = false;
  readonly #now: () => number;
  /** Status of the last 5xx. */
  #serverError = 500;
  /** True if the last answers came from the platform. */
  #recognised = false;
  /** Jobs that the platform has answered successfully. */
  readonly #served = new WeakSet<Job>();
  /** Jobs that another server answered since the platform was last recognised. */
  readonly #misled = new Set<Job>();
  /** Job that the platform answered last. */
  #lastServed: Job | undefined;
  /** Jobs whose last poll ended with a 5xx. `#broken` is the last one that began to fail, until the platform is up again. */
  readonly #failing = new WeakSet<Job>();
  #broken: Job | undefined;

  /** @param now returns local ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Updates the reachability from an exchange. */
  exchanged(info: ExchangeInfo): void {
    const { method, status, outcome, reason, answeredBy } = info;
    const noAnswer = NO_ANSWER[outcome];
    if (answeredBy === 'platform') this.#recognise();
    // The token to revoke may be invalid already.
    if (method === 'DELETE' && status === 401) return;
    if (noAnswer !== undefined)
      this.#become(false, reason === undefined ? noAnswer : `${noAnswer}: ${reason}`);
    else if (status === undefined) this.#become(false, `the server at api_url does not speak HTTP: ${HINT}`);
    else if (status >= 500) this.#failed(info, status);
    else if (status === 401) this.#become(false, answeredBy === 'platform' ? refusalOf(info) : unlike(info));
    else if (this.#recognised && answeredBy !== 'foreign') this.#become(true);
    else if (status !== 429 && !this.#recognised && (answeredBy === 'foreign' || status === 404))
      this.#become(false, unlike(info));
  }

  /** Records the end of a poll: only its job knows if the document came from the platform. */
  polled({ job, outcome, reason, operations, foreignAnswer }: PollEnd): void {
    if (operations === 0) return;
    if (outcome !== 'server_error') this.#failing.delete(job);
    if (outcome === 'server_error') {
      // A job that keeps failing while others succeed proves nothing new, unless another has begun to fail.
      const isKnown =
        this.#failing.has(job) && this.up === true && (this.#broken === undefined || this.#broken === job);
      this.#failing.add(job);
      if (isKnown) return;
      if (this.#isWidespread(job)) this.#become(false, `the platform answers ${this.#serverError}`);
      this.#broken = job;
    } else if (outcome === 'ok' || outcome === 'empty') {
      this.#served.add(job);
      this.#lastServed = job;
      if (!this.#recognised) this.#become(true);
      this.#recognise();
    } else if (foreignAnswer === undefined) {
      // Without any answer so far, the credentials failed, and no request reached the platform.
      if (outcome === 'unauthorized' && !this.answered) this.#become(false, reason ?? 'there is no token');
    } else if (outcome !== 'rate_limited') this.#answeredByAnother(job, foreignAnswer);
  }

  /** Records an answer of another server. A 429 is excluded, since it may come from the platform's own guard. */
  #answeredByAnother(job: Job, foreignAnswer: string): void {
    if (this.#recognised && !this.#misleads(job)) return;
    this.#recognised = false;
    this.#become(false, `${foreignAnswer}: ${HINT}`);
  }

  /** Records a 5xx. For a read, the end of the poll decides, since that knows the job. A token request concerns all jobs. */
  #failed(info: ExchangeInfo, status: number): void {
    this.#serverError = status;
    if (!isRead(info)) this.#become(false, `the platform answers ${status}`);
  }

  /** Returns true if a 5xx is more than one broken path: no other job is served, or a second one fails as well. */
  #isWidespread(job: Job): boolean {
    const others = this.#lastServed !== undefined && this.#lastServed !== job;
    return !others || (this.#broken !== undefined && this.#broken !== job);
  }

  /** Returns true if another server has answered a formerly served job twice, without an answer of the platform in between. */
  #misleads(job: Job): boolean {
    const isAgain = this.#misled.has(job);
    this.#misled.add(job);
    return isAgain && this.#served.has(job);
  }

  #recognise(): void {
    this.#recognised = true;
    this.answered = true;
    this.#misled.clear();
  }

  #become(up: boolean, note = ''): void {
    if (up) this.#broken = undefined;
    if (up !== this.up) this.since = this.#now();
    this.up = up;
    this.note = note;
  }
}
