import { type Clock, Timer } from '../clock.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { type Decision, decide, type QueuedRequest } from './decision.ts';
import type { LimitScope, LimitScopes } from './limit-scopes.ts';

export interface RequestQueueOptions {
  readonly clock: Clock;
  readonly scopes: LimitScopes;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Resolves to true if the token differs from the one that the platform refused last. */
  readonly tokenRenewed?: () => Promise<boolean>;
}

/** Decision on one request, and its position in the queue. */
export interface RequestDecision extends Decision {
  /** True if it is the first request with the same kind of wait reason. */
  readonly next: boolean;
  /** Number of more urgent requests in its limit scope. */
  readonly ahead: number;
}

/** Interval (ms) of checks for a new token while requests wait because of a refused one. */
const TOKEN_CHECK_MS = 1_000;

/**
 * Queue in which every request of an account waits for its turn: for the allowance of its limit scope, for pacing, and for the
 * concurrency limit. One decision sends requests, sets the timer, and is displayed on the status page.
 */
export class RequestQueue {
  readonly #options: RequestQueueOptions;
  readonly #waiting = new QueuedRequests();
  readonly #concurrency: ConcurrencyLimit;
  readonly #timer: Timer;
  #reviewComes = false;
  #tokenCheckAt = 0;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
    this.#concurrency = new ConcurrencyLimit(options.concurrency);
    this.#timer = new Timer(options.clock, () => this.review());
  }

  /** Maximum number of requests in flight. */
  get concurrency(): number {
    return this.#concurrency.limit;
  }

  /** Returns the number of waiting requests that are due. @param scopeName limit scope; default: all scopes */
  waiting(now: number, scopeName?: string): number {
    const { scopes } = this.#options;
    return this.#waiting.count(
      now,
      (group) => scopeName === undefined || scopes.of(group).name === scopeName,
    );
  }

  /** Returns the time (local ms) until which no waiting request is sent; undefined if none waits, or only for a connection. */
  restsUntil(now: number): number | undefined {
    const next = this.#choose(now);
    return typeof next === 'number' && Number.isFinite(next) ? next : undefined;
  }

  /** Returns a function that decides if a waiting request may be sent now, or why not. Changes nothing. */
  decide(now: number): (request: QueuedRequest) => RequestDecision {
    const { scopes } = this.#options;
    const decide = this.#decisions(now);
    const heads = this.#waiting.heads(now);
    let positions: ReadonlyMap<QueuedRequest, number> | undefined;
    return (request) => {
      const decision = decide(request);
      const scope = scopes.of(request.group);
      const isRival = ({ request: other }: QueueEntry) =>
        isOfScope(decision) ? scopes.of(other.group) === scope : !isOfScope(decide(other));
      const next = heads.find(isRival)?.request === request;
      // Positions are computed only when needed, once for all requests.
      positions ??= this.#positions(now);
      return { ...decision, next, ahead: positions.get(request) ?? 0 };
    };
  }

  /** Returns the number of more urgent requests in the same limit scope, by waiting request. */
  #positions(now: number): ReadonlyMap<QueuedRequest, number> {
    const { scopes } = this.#options;
    const counts = new Map<LimitScope, number>();
    const positions = new Map<QueuedRequest, number>();
    for (const { request } of this.#waiting.inOrder(now)) {
      const scope = scopes.of(request.group);
      const ahead = counts.get(scope) ?? 0;
      positions.set(request, ahead);
      counts.set(scope, ahead + 1);
    }
    return positions;
  }

  /** Resolves when the request may be sent, with a function that the caller must call once when the request ends. */
  turn(request: QueuedRequest, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        this.#waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: QueueEntry = {
        request,
        leave: () => {
          signal.removeEventListener('abort', abort);
          resolve(this.#send(request));
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#concurrency.register(request.group);
      this.#waiting.add(entry, this.#options.clock.now());
      this.#reviewSoon();
    });
  }

  /** Sends every request that may be sent, and sets the timer for the next one. */
  review(now = this.#options.clock.now()): void {
    let until = this.#waiting.admit(now);
    for (let next = this.#choose(now); ; next = this.#choose(now)) {
      if (typeof next === 'number') {
        until = Math.min(until, next);
        break;
      }
      this.#waiting.delete(next);
      next.leave();
    }
    this.#timer.set(Math.min(until, this.#checkToken(now)));
  }

  /** Clears the timer, so that it does not prevent the process from exiting. */
  stop(): void {
    this.#timer.set(Number.POSITIVE_INFINITY);
  }

  /** Schedules one review for all requests of the same moment, so that the most urgent goes first, not the first to ask. */
  #reviewSoon(): void {
    if (this.#reviewComes) return;
    this.#reviewComes = true;
    queueMicrotask(() => {
      this.#reviewComes = false;
      this.review();
    });
  }

  /** Returns the most urgent request that may be sent now, or the earliest time (local ms) of the next decision. */
  #choose(now: number): QueueEntry | number {
    if (this.#concurrency.full) return Number.POSITIVE_INFINITY;
    const decide = this.#decisions(now);
    let until = Number.POSITIVE_INFINITY;
    const candidates = this.#waiting.heads(now).filter(({ request }) => {
      const decision = decide(request);
      if (decision.free === 0) until = Math.min(until, decision.until);
      return decision.free > 0;
    });
    return this.#options.scopes.token.choose(candidates) ?? until;
  }

  #decisions(now: number): (request: QueuedRequest) => Decision {
    const { token, platformClock } = this.#options.scopes;
    const concurrency = this.#concurrency;
    const ofScopes = new Map<LimitScope, (request: QueuedRequest) => Decision>();
    return (request) => {
      const scope = this.#options.scopes.of(request.group);
      const { limiter } = scope;
      const ofScope = ofScopes.get(scope) ?? decide({ token, limiter, concurrency, platformClock }, now);
      ofScopes.set(scope, ofScope);
      return ofScope(request);
    };
  }

  /** Checks for a new token while requests wait because of a refused one. Returns the time (local ms) of the next check. */
  #checkToken(now: number): number {
    const { scopes, tokenRenewed } = this.#options;
    const refused = scopes.token.probeAt > now && this.waiting(now) > 0;
    if (!refused || tokenRenewed === undefined) return Number.POSITIVE_INFINITY;
    if (now >= this.#tokenCheckAt) {
      this.#tokenCheckAt = now + TOKEN_CHECK_MS;
      void tokenRenewed().then((renewed) => {
        if (!renewed) return;
        scopes.token.renew();
        this.review();
      });
    }
    return this.#tokenCheckAt;
  }

  #send({ group }: QueuedRequest): () => void {
    const { clock, scopes } = this.#options;
    const now = clock.now();
    scopes.token.send(now);
    const answered = scopes.of(group).limiter.send(now);
    const ended = this.#concurrency.send(group, now);
    return () => {
      const endedAt = clock.now();
      answered();
      ended(endedAt);
      this.review(endedAt);
    };
  }
}

/** Returns true if the wait reason applies to the whole scope, unlike waiting for a connection. */
function isOfScope({ why }: Decision): boolean {
  return why !== undefined && why !== 'connections';
}

/** Waiting request, and the function that sends it. */
interface QueueEntry {
  readonly request: QueuedRequest;
  readonly leave: () => void;
}

/** Waiting requests, in a list for each group and weight. Within a list the order never changes, so only its head can be next. */
class QueuedRequests {
  /** Due requests, the oldest first. */
  readonly #sorted = new Map<string, QueueEntry[]>();
  /** Requests that are not due yet, the next one last. */
  readonly #early: QueueEntry[] = [];

  add(entry: QueueEntry, now: number): void {
    if (entry.request.notBefore > now) insert(this.#early, entry, (other) => -other.request.notBefore);
    else this.#sortIn(entry);
  }

  delete(entry: QueueEntry): void {
    // A request that is sent is usually at the head of a list; only an aborted one may not be due yet.
    if (!remove(this.#sorted.get(keyOf(entry.request)) ?? [], entry)) remove(this.#early, entry);
  }

  /** Moves due requests to the lists. Returns the time (local ms) of the next one; Infinity if there is none. */
  admit(now: number): number {
    for (;;) {
      const next = this.#early.at(-1);
      if (next === undefined) return Number.POSITIVE_INFINITY;
      if (next.request.notBefore > now) return next.request.notBefore;
      this.#early.pop();
      this.#sortIn(next);
    }
  }

  /** Returns the most urgent request of each group and weight, the most urgent first. */
  heads(now: number): QueueEntry[] {
    this.admit(now);
    const heads = [...this.#sorted.values()].flatMap(([head]) => head ?? []);
    return heads.sort((a, b) => urgencyOf(b, now) - urgencyOf(a, now));
  }

  /** Returns all due requests, the most urgent first. */
  inOrder(now: number): QueueEntry[] {
    this.admit(now);
    return [...this.#sorted.values()].flat().sort((a, b) => urgencyOf(b, now) - urgencyOf(a, now));
  }

  /** Returns the number of due requests of matching groups. */
  count(now: number, matches: (group: string) => boolean): number {
    this.admit(now);
    let count = 0;
    for (const list of this.#sorted.values()) {
      if (list[0] !== undefined && matches(list[0].request.group)) count += list.length;
    }
    return count;
  }

  #sortIn(entry: QueueEntry): void {
    const key = keyOf(entry.request);
    const list = this.#sorted.get(key) ?? [];
    this.#sorted.set(key, list);
    insert(list, entry, (other) => other.request.since);
  }
}

/** Removes an entry. Returns true if the list contained it. */
function remove(entries: QueueEntry[], entry: QueueEntry): boolean {
  const index = entries.indexOf(entry);
  if (index >= 0) entries.splice(index, 1);
  return index >= 0;
}

/** Returns the urgency of a request: its weight times the age of its data. */
function urgencyOf({ request: { weight, since } }: QueueEntry, now: number): number {
  return weight * (now - since);
}

function keyOf({ group, weight }: QueuedRequest): string {
  return `${weight} ${group}`;
}

/** Inserts an entry behind all entries of the same or a lower rank. */
function insert(list: QueueEntry[], entry: QueueEntry, rank: (entry: QueueEntry) => number): void {
  const mine = rank(entry);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && rank(other) > mine) high = middle;
    else low = middle + 1;
  }
  list.splice(low, 0, entry);
}
