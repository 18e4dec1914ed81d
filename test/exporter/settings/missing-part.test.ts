import { describe, expect, it } from 'vitest';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { listOf, settingsBench } from './bench.ts';

describe('a zone whose records cannot be read', () => {
  const ZONES = {
    '/intelligent_dns': listOf({ id: 1, name: 'shop', domain: 'example.com', is_active: true }),
    '/intelligent_dns/1': { results: { nameservers: ['a', 'b'], expiry: 1_209_600 } },
  };
  const RECORDS = { results: { records: [{ record_type: 'A', ttl: 20 }] } };
  const zone = { zone_id: 1, zone: 'shop' };

  it.each([
    ['not found', new PlatformFailure('not_found', 'HTTP 404', 404), 'undecodable'],
    ['not answered', new PlatformFailure('server_error', 'HTTP 500', 500), 'server_error'],
    ['forbidden', new PlatformFailure('forbidden', 'HTTP 403', 403), 'undecodable'],
  ])('(%s) keeps all the rest, and the poll tells', async (_, failure, outcome) => {
    const bench = settingsBench('hosted_zones', { ...ZONES, '/intelligent_dns/1/records': failure });
    const { failure: told } = await bench.poll().catch((error: unknown) => ({ failure: error }));
    expect(told).toMatchObject({ outcome });
    expect(bench.value('edge_zone_expiry_seconds', zone)).toBe(1_209_600);
    expect(bench.value('edge_zone_records', { ...zone, record_type: 'A' })).toBeUndefined();
    bench.answers = { ...ZONES, '/intelligent_dns/1/records': RECORDS };
    bench.now += 3_600_000;
    await bench.poll();
    expect(bench.value('edge_zone_records', { ...zone, record_type: 'A' })).toBe(1);
    expect(bench.changes).toEqual([]);
  });

  it('for a moment keeps those that were read before', async () => {
    const bench = settingsBench('hosted_zones', { ...ZONES, '/intelligent_dns/1/records': RECORDS });
    await bench.poll();
    bench.answers = {
      ...ZONES,
      '/intelligent_dns/1/records': new PlatformFailure('server_error', 'HTTP 500', 500),
    };
    await bench.poll().catch(() => undefined);
    expect(bench.value('edge_zone_records', { ...zone, record_type: 'A' })).toBe(1);
  });
});

describe('applications of which one is refused', () => {
  const REFUSED = new PlatformFailure('forbidden', 'HTTP 403', 403);
  const LIST = '/edge_applications';
  const application = (id: number, active = true) => ({ id, name: `app ${id}`, active });
  const all = [1, 2, 3, 4, 5].map((id) => application(id));
  const readable = Object.fromEntries(
    all.map(({ id }) => [`${LIST}/${id}`, { results: { delivery_protocol: 'http', caching: true } }]),
  );
  const labels = (id: number) => ({ edge_application_id: id, edge_application: `app ${id}` });

  it.each([1, 3, 5])(
    '(application %i) go on to be read, so that what is changed in the list is seen',
    async (id) => {
      const bench = settingsBench('edge_applications', { [LIST]: listOf(...all), ...readable });
      await bench.poll();
      bench.answers = { [LIST]: listOf(...all), ...readable, [`${LIST}/${id}`]: REFUSED };
      expect(await bench.poll()).toMatchObject({ outcome: 'ok', rejected: new Map([['bad_item', 1]]) });
      bench.answers = { ...bench.answers, [LIST]: listOf(...all.slice(0, 4), application(5, false)) };
      bench.now += 600_000;
      await bench.poll();
      expect(bench.value('edge_application_active', labels(5))).toBe(0);
      expect(bench.changes.map((change) => [change.id, change.fields])).toEqual([['5', ['active']]]);
    },
  );

  it.each([
    ['the first', [1]],
    ['the first four', [1, 2, 3, 4]],
    ['all but the first', [2, 3, 4, 5]],
  ])('(%s) from the start hold up neither the others nor the list for an hour', async (_, ids) => {
    const refused = Object.fromEntries(ids.map((id) => [`${LIST}/${id}`, REFUSED]));
    const bench = settingsBench('edge_applications', { [LIST]: listOf(...all), ...readable, ...refused });
    const pollNext = async () => {
      await bench.poll().catch(() => undefined);
      bench.now += 600_000;
    };
    for (let read = 0; read < 4; read += 1) await pollNext();
    if (ids.length === 4 && ids[0] === 1) bench.now += 3_600_000;
    for (let read = 0; read < 2; read += 1) await pollNext();
    bench.answers = { ...bench.answers, [LIST]: listOf(...all.slice(0, 4), application(5, false)) };
    await bench.poll();
    expect(bench.value('edge_application_active', labels(5))).toBe(0);
  });

  it('as all are, are asked for no more for an hour', async () => {
    const bench = settingsBench('edge_applications', { [LIST]: listOf(...all), ...readable });
    await bench.poll();
    const refused = Object.fromEntries(Object.keys(readable).map((path) => [path, REFUSED]));
    bench.answers = { [LIST]: listOf(...all), ...refused };
    bench.asked.length = 0;
    for (let read = 0; read < 3; read += 1)
      await expect(bench.poll()).rejects.toMatchObject({ outcome: 'forbidden' });
    expect(bench.asked).toHaveLength(1 + 3);
  });
});
