import type { Clock } from '../clock.ts';
import { partOfRate, type Shard } from '../cluster/shard.ts';
import { describeForeignAnswer, type ExchangeInfo, isRead } from '../platform/exchange.ts';
import { type ClockContradiction, PlatformClock } from '../platform/platform-clock.ts';
import { QUESTIONS } from '../platform/read.ts';
import { type LimitScope, LimitScopes, type LimitScopesOptions } from '../rate-limit/limit-scopes.ts';
import type { Job, PollEnd } from './job.ts';

export interface ObservedPlatformOptions {
  readonly clock: Clock;
  /** The path of the account's base address, which precedes every resource's. */
  readonly basePath: string;
  /** Share of each limit to leave to others; called each time, since it may change. */
  readonly reserve: () => number;
  readonly assumedLimit: number;
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Shard of the account that this exporter polls. */
  readonly shard?: Shard | undefined;
}

/** Limit scope of requests that create and revoke tokens, which are limited apart from reads. */
export const TOKENS = 'tokens';

/** Facts that an exchange showed. */
export interface Observed {
  /** The limit scope that it counts against. */
  readonly scope: LimitScope;
  /** Contradiction of its time to the platform's; undefined if they agree. */
  readonly contradiction: ClockContradiction | undefined;
}

/** Facts about an account's platform from its answers: its clock, its limits, and whether it is up. */
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

  /** Learns time, limits and reachability from an exchange. */
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

  /** The group of operations that an exchange belongs to: the first segment of its path, or the tokens. */
  groupOf({ method, isQuestion, path }: Pick<ExchangeInfo, 'method' | 'isQuestion' | 'path'>): string {
    if (isQuestion) return this.scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit).name;
    if (method !== 'GET') return this.scopes.apart(TOKENS).name;
    return path.slice(this.#options.basePath.length).split(/[/?]/, 2)[1] ?? '';
  }
}

/** Added where another server seems to answer. */
const HINT = 'is api_url right?';

const NO_ANSWER: Readonly<Partial<Record<ExchangeInfo['outcome'], string>>> = {
  timeout: 'the platform does not answer in time',
  network: 'the platform cannot be reached',
};

/** Tokens are created with the user name and the password; all else carries a token. */
function refusalOf(info: ExchangeInfo): string {
  return isRead(info)
    ? 'the platform refuses the token'
    : 'the platform refuses the user name or the password';
}

function unlike(info: ExchangeInfo): string {
  return `${describeForeignAnswer(info)}: ${HINT}`;
}

/**
 * Decides whether an account's platform answers and accepts the token. Any server answers something, so the platform
 * must be recognised first: by an answer that only it gives, or by a poll that could use its answer. While some jobs
 * recognise it, foreign answers to others (such as a web page) and a 5xx to a single job are ignored.
 */
export class Reachability {
  /** True if the platform answers and accepts the token, by the last exchanges; undefined while unknown. */
  up: boolean | undefined;
  /** Time (local ms) since when it has been up, or down; undefined before that is known. */
  since: number | undefined;
  /** Why it is not up, as a sentence. */
  note = '';
  /** True if the platform has ever answered, even with a refusal. */
  answered = false;
  readonly #now: () => number;
  /** The last 5xx. */
  #serverError = 500;
  /** True if the platform answers now, by the last answers. */
  #recognised = false;
  /** Jobs that have been answered by the platform at some time. */
  readonly #served = new WeakSet<Job>();
  /** Served jobs that another server answered since the platform was last recognised. */
  readonly #misled = new Set<Job>();
  /** The job that the platform served last. */
  #lastServed: Job | undefined;
  /** Jobs whose last poll ended with a 5xx, and the last that did so first since the platform answered anything else. */
  readonly #failing = new WeakSet<Job>();
  #broken: Job | undefined;

  /** @param now local time (ms) */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes in what an exchange says. */
  exchanged(info: ExchangeInfo): void {
    const { method, status, outcome, reason, answeredBy } = info;
    const noAnswer = NO_ANSWER[outcome];
    if (answeredBy === 'platform') this.#recognise();
    // A token that is to be revoked may be gone already.
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

  /** Records the end of a poll: only its reader knows whether the document came from the platform. */
  polled({ job, outcome, reason, operations, foreignAnswer }: PollEnd): void {
    if (operations === 0) return;
    if (outcome !== 'server_error') this.#failing.delete(job);
    if (outcome === 'server_error') {
      // A job that keeps failing while the platform serves others shows nothing new, unless another has begun to fail.
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
      // Without any answer yet the credentials failed: no request was sent to the platform.
      if (outcome === 'unauthorized' && !this.answered) this.#become(false, reason ?? 'there is no token');
    } else if (outcome !== 'rate_limited') this.#answeredByAnother(job, foreignAnswer);
  }

  /** Another server has answered; whoever refuses for now (429) may be the platform's own guard, and is none. */
  #answeredByAnother(job: Job, foreignAnswer: string): void {
    if (this.#recognised && !this.#misleads(job)) return;
    this.#recognised = false;
    this.#become(false, `${foreignAnswer}: ${HINT}`);
  }

  /** A 5xx to a read is judged when its poll ends, which knows the job; one to a token request concerns all jobs. */
  #failed(info: ExchangeInfo, status: number): void {
    this.#serverError = status;
    if (!isRead(info)) this.#become(false, `the platform answers ${status}`);
  }

  /** Returns true if a 5xx is more than one broken path: no other job is served, or a second one fails as well. */
  #isWidespread(job: Job): boolean {
    const others = this.#lastServed !== undefined && this.#lastServed !== job;
    return !others || (this.#broken !== undefined && this.#broken !== job);
  }

  /**
   * Returns true if another server answered a job that the platform once served, twice without an answer of the platform
   * in between.
   */
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
