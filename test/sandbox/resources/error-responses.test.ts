import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';

const PATH = '/content_delivery/configurations/1528990720/error_responses';
const TIMES = {
  cache_error_400: 1,
  cache_error_403: 2,
  cache_error_404: 3,
  cache_error_405: 4,
  cache_error_414: 5,
  cache_error_416: 6,
  cache_error_501: 7,
};

describe('error responses', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(() => bench.close());

  it('are overwritten as a whole and updated in part', async () => {
    const put = await bench.call('PUT', PATH, { version: 1, body: TIMES });
    expect([put.status, put.json()]).toEqual([200, TIMES]);
    const patched = await bench.call('PATCH', PATH, { version: 1, body: { cache_error_404: 3600 } });
    expect([patched.status, patched.json()]).toEqual([200, { ...TIMES, cache_error_404: 3600 }]);
    expect((await bench.get(PATH, 1)).json()).toEqual({ ...TIMES, cache_error_404: 3600 });
  });

  it('refuse an overwrite with a field missing, and times that are none', async () => {
    const put = await bench.call('PUT', PATH, { version: 1, body: { ...TIMES, cache_error_501: undefined } });
    expect([put.status, put.json()]).toEqual([400, { cache_error_501: ['This field is required.'] }]);
    const patched = await bench.call('PATCH', PATH, { version: 1, body: { cache_error_404: -1 } });
    expect(patched.status).toBe(400);
  });

  it('belong to configurations that exist', async () => {
    expect((await bench.get('/content_delivery/configurations/5/error_responses', 1)).status).toBe(404);
    expect((await bench.get('/content_delivery/configurations/1528990721/error_responses', 1)).status).toBe(
      200,
    );
  });
});
