import { describe, expect, it } from 'vitest';
import { facesOf, unitKinds } from '../../../src/exporter/catalogue/catalogue.ts';
import type { UnitOverrides } from '../../../src/exporter/catalogue/units.ts';

function exposed(metric: string, dimension: string, units?: UnitOverrides) {
  const { gauge, counter, labels } = facesOf(metric, dimension, { scope: 'configuration', units });
  return [gauge.family.name, counter?.family.name, labels];
}

describe('facesOf', () => {
  it.each([
    ['requests', 'total', 'edge_requests_per_minute', 'edge_requests_total', {}],
    ['cdn_requests', 'total', 'edge_requests_per_minute', 'edge_requests_total', {}],
    [
      'requests',
      'https',
      'edge_requests_by_scheme_per_minute',
      'edge_requests_by_scheme_total',
      { scheme: 'https' },
    ],
    [
      'cdn_requests',
      'missed',
      'edge_requests_by_cache_per_minute',
      'edge_requests_by_cache_total',
      { cache: 'missed' },
    ],
    [
      'status_code',
      '404',
      'edge_responses_per_minute',
      'edge_responses_total',
      { class: '4xx', code: '404' },
    ],
    [
      'status_code',
      '4xx',
      'edge_responses_per_minute',
      'edge_responses_total',
      { class: '4xx', code: 'other' },
    ],
    [
      'status_code',
      '418',
      'edge_responses_per_minute',
      'edge_responses_total',
      { class: '4xx', code: '418' },
    ],
    [
      'http_method',
      'get',
      'edge_requests_by_method_per_minute',
      'edge_requests_by_method_total',
      { method: 'GET' },
    ],
    [
      'http_method',
      'others',
      'edge_requests_by_method_per_minute',
      'edge_requests_by_method_total',
      { method: 'other' },
    ],
    ['waf', 'requests', 'edge_waf_requests_per_minute', 'edge_waf_requests_total', {}],
    ['waf', 'blocked', 'edge_waf_blocked_per_minute', 'edge_waf_blocked_total', {}],
    ['waf', 'threats', 'edge_waf_threats_per_minute', 'edge_waf_threats_total', {}],
    [
      'waf',
      'sql',
      'edge_waf_threats_by_family_per_minute',
      'edge_waf_threats_by_family_total',
      { family: 'sql' },
    ],
    [
      'data_transferred_total',
      'saved',
      'edge_data_transferred_bytes_by_cache_per_minute',
      'edge_data_transferred_bytes_by_cache_total',
      { cache: 'saved' },
    ],
    ['bandwidth', 'total', 'edge_bandwidth_bytes_per_second', undefined, {}],
    ['bandwidth', 'saved', 'edge_bandwidth_by_cache_bytes_per_second', undefined, { cache: 'saved' }],
    ['requests_per_second', 'total', 'edge_requests_per_second', undefined, {}],
    ['requests_per_second', 'missed', 'edge_requests_by_cache_per_second', undefined, { cache: 'missed' }],
    ['data_offloaded', 'offload', 'edge_data_offload_ratio', undefined, {}],
    ['connected_users', 'max', 'edge_connected_users_max', undefined, {}],
    ['hosted_zones', 'total', 'edge_hosted_zones', undefined, {}],
    ['used_space', 'total', 'edge_used_space_bytes', undefined, {}],
    [
      'data_streaming_requests',
      'total',
      'edge_data_streaming_requests_per_minute',
      'edge_data_streaming_requests_total',
      {},
    ],
  ])('shows %s, %s as %s and %s', (metric, dimension, gauge, counter, labels) => {
    expect(exposed(metric, dimension)).toEqual([gauge, counter, labels]);
  });

  it('normalises to one minute exactly what has a counter', () => {
    expect(facesOf('waf', 'threats', { scope: 'configuration' }).gauge.perMinute).toBe(true);
    for (const [metric, dimension] of [
      ['requests_per_second', 'total'],
      ['requests_offloaded', 'offload'],
      ['connected_users', 'average'],
      ['used_space', 'total'],
    ] as const) {
      expect(facesOf(metric, dimension, { scope: 'configuration' }).gauge.perMinute, metric).toBe(false);
    }
  });

  it('turns percent into a ratio', () => {
    expect(93 * facesOf('requests_offloaded', 'offload', { scope: 'product' }).gauge.scale).toBeCloseTo(0.93);
  });

  it('takes volumes for megabytes and bandwidth for bits per second until told otherwise', () => {
    const scale = (metric: string, units?: UnitOverrides) =>
      facesOf(metric, 'total', { scope: 'configuration', units }).gauge.scale;
    expect(scale('data_transferred')).toBe(1e6);
    expect(scale('bandwidth')).toBe(1 / 8);
    expect(scale('data_transferred', { data_transferred: 'gibibytes' })).toBe(2 ** 30);
    expect(scale('data_transferred', { data_transferred_total: 'gibibytes' })).toBe(1e6);
    expect(scale('bandwidth', { bandwidth: 'mbps' })).toBe(125_000);
    expect(scale('requests', { requests: 'gigabytes' })).toBe(1);
  });

  it('scales the counter as the gauge', () => {
    const units = { data_packaged: 'kilobytes' } as const;
    const { gauge, counter } = facesOf('data_packaged', 'total', { scope: 'product', units });
    expect([gauge.scale, counter?.scale]).toEqual([1000, 1000]);
  });

  it('applies a unit to the dimensions of its kind only, and to one dimension when it is named', () => {
    const scales = (units: UnitOverrides) =>
      ['total', 'bandwidth'].map(
        (name) => facesOf('data_ingested', name, { scope: 'configuration', units }).gauge.scale,
      );
    expect(scales({ data_ingested: 'gigabytes' })).toEqual([1e9, 1 / 8]);
    expect(scales({ data_ingested: 'kbps' })).toEqual([1e6, 125]);
    expect(scales({ data_ingested: 'gigabytes', 'data_ingested.bandwidth': 'kbps' })).toEqual([1e9, 125]);
    const kinds = (name: string) => [...(unitKinds(name) ?? ['unknown'])];
    expect(kinds('data_ingested')).toEqual(['volume', 'rate']);
    expect(kinds('data_ingested.bandwidth')).toEqual(['rate']);
    expect(kinds('requests')).toEqual([]);
    expect(kinds('requests.total')).toEqual([]);
    expect(kinds('data_ingested.bandwith')).toEqual(['unknown']);
    expect(kinds('data_ingestd.bandwidth')).toEqual(['unknown']);
  });

  it('reads a series without a name as the whole, or as the only dimension there is', () => {
    expect(exposed('cdn_requests', '')).toEqual(exposed('cdn_requests', 'total'));
    expect(exposed('requests_offloaded', '')).toEqual(exposed('requests_offloaded', 'offload'));
    expect(exposed('data_offloaded', '')).toEqual(exposed('data_offloaded', 'offload'));
    expect(exposed('images_processed', '')).toEqual(exposed('images_processed', 'requests'));
  });

  it.each([
    ['status_code', ''],
    ['waf', ''],
    ['waf', 'lfi'],
    ['status_code', '2000'],
    ['status_code', 'total'],
    ['http_method', 'GET'],
    ['requests', 'http2'],
    ['quantum_requests', 'total'],
    ['constructor', '__proto__'],
    ['', ''],
  ])('shows the unknown %j, %j raw, under a family of its own', (metric, dimension) => {
    const family = { name: 'edge_metric', type: 'gauge' };
    expect(facesOf(metric, dimension, { scope: 'configuration' })).toMatchObject({
      gauge: { family, scale: 1, perMinute: false },
      labels: { metric, dimension },
      known: false,
    });
    expect(facesOf(metric, dimension, { scope: 'product' }).gauge.family.name).toBe('edge_product_metric');
  });

  it('gives the same family object every time', () => {
    const [first, second] = [1, 2].map(() => facesOf('waf', 'xss', { scope: 'product' }));
    expect(first?.gauge.family).toBe(second?.gauge.family);
    expect(first?.counter?.family).toBe(facesOf('waf', 'rfi', { scope: 'product' }).counter?.family);
  });

  it('remembers the faces of ten thousand names, and no more than that: a platform may make up any', () => {
    const units = {};
    const asked = (nth: number) => facesOf('made_up', `dimension ${nth}`, { scope: 'product', units });
    const first = asked(0);
    for (let nth = 1; nth < 10_000; nth++) asked(nth);
    expect(asked(0)).toBe(first);
    expect(asked(10_000)).not.toBe(asked(10_000));
  });
});
