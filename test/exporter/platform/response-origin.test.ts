import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { formOf, responseOriginOf } from '../../../src/exporter/platform/exchange.ts';
import { isDocumentedError } from '../../../src/exporter/platform/network-failure.ts';

const RESET = { resetAt: Date.UTC(2026, 0, 5, 10, 1) };

test.each([
  [200, undefined, 'document', 'unclear'],
  [200, RESET, 'document', 'platform'],
  [200, undefined, 'other', 'foreign'],
  [200, RESET, 'other', 'platform'],
  [200, undefined, undefined, 'unclear'],
  [302, undefined, undefined, 'unclear'],
  [403, undefined, 'documented_error', 'platform'],
  [404, undefined, 'documented_error', 'unclear'],
  [404, RESET, 'other', 'platform'],
  [404, { limit: 60, remaining: 59 }, 'other', 'foreign'],
  [500, undefined, 'documented_error', 'platform'],
  [502, undefined, 'other', 'unclear'],
] as const)('a %i with the rate %j and the body %s is from: %s', (status, rate, body, answeredBy) => {
  expect(responseOriginOf({ status, rate, body })).toBe(answeredBy);
});

describe('an error is the platform’s', () => {
  const recorded = readdirSync(new URL('../../payloads', import.meta.url)).filter((name) =>
    /^error_/.test(name),
  );

  it.each(recorded)('when it was recorded of it: %s', (name) => {
    const body = readFileSync(new URL(`../../payloads/${name}`, import.meta.url), 'utf8');
    expect(isDocumentedError(Number(name.split('_')[1]), body)).toBe(true);
  });

  it.each([
    [400, '{"errors": ["one", "two"]}', true],
    [403, '{"name": ["This field may not be blank"]}', false],
    [403, '{"message": "Missing Authentication Token"}', false],
    [404, '{"timestamp": 1, "status": 404, "error": "Not Found", "path": "/"}', false],
    [400, '{"errors": []}', false],
    [400, '{"errors": [5]}', false],
    [400, '{}', false],
    [400, '["detail"]', false],
    [400, '"detail"', false],
    [403, '{"detail": "cut of', false],
    [403, '<p>{"detail": "no"}</p>', false],
    [403, '', false],
  ])('HTTP %i %s: %s', (status, body, expected) => {
    expect(isDocumentedError(status, body)).toBe(expected);
  });
});

test.each([
  ['text/html; charset=utf-8', 'HTML'],
  ['application/xhtml+xml', 'something else'],
  ['application/problem+json', 'JSON'],
  ['Text/Plain', 'text'],
  [undefined, 'nothing'],
])('content of the type %s is called %s', (type, form) => {
  expect(formOf(type)).toBe(form);
});
