import { describe, expect, it } from 'vitest';
import { DIMENSIONS, facesOf } from '../../../src/exporter/catalogue/catalogue.ts';
import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';

// Section 2.12 of the specification, copied here so that the catalogue is not compared with itself.
const PRODUCT_IDS = [
  ['analytics', 'content_delivery', 1441740010],
  ['analytics', 'cloud_storage', 1441740013],
  ['analytics', 'image_optimization', 1441110021],
  ['analytics', 'live_ingest', 1467740028],
  ['analytics', 'media_packager', 1441740014],
  ['metrics', 'edge_applications', 1441740010],
  ['metrics', 'data_streaming', 1498670028],
  ['metrics', 'edge_functions', 1531930033],
  ['metrics', 'image_processor', 1441110021],
  ['metrics', 'intelligent_dns', 1563390045],
  ['metrics', 'l2_caching', 1564082375],
  ['metrics', 'live_streaming', 1441740004],
  ['metrics', 'load_balancer', 1441740012],
] as const;

const METRICS_OF_PRODUCTS = {
  data_streaming: ['data_streaming_data_streamed', 'data_streaming_requests'],
  edge_applications: [
    'data_transferred_total',
    'data_offloaded',
    'cdn_requests',
    'requests_per_second',
    'requests_offloaded',
    'status_code',
    'http_method',
    'waf',
    'bandwidth',
  ],
  live_streaming: ['live_streaming_data_transferred'],
  edge_functions: ['invocations'],
  intelligent_dns: ['idns_queries', 'hosted_zones'],
  image_processor: ['images_processed'],
  l2_caching: ['l2_data_transferred'],
  load_balancer: ['load_balancer_data_transferred'],
};

const METADATA = {
  data_ingested: ['total', 'bandwidth'],
  used_space: ['total'],
  requests_per_second_offloaded: ['offload'],
  connected_users: ['average', 'max'],
  data_packaged: ['total', 'bandwidth'],
  requests_per_second: ['total', 'saved', 'missed'],
  data_offloaded: ['offload'],
  bandwidth: ['total', 'saved', 'missed'],
  http_method: ['get', 'head', 'post', 'others'],
  requests_offloaded: ['offload'],
  waf: ['requests', 'blocked', 'threats', 'xss', 'rfi', 'sql', 'others'],
  status_code: [
    ...['2xx', '200', '204', '206', '3xx', '301', '302', '304'],
    ...['4xx', '400', '403', '404', '500', '502', '503', '5xx'],
  ],
  bandwidth_offloaded: ['offload'],
  requests: ['total', 'http', 'https', 'saved', 'missed'],
  images_processed: ['requests', 'throughput'],
  data_transferred: ['total', 'http', 'https', 'saved', 'missed'],
};

describe('the catalogue against section 2.12', () => {
  it('has every product under its API and id, and no others', () => {
    expect(PRODUCTS.map(({ api, slug, id }) => [api, slug, id])).toEqual(PRODUCT_IDS);
  });

  it.each(Object.entries(METRICS_OF_PRODUCTS))('has the metrics of %s', (slug, metrics) => {
    const product = PRODUCTS.find((candidate) => candidate.api === 'metrics' && candidate.slug === slug);
    expect([...(product?.metrics ?? [])].sort()).toEqual([...metrics].sort());
  });

  it('gives each metric of the analytics metadata to exactly one analytics product', () => {
    const assigned = PRODUCTS.filter(({ api }) => api === 'analytics').flatMap(({ metrics }) => metrics);
    expect(assigned.sort()).toEqual(Object.keys(METADATA).sort());
  });

  it.each(Object.entries(METADATA))('expects the documented dimensions of %s', (metric, dimensions) => {
    expect([...(DIMENSIONS[metric] ?? [])].sort()).toEqual([...dimensions].sort());
  });

  it.each(
    Object.entries(METADATA).flatMap(([metric, dimensions]) =>
      dimensions.map((name) => [metric, name] as const),
    ),
  )('knows %s, dimension %s, in both scopes', (metric, dimension) => {
    const configuration = facesOf(metric, dimension, { scope: 'configuration' });
    const product = facesOf(metric, dimension, { scope: 'product' });
    expect(configuration).toMatchObject({ known: true, labels: product.labels });
    expect(product.known).toBe(true);
    expect(product.gauge.family.name).toBe(
      configuration.gauge.family.name.replace(/^edge_/, 'edge_product_'),
    );
  });

  it.each(Object.values(METRICS_OF_PRODUCTS).flat())('knows %s with each dimension it may have', (metric) => {
    const dimensions = DIMENSIONS[metric] ?? [];
    expect(dimensions).not.toEqual([]);
    for (const dimension of dimensions) {
      expect(facesOf(metric, dimension, { scope: 'configuration' }).known, dimension).toBe(true);
    }
  });
});
