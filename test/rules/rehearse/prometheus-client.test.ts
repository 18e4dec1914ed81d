import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../../src/exporter/secret.ts';
import { type Login, PrometheusClient } from '../../../src/rules/rehearse/prometheus-client.ts';

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly parameters: URLSearchParams;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function served(reply: (asked: Asked) => Reply, login?: Login) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let form = '';
    for await (const piece of request) form += piece;
    const one = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      parameters: new URLSearchParams(form),
    };
    asked.push(one);
    const { status = 200, headers = {}, body } = reply(one);
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  const client = new PrometheusClient({ url, login, ca: undefined }, new AbortController().signal);
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  return { client, url, asked };
}

function matrix(...result: readonly object[]): Reply {
  return { body: { status: 'success', data: { resultType: 'matrix', result } } };
}

const HOUR = { from: 0, to: 3_600_000 };

it('asks for every minute of a range, with the login, below the path prefix', async () => {
  const { client, asked } = await served(
    () =>
      matrix({
        metric: { __name__: 'a', x: '1' },
        values: [
          [60, '5'],
          [120, '+Inf'],
          [180, 'NaN'],
        ],
      }),
    { kind: 'basic', username: 'me', password: new Secret('secret') },
  );
  const [series] = await client.range('a', HOUR);
  expect(series?.labels).toEqual({ x: '1' });
  expect([...(series?.times ?? [])]).toEqual([60_000, 120_000, 180_000]);
  expect([...(series?.values ?? [])]).toEqual([5, Number.POSITIVE_INFINITY, Number.NaN]);
  expect(asked[0]?.path).toBe('/prefix/api/v1/query_range');
  expect(Object.fromEntries(asked[0]?.parameters ?? [])).toEqual({
    query: 'a',
    start: '0',
    end: '3600',
    step: '60',
  });
  expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`);
});

it('asks in halves for what is too much at once, and puts them together', async () => {
  const { client, asked } = await served(({ parameters }) => {
    const [start, end] = [Number(parameters.get('start')), Number(parameters.get('end'))];
    if (end - start > 1_000) {
      const error = 'query processing would load too many samples into memory in query execution';
      return { status: 422, body: { status: 'error', errorType: 'execution', error } };
    }
    const values = Array.from({ length: (end - start) / 60 + 1 }, (_, at) => [start + at * 60, '1']);
    return matrix({ metric: { x: '1' }, values });
  });
  const found = await client.range('a', HOUR);
  expect(found).toHaveLength(1);
  expect([...(found[0]?.times ?? [])]).toEqual(Array.from({ length: 61 }, (_, minute) => minute * 60_000));
  expect(asked.length).toBeGreaterThan(3);
});

it.each([
  [401, 'no', 'the login is refused (status 401): give --prometheus.bearer-token-file'],
  [404, 'not here', 'there is no Prometheus API (status 404): --prometheus.url may lack a path prefix'],
  [302, '', 'redirects (status 302) are not followed'],
  [200, '<html>', "the answer is not Prometheus' (status 200)"],
  [
    400,
    { status: 'error', errorType: 'bad_data', error: 'parse error' },
    'refuses a query: parse error (bad_data)',
  ],
] as const)('an answer with status %i says what to do', async (status, body, sentence) => {
  const { client, asked } = await served(() => ({ status, headers: { location: '/elsewhere' }, body }));
  await expect(client.range('a', HOUR)).rejects.toThrow(sentence);
  expect(asked).toHaveLength(1);
});

it('an address at which nobody listens is told, with what to check', async () => {
  const client = new PrometheusClient(
    { url: 'http://127.0.0.1:1', login: undefined, ca: undefined },
    new AbortController().signal,
  );
  onTestFinished(() => client.close());
  await expect(client.names(HOUR)).rejects.toThrow(
    'Prometheus cannot be reached at http://127.0.0.1:1: connection refused. Check --prometheus.url',
  );
});
