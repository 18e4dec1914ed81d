/** A platform that answers at once, in a process of its own: what is measured is the exporter, not who it asks. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const MINUTE_MS = 60_000;
const CODES = Array.from({ length: 24 }, (_, index) =>
  String(200 + 100 * (index % 4) + Math.floor(index / 4)),
);

/** Series that the exporter makes of one configuration: each code as a gauge and a counter, the newest bucket, the info. */
export const SERIES_PER_CONFIGURATION = 2 * CODES.length + 2;

/** Where the latest answer to a read is shown. */
export const LATEST_ANSWER = '/latest-answer';

/** Answers of a window, which are the same for all configurations. */
const answers = new Map<string, string>();

function seriesOf(search: string): string {
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

function configurationsOf(token: string, count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      id: 1_600_000_000 + index * 7919,
      name: `shop-${token.split('-').at(-1)}-${index}.example.com`,
      active: true,
      domains: [],
    })),
  );
}

function reply(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-ratelimit-limit': '1000000',
    'x-ratelimit-remaining': '1000000',
    'x-ratelimit-reset': new Date(Date.now() + MINUTE_MS).toISOString(),
  });
  response.end(body);
}

/** Ways to fail a read, in turn: no answer, none of its own, half of one, and none that is JSON. */
const FAULTS: readonly ((response: ServerResponse) => unknown)[] = [
  () => undefined,
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy()),
  (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
];

/**
 * Serves accounts of so many configurations each, and tells the parent its port and how many reads it answered.
 * @param faultEvery one read in so many fails; none by default
 */
export function servePlatform(configurations: number, faultEvery = Number.POSITIVE_INFINITY): void {
  let reads = 0;
  let told = 0;
  const server = createServer((request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split('?');
    if (path === LATEST_ANSWER) {
      reply(response, [...answers.values()].at(-1) ?? '{}');
      return;
    }
    if (path.endsWith('/configurations')) {
      reply(response, configurationsOf(request.headers.authorization ?? '', configurations));
      return;
    }
    reads += 1;
    if (reads % faultEvery === 0) FAULTS[(reads / faultEvery) % FAULTS.length]?.(response);
    else reply(response, seriesOf(search));
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  setInterval(() => {
    if (reads !== told) process.send?.({ reads });
    told = reads;
  }, 10);
}
