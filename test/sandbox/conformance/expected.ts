import { expect } from 'vitest';

/** What several rows expect of answers. */

export const INTEGER = expect.toSatisfy(Number.isInteger, 'is an integer');
export const TEXT = expect.any(String);
export const BOOLEAN = expect.any(Boolean);
export const TEXTS = expect.toSatisfy(
  (list) => Array.isArray(list) && list.every((item) => typeof item === 'string'),
  'is an array of strings',
);
export const INTEGERS = expect.toSatisfy(
  (list) => Array.isArray(list) && list.every(Number.isInteger),
  'is an array of integers',
);

/** A timestamp of version 3. */
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
/** The same, of the moment at which the test changes something. */
export const NOW = expect.stringMatching(/^2026-11-20T12:34:20(\.\d+)?Z$/);

/** A page that holds the whole list. */
export const envelope = (count: number, ...results: readonly object[]) => ({
  count,
  total_pages: 1,
  schema_version: 3,
  links: { previous: null, next: null },
  results: expect.arrayContaining(results.map((item) => expect.objectContaining(item))),
});

export const single = (results: unknown) => ({ results, schema_version: 3 });

export const APPLICATION = '/edge_applications/1528990720';
export const DOMAIN = '/domains/1536580016';
export const FUNCTION = '/edge_functions/4184';
export const FIREWALL = '/edge_firewall/200';
export const ZONE = '/intelligent_dns/40960';
export const WORKLOADS = '/v4/workspace/workloads';
export const DELIVERY = '/metrics/products/1441740010/configurations';
export const ERROR_RESPONSES = '/content_delivery/configurations/1528990720/error_responses';
export const HOUR = 'date_from=2026-11-20T10:00Z&date_to=2026-11-20T11:00Z';
