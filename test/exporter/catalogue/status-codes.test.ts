import { describe, expect, it } from 'vitest';
import { facesOf } from '../../../src/exporter/catalogue/catalogue.ts';
import { statusCodeLabels } from '../../../src/exporter/catalogue/known-metrics.ts';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';

const BUCKET = Date.UTC(2019, 3, 1, 13, 50);

// Recorded bucket. `2xx` and similar contain the rest of their class, without the listed codes.
const RECORDED = {
  ...{ '200': 75114, '204': 0, '206': 85, '2xx': 8, '301': 1475, '302': 4, '304': 9426, '3xx': 1 },
  ...{ '400': 27, '403': 145, '404': 1881, '4xx': 23, '500': 0, '503': 1, '5xx': 20 },
};

describe('status codes', () => {
  it('add up to the totals of their classes in a recorded bucket', () => {
    const series = Object.entries(RECORDED).map(([code, value]) => [code, [[BUCKET, value]]]);
    const body = { products: { 1441740010: { status_code: Object.fromEntries(series) } } };
    const asked = { metric: 'status_code', id: '1441740010' };
    const decoded = decodeSeries(body, asked, BUCKET + 3_600_000);
    const totals: Record<string, number> = {};
    for (const [dimension, { values }] of decoded.series) {
      const { counter, labels } = facesOf('status_code', dimension, { scope: 'product' });
      expect(counter?.family.name).toBe('edge_product_responses_total');
      const name = String(labels['class']);
      totals[name] = (totals[name] ?? 0) + Number(values[0]);
    }
    expect(totals).toEqual({ '2xx': 75207, '3xx': 10906, '4xx': 2076, '5xx': 21 });
  });

  it('keep each code and the rest of each class apart', () => {
    const series = Object.keys(RECORDED).map((code) => JSON.stringify(statusCodeLabels(code)));
    expect(new Set(series).size).toBe(Object.keys(RECORDED).length);
  });

  it.each(['', 'total', '20', '2000', '2x', 'xxx', '20x', ' 200'])('are not %j', (dimension) => {
    expect(statusCodeLabels(dimension)).toBeUndefined();
  });
});
