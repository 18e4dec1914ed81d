import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, NOON, startBench } from './client.ts';

describe('the control endpoint', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ rateLimit: { reads: 0, writes: 0, purges: 0 } });
  });
  afterAll(() => bench.close());

  const nobody = { authorization: '' };
  const patch = (path: string, body: unknown) => bench.call('PATCH', path, { body, headers: nobody });

  it('turns faults on, one by one off, and all off', async () => {
    await patch('/_sandbox/faults', { latency: { ms: 5 }, timeout: { probability: 0 } });
    const changed = await patch('/_sandbox/faults', { latency: null });
    expect(changed.json()).toEqual({ timeout: { probability: 0 } });
    expect((await bench.call('DELETE', '/_sandbox/faults', { headers: nobody })).json()).toEqual({});
    expect((await bench.get('/_sandbox/faults', 3, nobody)).json()).toEqual({});
  });

  it('explains what it does not understand, and changes nothing', async () => {
    const wrong = await patch('/_sandbox/faults', { latency: { ms: -1 }, gremlins: {} });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('latency.ms');
    expect(wrong.text).toContain('gremlins');
    expect(bench.sandbox.faults.current).toEqual({});
    expect((await patch('/_sandbox/settings', { metrics_shape: 'round' })).status).toBe(400);
  });

  it('changes settings', async () => {
    expect((await patch('/_sandbox/settings', { settle_ms: 0 })).json()).toMatchObject({ settle_ms: 0 });
    expect(bench.sandbox.settings.settleMs).toBe(0);
  });

  it('lets an attack happen, and tells the truth about it', async () => {
    const [domain] = bench.sandbox.account.domains;
    const path = `/_sandbox/truth?api=metrics&product=1441740010&configuration=${domain?.id}&metric=waf`;
    const window = `&from=${NOON}&to=2026-11-20T12:36:00Z`;
    const threats = async () =>
      ((await bench.get(path + window, 3, nobody)).json() as { threats: [number, number][] }).threats;
    const before = await threats();
    const event = {
      kind: 'waf_attack',
      configuration: domain?.id,
      from: NOON - 20_000,
      to: '2026-11-20T13:00:00Z',
      per_minute: 600,
    };
    expect((await bench.call('POST', '/_sandbox/events', { body: event, headers: nobody })).status).toBe(201);
    expect(await threats()).toEqual(before.map(([time, value]) => [time, value + 600]));
    expect((await bench.get('/_sandbox/events', 3, nobody)).json()).toHaveLength(1);
  });

  it('answers 404 for truths that there are not', async () => {
    const path = '/_sandbox/truth?api=metrics&product=5&configuration=product&metric=waf&from=0&to=1';
    expect((await bench.get(path, 3, nobody)).status).toBe(404);
    const event = { kind: 'outage', configuration: 5, from: 0, to: 1 };
    expect((await bench.call('POST', '/_sandbox/events', { body: event, headers: nobody })).status).toBe(404);
  });

  it('refuses an event that would change nothing, and says what it lacks', async () => {
    const happening = { configuration: 5, from: NOON, to: NOON + 60_000 };
    const refused = async (event: object) => {
      const body = { ...happening, ...event };
      const { status, text } = await bench.call('POST', '/_sandbox/events', { body, headers: nobody });
      return { status, text };
    };
    const text = (about: string) => ({ status: 400, text: expect.stringContaining(about) as string });
    expect(await refused({ kind: 'waf_attack' })).toEqual(
      text('expected how many requests a minute it adds\n  → at per_minute'),
    );
    expect(await refused({ kind: 'surge', per_minute: 0 })).toEqual(text('at per_minute'));
    expect(await refused({ kind: 'outage', per_minute: 5 })).toEqual(text('"per_minute"'));
    expect(await refused({ kind: 'outage', to: NOON })).toEqual(text('expected a time after `from`'));
    expect(await refused({ kind: 'flood' })).toEqual(text('waf_attack'));
  });

  it('shows what was asked, itself left out', async () => {
    await bench.get('/domains?page=1');
    expect((await bench.get('/_sandbox/requests', 3, nobody)).json()).toEqual({
      total: 1,
      by_status: { 429: 1 },
      by_method: { GET: 1 },
      recent: [
        { time: NOON, method: 'GET', path: '/domains', query: 'page=1', status: 429, authorization: 'token' },
      ],
    });
  });

  it('forgets what was asked when told to', async () => {
    expect((await bench.call('DELETE', '/_sandbox/requests', { headers: nobody })).json()).toMatchObject({
      total: 0,
      recent: [],
    });
  });
});
