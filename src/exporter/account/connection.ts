import type { Clock } from '../clock.ts';
import { partOfRate, type Shard, shardOfLimit } from '../cluster/shard.ts';
import { routeOf } from '../configuration/request.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { openCredentials } from '../credentials/token-login.ts';
import { QUESTIONS } from '../graphql/question.ts';
import { Client } from '../platform/client.ts';
import { accountIds, type Credentials, guardedCredentials } from '../platform/credentials.ts';
import {
  describeForeignAnswer,
  type ExchangeInfo,
  isRead,
  type TransportOptions,
} from '../platform/exchange.ts';
import { type ClockContradiction, PlatformClock } from '../platform/platform-clock.ts';
import type { Answer, Resource } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import { Operations, type PollEnd, type Turns } from '../poll/runner.ts';
import { type LimitScope, LimitScopes, type LimitScopesOptions } from '../rate-limit/limit-scopes.ts';
import { RequestQueue, type RequestQueueOptions } from '../rate-limit/request-queue.ts';
import type { Secret } from '../secret.ts';

/** Creates an account's credentials. @param mayLeave whether a request may still leave */
export type CredentialsFactory = (
  account: AccountConfig,
  mayLeave?: (() => boolean) | undefined,
) => Credentials;

export interface ConnectionOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly credentials: CredentialsFactory;
  /** Gets the record of every exchange, after the rate limiter has taken it. */
  readonly onExchange?: (info: ExchangeInfo, observed: Observed) => void;
  readonly onTurn?: RequestQueueOptions['onTurn'];
  /** Shared by all accounts; default: none. */
  readonly turns?: Turns;
  /** The limit that is counted by the client's address; default: that of the turns, or the account's alone. */
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Share of each limit to leave to others, called each time; default: the account's reserve. */
  readonly reserve?: () => number;
  /** Whether a request may still leave; by default it may. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** An account's connection to the platform, for the exporter and all commands: requests within the quota, and what answers show. */
export class Connection {
  readonly platform: ObservedPlatform;
  readonly credentials: Credentials;
  readonly queue: RequestQueue;
  /** Requests within the quota. */
  readonly operations: Operations;
  readonly #client: Client;
  /** Sends questions: the API that takes them may have an address of its own. */
  readonly #questions: Client;
  readonly #onExchange: ConnectionOptions['onExchange'];
  readonly #idOf: (owner: Secret) => string;

  constructor(options: ConnectionOptions) {
    const { account, clock, credentials, reserve, onExchange, onTurn, turns, mayLeave } = options;
    const { api_url, quota, request, shard } = account;
    const questions = shardOfLimit(QUESTIONS.assumedLimit, shard);
    const { byAddress = turns?.limits.at(new URL(account.graphql_url).origin, questions) } = options;
    this.platform = new ObservedPlatform({
      clock,
      basePath: new URL(api_url).pathname.replace(/\/$/, ''),
      reserve: reserve ?? (() => quota.reserve),
      assumedLimit: shardOfLimit(quota.assumed_limit, shard),
      byAddress,
      shard,
    });
    this.#onExchange = onExchange;
    this.#idOf = accountIds(new URL(api_url).origin);
    this.credentials = credentials(account, mayLeave);
    const transport = {
      ...transportOf(account, clock),
      largeAnswers: turns?.largeAnswers(),
      credentials: this.credentials,
      mayLeave,
    };
    this.#client = new Client(transport);
    this.#questions = new Client({
      ...transport,
      baseUrl: account.graphql_url,
      questionsTo: QUESTIONS.path,
    });
    this.queue = new RequestQueue({
      clock,
      tokenRenewed: () => this.credentials.renewed(),
      scopes: this.platform.scopes,
      concurrency: request.concurrency,
      ...(onTurn !== undefined && { onTurn }),
    });
    this.operations = new Operations({
      clock,
      queue: this.queue,
      exchange: (resource, signal) => this.readAtOnce(resource, signal),
      timeoutMs: request.timeout,
      turns,
    });
  }

  /** Hash of whose account it is; undefined before there is a token. */
  accountId(): string | undefined {
    const owner = this.credentials.owner();
    return owner === undefined ? undefined : this.#idOf(owner);
  }

  /**
   * Reads without waiting for a turn, for callers that had theirs or respect the quota themselves. The only place that acts
   * on exchanges: each is counted before another request of the account can leave.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  async readAtOnce(resource: Resource, signal: AbortSignal): Promise<Answer> {
    const client = resource.question === undefined ? this.#client : this.#questions;
    const read = client.get(resource, signal);
    for (;;) {
      const { done, value } = await read.next();
      if (done === true) return value;
      this.#observe(value);
    }
  }

  #observe(info: ExchangeInfo): void {
    // Not inside the optional call, which would skip it when nobody listens.
    const observed = this.platform.observe(info);
    this.#onExchange?.(info, observed);
  }

  /** Revokes a token that the exporter created, until the signal aborts (default: after 2 s), and closes the connections. */
  async close(signal: AbortSignal = AbortSignal.timeout(2_000)): Promise<void> {
    this.queue.stop();
    this.platform.scopes.close();
    try {
      await this.credentials.close(signal);
    } finally {
      for (const info of this.credentials.takeExchanges()) this.#observe(info);
      await Promise.all([this.#client.close(), this.#questions.close()]);
    }
  }
}

/** Credentials as configured. @param hooks.guard keeps a secret out of whatever is written */
export function credentialsFrom(
  clock: Clock,
  hooks: {
    readonly guard: (secret: Secret) => void;
    /** Called with what an operator should know and no read reports. */
    readonly onNotice?: (account: string, text: string) => void;
  },
): CredentialsFactory {
  return (account, mayLeave) => {
    const credentials = openCredentials(account.credentials, {
      ...transportOf(account, clock),
      connections: 1,
      mayLeave,
      onNotice: (text) => hooks.onNotice?.(account.name, text),
    });
    return guardedCredentials(credentials, hooks.guard);
  };
}

/** How requests are sent to an account's platform. */
function transportOf({ api_url, request }: AccountConfig, clock: Clock): TransportOptions {
  return {
    baseUrl: api_url,
    route: routeOf(request),
    timeoutMs: request.timeout,
    maxResponseBytes: request.max_response_bytes,
    connections: request.concurrency,
    clock,
  };
}

export interface ObservedPlatformOptions {
  readonly clock: Clock;
  /** The path of the account's base address, which precedes every resource's. */
  readonly basePath: string;
  /** Share of each limit to leave to others; called each time, since it may change. */
  readonly reserve: () => number;
  readonly assumedLimit: number;
  readonly byAddress?: LimitScopesOptions['byAddress'];
  /** Which of several exporters of the account it is. */
  readonly shard?: Shard | undefined;
}

/** The limit scope of requests that create and revoke tokens: they are limited apart from the reads. */
export const TOKENS = 'tokens';

/** What an exchange showed. */
export interface Observed {
  /** The limit scope that it counts against. */
  readonly scope: LimitScope;
  /** How far its time contradicts the platform's; undefined where it agrees. */
  readonly contradiction: ClockContradiction | undefined;
}

/** What an account knows of its platform from the answers: its clock, its limits, and whether it is up. */
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

/** Tokens are created and revoked with the user name and the password; all else carries a token. */
function refusalOf(info: ExchangeInfo): string {
  return isRead(info)
    ? 'the platform refuses the token'
    : 'the platform refuses the user name or the password';
}

function unlike(info: ExchangeInfo): string {
  return `${describeForeignAnswer(info)}: ${HINT}`;
}

/**
 * Whether an account's platform answers and accepts the token. Any server answers something, so the platform must be
 * recognised first: by an answer that only it gives, or by a poll that could use its answer. While some jobs recognise it,
 * foreign answers to others (a web page, for instance) and a 5xx to a single job are ignored.
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
  /** Those of them that another server answered since the platform was last recognised. */
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

  /** Takes in what an exchange says. */
  exchanged(info: ExchangeInfo): void {
    const { status, outcome, answeredBy } = info;
    const noAnswer = NO_ANSWER[outcome];
    if (answeredBy === 'platform') this.#recognise();
    if (noAnswer !== undefined) this.#become(false, noAnswer);
    else if (status === undefined) this.#become(false, `the server at api_url does not speak HTTP: ${HINT}`);
    else if (status >= 500) this.#failed(info, status);
    else if (status === 401) this.#become(false, answeredBy === 'platform' ? refusalOf(info) : unlike(info));
    else if (this.#recognised && answeredBy !== 'foreign') this.#become(true);
    else if (!this.#recognised && (answeredBy === 'foreign' || status === 404))
      this.#become(false, unlike(info));
  }

  /** Records the end of a poll: only its reader knows whether the document came from the platform. */
  polled({ job, outcome, reason, operations, foreignAnswer }: PollEnd): void {
    if (operations === 0) return;
    if (outcome !== 'server_error') this.#failing.delete(job);
    if (outcome === 'server_error') {
      // A job that keeps failing while the platform serves others shows nothing new, unless another has begun to fail.
      const isKnown =
        this.#failing.has(job) && this.#up === true && (this.#broken === undefined || this.#broken === job);
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
      if (outcome === 'unauthorized' && !this.#answered) this.#become(false, reason ?? 'there is no token');
    } else if (!this.#recognised || this.#misleads(job)) {
      this.#recognised = false;
      this.#become(false, `${foreignAnswer}: ${HINT}`);
    }
  }

  /** A 5xx to a read is judged when its poll ends, which knows the job; one to a token request concerns all jobs. */
  #failed(info: ExchangeInfo, status: number): void {
    this.#serverError = status;
    if (!isRead(info)) this.#become(false, `the platform answers ${status}`);
  }

  /** Whether a 5xx is more than one broken path: no other job is served, or a second one fails as well. */
  #isWidespread(job: Job): boolean {
    const others = this.#lastServed !== undefined && this.#lastServed !== job;
    return !others || (this.#broken !== undefined && this.#broken !== job);
  }

  /** Whether another server has answered a job that the platform once served, twice without any answer of the platform in between. */
  #misleads(job: Job): boolean {
    const isAgain = this.#misled.has(job);
    this.#misled.add(job);
    return isAgain && this.#served.has(job);
  }

  #recognise(): void {
    this.#recognised = true;
    this.#answered = true;
    this.#misled.clear();
  }

  #become(up: boolean, note = ''): void {
    if (up) this.#broken = undefined;
    if (up !== this.#up) this.#since = this.#now();
    this.#up = up;
    this.#note = note;
  }
}
