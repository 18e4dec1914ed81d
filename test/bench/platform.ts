/** Platform in its own process, so that it costs the exporter no CPU. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MINUTE_MS = 60_000;
const LIMIT = 1_000_000;
const CODES = Array.from({ length: 24 }, (_, index) =>
  String(200 + 100 * (index % 4) + Math.floor(index / 4)),
);

/**
 * Number of series that the exporter exposes for one configuration: gauge and counter per code, the newest
 * bucket, and the info metric.
 */
export const SERIES_PER_CONFIGURATION = 2 * CODES.length + 2;

const answers = new Map<string, string>();

function answerTo(search: string): string {
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

/**
 * Serves the given number of configurations for each token, without a rate limit. Sends its port to the
 * parent process.
 */
export function servePlatform(configurations: number): void {
  const server = createServer((request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split('?');
    const now = Date.now();
    const isList = path.endsWith('/configurations');
    const body = isList
      ? configurationsOf(request.headers.authorization ?? '', configurations)
      : answerTo(search);
    response.writeHead(200, {
      date: new Date(now).toUTCString(),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-ratelimit-limit': `${LIMIT}`,
      'x-ratelimit-remaining': `${LIMIT - 1}`,
      'x-ratelimit-reset': new Date(now + MINUTE_MS).toISOString(),
    });
    response.end(body);
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}
