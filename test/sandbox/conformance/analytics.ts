import { expect } from 'vitest';
import { HOUR, INTEGER, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const PRODUCT = '/analytics/products/1441740010';
const XSS = `${PRODUCT}/aggregate/metrics/waf/dimensions/xss`;
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 20, 12, 34);
const ANY = expect.any(Array);

/** A read of a window, whose series must start and end with these buckets (ms). */
const window = (query: string, first: number, last: number) => ({
  send: `GET ${XSS}?${query}`,
  version: 1,
  status: 200,
  is: {
    products: {
      1441740010: {
        waf: {
          xss: expect.toSatisfy(
            (points) => points[0][0] === first && points.at(-1)[0] === last,
            `starts at ${new Date(first).toISOString()} and ends at ${new Date(last).toISOString()}`,
          ),
        },
      },
    },
  },
});
const refused = (query: string, parameter: string) => ({
  send: `GET ${XSS}?${query}`,
  version: 1,
  status: 400,
  is: { [parameter]: [TEXT] },
});
const at = (hour: number, minute: number) => Date.UTC(2026, 10, 20, hour, minute);
const HOURS = 60 * MINUTE;

/** Section 4.12. */
export const analytics: readonly Row[] = [
  {
    section: '4.12',
    quotes: ['GET · `/analytics/metadata` · - · 200, object of metric name to dimension name array'],
    steps: [{ send: 'GET /analytics/metadata', version: 1, status: 200, has: { waf: ANY } }],
  },
  {
    section: '4.12',
    quotes: [
      'GET · `/analytics/products/:prod_id/aggregate/metrics/:metric_name` · path `:prod_id` number, `:metric_name` string; query `date_from` (required), `date_to` (optional) · 200 with `{ products: { <prod_id>: { <metric_name>: { <dimension>: series } } } }`',
    ],
    families: ['edge_product_waf_requests_per_minute'],
    steps: [
      {
        send: `GET ${PRODUCT}/aggregate/metrics/requests_per_second?${HOUR}`,
        version: 1,
        status: 200,
        is: { products: { 1441740010: { requests_per_second: { total: ANY, saved: ANY, missed: ANY } } } },
      },
      { send: `GET ${PRODUCT}/aggregate/metrics/colour?${HOUR}`, version: 1, status: 404 },
    ],
  },
  {
    section: '4.12',
    quotes: [
      'A further operation in the same family returns the same data per configuration, with `{ configurations: { <configuration_id>: { <metric_name>: { <dimension>: series } } } }`.',
    ],
    families: ['edge_waf_requests_per_minute'],
    steps: [
      {
        send: `GET ${PRODUCT}/configurations/1528990720/metrics/requests_per_second?${HOUR}`,
        version: 1,
        status: 200,
        is: {
          configurations: { 1528990720: { requests_per_second: { total: ANY, saved: ANY, missed: ANY } } },
        },
      },
    ],
  },
  {
    section: '4.12',
    quotes: [
      'The paths of it and of the other analytics operations (aggregate data for a dimension, list of configurations, metric per configuration, dimension per configuration): not shown.',
    ],
    families: ['edge_configuration_info'],
    embedded: 'the paths that such a platform has been seen to have',
    steps: [
      {
        send: `GET ${XSS}?${HOUR}`,
        version: 1,
        status: 200,
        is: { products: { 1441740010: { waf: { xss: ANY } } } },
      },
      {
        send: `GET ${PRODUCT}/configurations`,
        version: 1,
        status: 200,
        is: Array(3).fill({ active: true, id: INTEGER, name: TEXT }),
      },
      {
        send: `GET ${PRODUCT}/configurations/1528990720/metrics/waf/dimensions/xss?${HOUR}`,
        version: 1,
        status: 200,
        is: { configurations: { 1528990720: { waf: { xss: ANY } } } },
      },
    ],
  },
  {
    section: '4.12',
    quotes: [
      'Query parameter rules (analytics and metrics):',
      '`date_from` is required: either a timestamp `YYYY-MM-DDThh:mm` (local time) or `YYYY-MM-DDThh:mmZ` (UTC), or one duration value: `last-hour`, `last-3-hours`, `last-6-hours`, `last-24-hours`, `last-3-days`, `last-7-days`, `last-15-days`, `last-30-days`.',
    ],
    embedded: 'setting `utc_offset_minutes` is the local time',
    options: { utcOffsetMinutes: -180 },
    steps: [
      refused('', 'date_from'),
      refused('date_from=yesterday', 'date_from'),
      refused('date_from=2026-11-20', 'date_from'),
      window('date_from=2026-11-20T12:00Z&date_to=2026-11-20T12:05Z', at(12, 0), at(12, 4)),
      window('date_from=2026-11-20T09:00&date_to=2026-11-20T09:05', at(12, 0), at(12, 4)),
      window('date_from=last-hour', at(11, 34), NOON),
      ...[3, 6, 24].map((hours) => `last-${hours}-hours`),
      ...[3, 7, 15, 30].map((days) => `last-${days}-days`),
    ].map((step) =>
      typeof step === 'string' ? { send: `GET ${XSS}?date_from=${step}`, version: 1, status: 200 } : step,
    ),
  },
  {
    section: '4.12',
    quotes: ['With a duration value, `date_to` is left out.'],
    embedded: '400 to both',
    steps: [refused('date_from=last-hour&date_to=now', 'date_to')],
  },
  {
    section: '4.12',
    quotes: ['`date_to` is optional, in the same timestamp formats, or `now`.', 'When omitted it is `now`.'],
    embedded: 'a 400 names the parameter that is wrong',
    steps: [
      window('date_from=2026-11-20T12:00Z&date_to=now', at(12, 0), NOON),
      window('date_from=2026-11-20T12:00Z', at(12, 0), NOON),
      refused('date_from=2026-11-20T12:00Z&date_to=later', 'date_to'),
      refused('date_from=2026-11-20T12:00Z&date_to=2026-11-20T11:59Z', 'date_to'),
      { pass: HOURS },
      window('date_from=2026-11-20T12:40Z', at(12, 40), NOON + HOURS),
    ],
  },
];
