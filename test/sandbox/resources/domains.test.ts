import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';

const APPLICATION = 1528990720;

describe('domains', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.close());

  const create = (body: object) => bench.call('POST', '/domains', { body });
  const idOf = (body: unknown) => (body as { results: { id: number } }).results.id;

  it('are created with defaults, and read', async () => {
    const created = await create({ name: 'new', edge_application_id: APPLICATION });
    expect(created.status).toBe(201);
    const domain = {
      id: expect.any(Number),
      name: 'new',
      cnames: [],
      cname_access_only: false,
      digital_certificate_id: null,
      edge_application_id: APPLICATION,
      is_active: true,
      domain_name: expect.stringMatching(/^[0-9a-f]{7}\./),
    };
    expect(created.json()).toEqual({ results: domain, schema_version: 3 });
    expect((await bench.get(`/domains/${idOf(created.json())}`)).json()).toEqual(created.json());
  });

  it('take defaults for what an overwrite leaves out; an update keeps it', async () => {
    const cnames = ['a.example.com'];
    const id = idOf(
      (
        await create({ name: 'new', edge_application_id: APPLICATION, cnames, cname_access_only: true })
      ).json(),
    );
    const patched = await bench.call('PATCH', `/domains/${id}`, { body: { is_active: false } });
    expect(patched.json()).toMatchObject({
      results: { id, is_active: false, cnames, cname_access_only: true },
    });
    const put = await bench.call('PUT', `/domains/${id}`, {
      body: { name: 'newer', edge_application_id: APPLICATION },
    });
    expect(put.json()).toMatchObject({
      results: { id, name: 'newer', is_active: true, cnames: [], cname_access_only: false },
    });
  });

  it('are deleted for good', async () => {
    expect((await bench.call('DELETE', '/domains/1536580016')).status).toBe(204);
    expect((await bench.get('/domains/1536580016')).status).toBe(404);
  });

  it('are found by name: the one as an object, none as an empty list', async () => {
    expect((await bench.get('/domains/?name=shop')).json()).toMatchObject({ results: { name: 'shop' } });
    expect((await bench.get('/domains/?name=nothing')).json()).toMatchObject({ count: 0, results: [] });
    bench.sandbox.settings.byNameShape = 'list';
    expect((await bench.get('/domains/?name=shop')).json()).toMatchObject({
      count: 1,
      results: [{ name: 'shop' }],
    });
  });

  it('say by field what is wrong with a body', async () => {
    const answer = await create({ name: '', cnames: 'x' });
    expect([answer.status, answer.json()]).toEqual([
      400,
      {
        name: ['This field may not be blank'],
        cnames: [expect.any(String)],
        edge_application_id: ['This field is required.'],
      },
    ]);
    expect((await create({ name: 'new', edge_application_id: 5 })).json()).toHaveProperty(
      'edge_application_id',
    );
    const broken = await fetch(`${bench.url}/domains`, {
      method: 'POST',
      body: '{"name":',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json; version=3',
        authorization: 'token sandbox-token',
      },
    });
    expect([broken.status, await broken.json()]).toEqual([400, { detail: 'JSON parse error.' }]);
  });

  it('do not share a cname', async () => {
    const answer = await create({
      name: 'new',
      edge_application_id: APPLICATION,
      cnames: ['www.shop.example.com'],
    });
    expect(answer.status).toBe(409);
  });
});
