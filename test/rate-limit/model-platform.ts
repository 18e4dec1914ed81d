import { ObservedPlatform } from '../../src/account/observed-platform.ts';
import { RequestQueue } from '../../src/rate-limit/request-queue.ts';
import { EventClock } from '../bench/schedule/event-clock.ts';

/** What the platform is like, and who else uses its token. Times in ms. */
export interface ModelOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  /** How many pieces of work ask for an operation again and again, each a minute after its last. */
  readonly workers: number;
  /** One way, at least; it takes up to twice as long. */
  readonly latencyMs: number;
  /** How far the local clock is ahead. */
  readonly aheadMs: number;
  readonly headers: 'all' | 'dateless' | 'none';
  /** Share of the limit that others take, spread over the window, from `othersFromMs` on; never of the reserve. */
  readonly othersShare: number;
  readonly othersFromMs: number;
  readonly random: () => number;
  readonly forMs: number;
  /** Of so many of the workers, the most urgent ones, every request is answered 401. */
  readonly forbiddenWorkers?: number;
}

/** How it went. */
export interface ModelRun {
  readonly operations: number;
  readonly refusals: number;
  readonly windows: number;
}

const START = Date.UTC(2026, 0, 5, 12, 0, 17);
const MINUTE_MS = 60_000;

/** Runs a link and its operations against a counted platform. */
export async function runModel(options: ModelOptions): Promise<ModelRun> {
  const { limit, windowMs, reserve, workers, latencyMs, aheadMs, headers, random, forMs } = options;
  const { forbiddenWorkers = 0 } = options;
  const clock = new EventClock(START);
  const now = () => clock.now() + aheadMs;
  const local = { now, wall: now, sleep: clock.sleep.bind(clock) };
  const untouched = Math.ceil(limit * reserve);
  let window = { openedAt: Number.NEGATIVE_INFINITY, used: 0 };
  let operations = 0;
  let refusals = 0;
  let windows = 0;

  const take = (): { allowed: boolean; remaining: number } => {
    const now = clock.now();
    if (now >= window.openedAt + windowMs) {
      window = { openedAt: now, used: 0 };
      windows += 1;
    }
    const allowed = window.used < limit;
    if (allowed) window.used += 1;
    return { allowed, remaining: limit - window.used };
  };
  const left = () => (clock.now() >= window.openedAt + windowMs ? limit : limit - window.used);
  const others = (): void => {
    if (left() > untouched) take();
    clock.at(clock.now() + (windowMs / (limit * options.othersShare)) * (0.5 + random()), others);
  };
  if (options.othersShare > 0) clock.at(START + options.othersFromMs, others);

  const link = new ObservedPlatform({
    clock: local,
    basePath: '',
    reserve: () => reserve,
    assumedLimit: limit,
    onExchange: () => undefined,
  });
  const queue = new RequestQueue({ clock: local, scopes: link.scopes, concurrency: options.concurrency });
  const exchange = async (permitted: boolean): Promise<void> => {
    const startedAt = local.now();
    await clock.sleep(latencyMs * (1 + random()));
    const arrivedAt = clock.now();
    const { allowed, remaining } = take();
    operations += 1;
    if (!allowed) refusals += 1;
    const rate = { limit, remaining, resetAt: window.openedAt + windowMs };
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
  for (let worker = 0; worker < workers; worker += 1) void work(local.now(), worker >= forbiddenWorkers);
  await clock.run(START + forMs);
  return { operations, refusals, windows };
}
