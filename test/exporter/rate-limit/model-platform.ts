import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';

/** Platform and other clients of its token. All times are in ms. */
export interface ModelOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly workers: number;
  /** Minimum latency of one way; the maximum is twice as long. */
  readonly latencyMs: number;
  readonly aheadMs: number;
  readonly headers: 'all' | 'dateless' | 'none';
  /**
   * Share of the limit that other clients use, spread over the window, from `othersFromMs` on. They never use
   * the reserve.
   */
  readonly othersShare: number;
  readonly othersFromMs: number;
  readonly random: () => number;
  readonly forMs: number;
  readonly forbiddenWorkers?: number;
  readonly resetEarlyMs?: number;
}

/** Result of a run. */
export interface ModelRun {
  readonly operations: number;
  readonly refusals: number;
  readonly windows: number;
  /** Largest assumed use by other clients, in operations per minute. */
  readonly othersPerMinute: number;
  readonly perMinute: number;
}

const START = Date.UTC(2026, 0, 5, 12, 0, 17);
const MINUTE_MS = 60_000;

/** Runs requests against a model of the platform with a counted rate limit. */
export async function runModel(options: ModelOptions): Promise<ModelRun> {
  const { limit, windowMs, reserve, workers, latencyMs, aheadMs, headers, random, forMs } = options;
  const { forbiddenWorkers = 0, resetEarlyMs = 0 } = options;
  const clock = new SimulatedClock(START, PROMISES_ONLY);
  const now = () => clock.now() + aheadMs;
  const local = { now, wall: now, sleep: clock.sleep.bind(clock) };
  const untouched = Math.ceil(limit * reserve);
  const counter = new Counter(options);
  let othersPerMinute = 0;
  let operations = 0;
  let refusals = 0;
  const others = (): void => {
    if (counter.left(clock.now()) > untouched) counter.take(clock.now());
    clock.at(clock.now() + (windowMs / (limit * options.othersShare)) * (0.5 + random()), others);
  };
  if (options.othersShare > 0) clock.at(START + options.othersFromMs, others);

  const link = new ObservedPlatform({
    clock: local,
    basePath: '',
    reserve: () => reserve,
    assumedLimit: limit,
  });
  const queue = new RequestQueue({ clock: local, scopes: link.scopes, concurrency: options.concurrency });
  const exchange = async (permitted: boolean): Promise<void> => {
    const startedAt = local.now();
    await clock.sleep(latencyMs * (1 + random()));
    const arrivedAt = clock.now();
    const { allowed, remaining, resetAt } = counter.take(arrivedAt);
    operations += 1;
    if (!allowed) refusals += 1;
    const rate = { limit, remaining, resetAt: resetAt - resetEarlyMs };
    await clock.sleep(latencyMs * (1 + random()));
    link.observe({
      method: 'GET',
      path: '/metrics/x',
      version: 2,
      status: allowed ? (permitted ? 200 : 401) : 429,
      outcome: allowed ? 'ok' : 'rate_limited',
      startedAt,
      endedAt: local.now(),
      bytes: 0,
      ...(headers === 'none' ? {} : { rate }),
      ...(headers === 'all' ? { serverDate: Math.floor(arrivedAt / 1_000) * 1_000 } : {}),
    });
    for (const { limiter } of link.scopes.all)
      othersPerMinute = Math.max(othersPerMinute, limiter.othersPerMinute);
  };
  const work = async (since: number, permitted: boolean): Promise<void> => {
    const request = {
      group: 'metrics',
      notBefore: since,
      weight: permitted ? 1 : 4,
      since,
      plannedIntervalMs: () => MINUTE_MS,
    };
    const over = await queue.turn(request, new AbortController().signal);
    await exchange(permitted);
    over();
    void work(local.now() + MINUTE_MS, permitted);
  };
  for (let worker = 0; worker < workers; worker += 1) {
    void work(local.now(), worker >= forbiddenWorkers);
  }
  await clock.run(START + forMs);
  const windows = counter.windows;
  return {
    operations,
    refusals,
    windows,
    othersPerMinute,
    perMinute: link.scopes.of('metrics').limiter.perMinute,
  };
}

class Counter {
  readonly #options: Pick<ModelOptions, 'limit' | 'windowMs'>;
  #openedAt = Number.NEGATIVE_INFINITY;
  #used = 0;
  windows = 0;

  constructor(options: Pick<ModelOptions, 'limit' | 'windowMs'>) {
    this.#options = options;
  }

  left(now: number): number {
    const { limit, windowMs } = this.#options;
    return now >= this.#openedAt + windowMs ? limit : limit - this.#used;
  }

  take(now: number): { readonly allowed: boolean; readonly remaining: number; readonly resetAt: number } {
    const { windowMs } = this.#options;
    if (now >= this.#openedAt + windowMs) {
      this.#openedAt = now;
      this.#used = 0;
      this.windows += 1;
    }
    const allowed = this.left(now) > 0;
    if (allowed) this.#used += 1;
    return { allowed, remaining: this.left(now), resetAt: this.#openedAt + windowMs };
  }
}
