import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, NOON, startBench } from '../client.ts';

const LIMITS = { reads: 3, writes: 2, purges: 1 };

describe('the rate limit', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  const read = () => bench.get('/domains');
  const quotaLeft = async () => {
    const { status, headers } = await read();
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
  };

  it('counts down in its headers and then answers 429', async () => {
    bench = await startBench({ rateLimit: LIMITS });
    expect(await quotaLeft()).toEqual([200, '3', '2']);
    expect(await quotaLeft()).toEqual([200, '3', '1']);
    expect(await quotaLeft()).toEqual([200, '3', '0']);
    expect(await quotaLeft()).toEqual([429, '3', '0']);
    expect(bench.sandbox.requests.byStatus).toEqual(
      new Map([
        [200, 3],
        [429, 1],
      ]),
    );
  });

  it('opens a window of a minute with the first operation, and another after it', async () => {
    bench = await startBench({ rateLimit: { ...LIMITS, reads: 1 } });
    expect((await read()).headers.get('x-ratelimit-reset')).toBe('2026-11-20T12:35:20.000207');
    bench.time = NOON + 59_999;
    expect((await read()).status).toBe(429);
    bench.time = NOON + 75_000;
    const next = await read();
    expect([next.status, next.headers.get('x-ratelimit-reset')]).toEqual([200, '2026-11-20T12:36:35.000207']);
  });

  it('is apart for reads, writes and purges, and for every token', async () => {
    bench = await startBench({ rateLimit: LIMITS, tokens: [{ token: 'sandbox-token' }, { token: 'other' }] });
    for (let spent = 0; spent < 4; spent++) await read();
    const write = await bench.call('DELETE', '/domains/1');
    expect([write.status, write.headers.get('x-ratelimit-limit')]).toEqual([404, '2']);
    expect((await bench.get('/domains', 3, { authorization: 'Token other' })).status).toBe(200);
    const purge = await bench.call('POST', '/purge/wildcard', { body: {} });
    expect(purge.headers.get('x-ratelimit-limit')).toBe('1');
  });

  it('can write the reset with a zone and the names as documented', async () => {
    bench = await startBench({ resetFormat: 'zulu', headerCase: 'documented' });
    expect((await read()).headers.get('x-ratelimit-reset')).toBe('2026-11-20T12:35:20.000Z');
    const raw = await rawHeaders(bench.url);
    expect(raw).toContain('X-ratelimit-remaining');
    bench.sandbox.settings.headerCase = 'recorded';
    expect(await rawHeaders(bench.url)).toContain('X-RateLimit-Remaining');
  });

  it('can send no headers at all', async () => {
    bench = await startBench({ rateHeaders: 'absent' });
    expect([...(await read()).headers.keys()].filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  it.each([
    ['absent', null],
    ['reset', '45'],
    [7, '7'],
  ] as const)('tells when to come back as set: %s', async (retryAfter, expected) => {
    bench = await startBench({ rateLimit: { ...LIMITS, reads: 1 }, retryAfter });
    await read();
    bench.time += 15_000;
    expect((await read()).headers.get('retry-after')).toBe(expected);
  });

  it('can be changed at any time', async () => {
    bench = await startBench({ rateLimit: LIMITS });
    await read();
    await bench.call('PATCH', '/_sandbox/settings', { body: { rate_limit: { ...LIMITS, reads: 80 } } });
    expect(await quotaLeft()).toEqual([200, '80', '78']);
  });

  it('has windows that another client of the token opens, where its operation comes first', async () => {
    bench = await startBench({
      rateLimit: { ...LIMITS, reads: 10 },
      faults: { other_consumer: { share: 0.5 } },
    });
    expect(await quotaLeft()).toEqual([200, '10', '9']);
    bench.time += 3 * 60_000 + 30_000;
    expect(await quotaLeft()).toEqual([200, '10', '6']);
  });

  it('is shared with another client of the token, which takes a share of it', async () => {
    bench = await startBench({
      rateLimit: { ...LIMITS, reads: 10 },
      faults: { other_consumer: { share: 0.8 } },
    });
    expect(await quotaLeft()).toEqual([200, '10', '9']);
    bench.time += 30_000;
    expect(await quotaLeft()).toEqual([200, '10', '4']);
    bench.time += 29_999;
    expect(await quotaLeft()).toEqual([200, '10', '0']);
    expect(await quotaLeft()).toEqual([429, '10', '0']);
  });
});

/** The names as they are sent. */
async function rawHeaders(url: string): Promise<string[]> {
  const { request } = await import('node:http');
  const headers = { accept: 'application/json; version=3', authorization: 'Token sandbox-token' };
  return new Promise((resolve, reject) => {
    request(`${url}/domains`, { headers, agent: false }, (answer) => resolve(answer.resume().rawHeaders))
      .on('error', reject)
      .end();
  });
}
