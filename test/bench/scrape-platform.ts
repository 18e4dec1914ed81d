/** A platform in a process of its own, which costs the exporter no CPU: what is measured is the exporter, not who it asks. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnswersSent } from './scrape-answers.ts';
import { monotonicMs } from './statistics.ts';

export interface PlatformOptions {
  /** Of each account. */
  readonly configurations: number;
  /** How long (ms) a read takes; none by default. */
  readonly readMs?: number;
  /** By how much (ms) its clock is ahead of the machine's: its buckets close at another moment than our minute begins. */
  readonly aheadMs?: number;
  /** Operations that each token has in a rate-limit window; a million by default. */
  readonly limit?: number;
  /** Whether reads are not answered until the parent sends anything; no by default. */
  readonly holdsReads?: boolean;
  /** One read in so many fails; none by default. */
  readonly faultEvery?: number;
}

const MINUTE_MS = 60_000;
const LIMIT = 1_000_000;
const CODES = Array.from({ length: 24 }, (_, index) =>
  String(200 + 100 * (index % 4) + Math.floor(index / 4)),
);

/** Series that the exporter makes of one configuration: each code as a gauge and a counter, the newest bucket, the info. */
export const SERIES_PER_CONFIGURATION = 2 * CODES.length + 2;

/** Where the latest answer to a read is shown. */
export const LATEST_ANSWER = '/latest-answer';

/** The same, told to the parent as an answer to a read. */
export const COUNTED_ANSWER = '/counted-answer';

/** Answers of a window, which are the same for all configurations. */
const answers = new Map<string, string>();

/** The answer to a read, by the query of its address. */
export function answerTo(search: string): string {
  const known = answers.get(search);
  if (known !== undefined) return known;
  const parameters = new URLSearchParams(search);
  const [from = 0, to = 0] = ['date_from', 'date_to'].map((name) => timeOf(parameters.get(name) ?? ''));
  const minutes: number[] = [];
  for (let minute = Math.ceil(from / MINUTE_MS) * MINUTE_MS; minute < to; minute += MINUTE_MS)
    minutes.push(minute);
  const series = CODES.map((code, index) => [
    code,
    minutes.map((minute) => [minute, (Math.imul(minute / MINUTE_MS + index, 0x9e3779b1) >>> 8) % 100_000]),
  ]);
  const answer = JSON.stringify(Object.fromEntries(series));
  if (answers.size > 100) answers.clear();
  answers.set(search, answer);
  return answer;
}

/** Times come with or without a zone, and mean UTC. */
function timeOf(text: string): number {
  return Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
}

/** The ids of so many configurations. */
export function idsOf(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 1_600_000_000 + index * 7919);
}

/** The list of an account's configurations. */
export function configurationsOf(token: string, count: number): string {
  return JSON.stringify(
    idsOf(count).map((id, index) => ({
      id,
      name: `shop-${token.split('-').at(-1)}-${index}.example.com`,
      active: true,
      domains: [],
    })),
  );
}

/** A rate-limit window of each token: a minute from its first operation, by the platform's clock. */
class RateLimitWindows {
  readonly #limit: number;
  readonly #windows = new Map<string, { readonly resetAt: number; left: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts an operation; what the platform's headers say of it. */
  headersFor(token: string, now: number): Record<string, string> {
    const known = this.#windows.get(token);
    const open = known !== undefined && known.resetAt > now;
    const window = open ? known : { resetAt: now + MINUTE_MS, left: this.#limit };
    if (!open) this.#windows.set(token, window);
    window.left = Math.max(0, window.left - 1);
    return {
      'x-ratelimit-limit': `${this.#limit}`,
      'x-ratelimit-remaining': `${window.left}`,
      'x-ratelimit-reset': new Date(window.resetAt).toISOString(),
    };
  }
}

export function reply(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

/** Ways to fail a read, in turn: no answer, none of its own, half of one, and none that is JSON. */
const FAULTS: readonly ((response: ServerResponse) => unknown)[] = [
  () => undefined,
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy()),
  (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
];

/** Tells the parent its port, and then when it answered reads. */
export function servePlatform(options: PlatformOptions): void {
  const { configurations, readMs = 0, aheadMs = 0, faultEvery = Number.POSITIVE_INFINITY } = options;
  const windows = new RateLimitWindows(options.limit ?? LIMIT);
  let reads = 0;
  let answered: number[] = [];
  const released = options.holdsReads ? once(process, 'message') : undefined;
  const answer = (response: ServerResponse, search: string) => {
    answered.push(monotonicMs());
    reply(response, answerTo(search));
  };
  const server = createServer((request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split('?');
    const token = request.headers.authorization ?? '';
    const now = Date.now() + aheadMs;
    response.setHeader('date', new Date(now).toUTCString());
    for (const [name, value] of Object.entries(windows.headersFor(token, now)))
      response.setHeader(name, value);
    if (path === LATEST_ANSWER) return reply(response, [...answers.values()].at(-1) ?? '{}');
    if (path === COUNTED_ANSWER) {
      answered.push(monotonicMs());
      return reply(response, [...answers.values()].at(-1) ?? '{}');
    }
    if (path.endsWith('/configurations')) return reply(response, configurationsOf(token, configurations));
    reads += 1;
    if (reads % faultEvery === 0) FAULTS[(reads / faultEvery) % FAULTS.length]?.(response);
    else if (released !== undefined) void released.then(() => answer(response, search));
    else if (readMs === 0) answer(response, search);
    else setTimeout(answer, readMs, response, search);
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  setInterval(() => {
    if (answered.length > 0) process.send?.({ answered } satisfies AnswersSent);
    answered = [];
  }, 10);
}
