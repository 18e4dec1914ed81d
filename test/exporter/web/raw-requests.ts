import { connect } from 'node:net';

/** Returns deterministic random numbers from 0 to 1 (mulberry32). A failure can be repeated with its seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'get',
  'PRI',
  '',
  'G\0T',
];
const TARGETS = [
  '/metrics',
  '/',
  '/-/healthy',
  '/-/ready',
  '/-/reload',
  '/api/v1/status',
  '/?q=shop&page=2',
  '/?page=-1&q=%ff%00',
  '*',
  '//',
  '/%',
  '/..%2f..%2fetc/passwd',
  'http://elsewhere/metrics',
  'http://[::1',
  `/${'a'.repeat(9_000)}`,
  '/é',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP', ''];
const HEADERS = [
  'Host: x',
  'Host: x',
  'Host:',
  'Host: a\r\nHost: b',
  'Connection: close',
  'Connection: keep-alive, upgrade\r\nUpgrade: websocket',
  'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Expect: 100-continue',
  'Expect: everything',
  'Accept: application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1',
  'Accept: ;;;q=,,,=',
  'Accept-Encoding: gzip;q=NaN, *;q=0',
  'Accept-Encoding: gzip',
  'Authorization: Basic dXNlcjpwYXNz',
  'Authorization: Basic ====',
  'Authorization: Bearer x',
  'If-None-Match: *',
  'If-Match: "x"',
  'If-Modified-Since: never',
  'Range: bytes=0-1',
  'Range: bytes=5-1,9-',
  'Origin: null',
  'Origin: http://x',
  `Cookie: ${'c'.repeat(20_000)}`,
  'X: \u0001\u0002',
  ' folded: yes',
  'no colon',
  ': no name',
];
const BODIES = [
  '',
  '',
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\n',
  '0\r\n\r\n',
  'fffffffffffffff\r\nx',
  '\0'.repeat(100),
];

/** Returns the bytes that a client sends: one request, several at once, or noise. */
export function rawRequest(random: () => number): Buffer {
  const one = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const request = () => {
    const headers = Array.from({ length: Math.floor(random() * 6) }, () => one(HEADERS));
    const head = [`${one(METHODS)} ${one(TARGETS)} ${one(VERSIONS)}`, ...headers].join('\r\n');
    return `${head}\r\n\r\n${one(BODIES)}`;
  };
  const count = random() < 0.1 ? Math.ceil(random() * 40) : 1;
  const bytes = Buffer.from(Array.from({ length: count }, request).join(''));
  if (random() < 0.4) {
    const flips = Math.ceil(random() * 8);
    for (let i = 0; i < flips; i++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  }
  return random() < 0.15 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

/**
 * Sends `bytes` over a new connection, whole or in pieces, and then closes or resets the connection.
 * @returns the start of the answer; empty if there is none
 */
export function sendRaw(port: number, bytes: Buffer, random: () => number): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      const cut = random() < 0.2 ? Math.floor(random() * bytes.length) : bytes.length;
      socket.write(bytes.subarray(0, cut));
      const rest = bytes.subarray(cut);
      const leave = random();
      if (leave < 0.1) socket.resetAndDestroy();
      else if (leave < 0.3) socket.end(rest);
      else socket.write(rest);
    });
    // A client without an answer has sent only part of a request, so it must wait. Many short waits give the
    // server in this process as many turns on a busy machine.
    let waits = 0;
    const wait = () => {
      if (waits++ < 10) timer = setTimeout(wait, 25);
      else socket.destroy();
    };
    let timer = setTimeout(wait, 25);
    socket.on('data', (data) => {
      if (answer.length < 200) answer += data.toString('latin1', 0, 200);
      waits = 0;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

/**
 * Sends `count` requests made from `seed`, several at a time. Returns the number of answers by status; status
 * 0 counts requests without an answer.
 */
export async function fuzz(port: number, count: number, seed: number): Promise<Map<number, number>> {
  const random = randomNumbers(seed);
  const statuses = new Map<number, number>();
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const answer = await sendRaw(port, rawRequest(random), random);
      const status = answer === '' ? 0 : Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? Number.NaN);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
  return statuses;
}
