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
