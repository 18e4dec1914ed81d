import { describe, expect, test } from 'vitest';
import {
  parseRateLimit,
  parseRetryAfter,
  parseServerDate,
} from '../../../src/exporter/platform/platform-clock.ts';

const RESET = Date.UTC(2018, 5, 7, 1, 22, 42, 811);

describe('parseRateLimit', () => {
  test('reads the recorded headers: other letter case, microseconds, no zone', () => {
    const headers = {
      'X-RateLimit-Limit': '80',
      'X-RateLimit-Remaining': '79',
      'X-RateLimit-Reset': '2018-06-07T01:22:42.811207',
    };
    expect(parseRateLimit(headers)).toEqual({ limit: 80, remaining: 79, resetAt: RESET });
  });

  test.each([
    '2018-06-07T01:22:42.811207Z',
    '2018-06-07 01:22:42.811207',
    '2018-06-07 01:22:42.811+00:00',
    ' 2018-06-06T22:22:42.811-03:00 ',
  ])('reads the reset time %j', (reset) => {
    expect(parseRateLimit({ 'x-ratelimit-reset': reset })).toEqual({ resetAt: RESET });
  });

  test.each(['-1', 'NaN', 'many', '', '1.5', '1e3', '0x10', '99999999999', '9'.repeat(400), 'Infinity'])(
    'leaves out a limit and a remainder of %j and keeps the rest',
    (text) => {
      const headers = {
        'x-ratelimit-limit': text,
        'x-ratelimit-remaining': text,
        'x-ratelimit-reset': '2018-06-07T01:22:42.811Z',
      };
      expect(parseRateLimit(headers)).toEqual({ resetAt: RESET });
    },
  );

  test.each([
    'soon',
    '',
    '60',
    '1528334562',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2018-02-30T00:00:00Z',
  ])('leaves out a reset time of %j and keeps the rest', (reset) => {
    const headers = { 'x-ratelimit-limit': '80', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    expect(parseRateLimit(headers)).toEqual({ limit: 80, remaining: 0 });
  });

  test('a limit of 0 is no limit known, and nothing remains of it', () => {
    const none = { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' };
    expect(parseRateLimit(none)).toBeUndefined();
    const reset = { 'x-ratelimit-reset': '2018-06-07T01:22:42.811Z' };
    expect(parseRateLimit({ ...none, ...reset })).toEqual({ resetAt: RESET });
    expect(parseRateLimit({ ...none, 'x-ratelimit-limit': '0, 80' })).toEqual({ limit: 80, remaining: 0 });
    expect(parseRateLimit({ 'x-ratelimit-remaining': '0' })).toEqual({ remaining: 0 });
  });

  test('of a header that came twice the more careful reading counts', () => {
    const headers = {
      'x-ratelimit-limit': ['200', '80'],
      'x-ratelimit-remaining': '5, 70',
      'x-ratelimit-reset': ['2018-06-07T01:22:42.811Z', 'garbage', '2018-06-07T01:21:00Z'],
    };
    expect(parseRateLimit(headers)).toEqual({ limit: 80, remaining: 5, resetAt: RESET });
  });

  test('is undefined when nothing usable came', () => {
    expect(
      parseRateLimit({ date: 'x', 'x-ratelimit-limit': 'x', 'x-ratelimit-reset': undefined }),
    ).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(2018, 5, 7, 1, 22, 0);
  test.each([
    ['30', 30_000],
    ['0', 0],
    ['1.5', 1_500],
    ['Thu, 07 Jun 2018 01:22:42 GMT', 42_000],
    ['Thu, 07 Jun 2018 01:21:00 GMT', 0],
  ])('%j is a wait of %i ms', (text, expected) => {
    expect(parseRetryAfter({ 'Retry-After': text }, now)).toBe(expected);
  });

  test.each(['-1', 'soon', '', '999999999', 'Thu, 07 Jun 2099 01:22:42 GMT'])('%j is no wait', (text) => {
    expect(parseRetryAfter({ 'retry-after': text }, now)).toBeUndefined();
  });

  test('of two waits the longer one counts', () => {
    expect(parseRetryAfter({ 'retry-after': ['5', '20'] }, now)).toBe(20_000);
  });

  test('no header is no wait', () => {
    expect(parseRetryAfter({}, now)).toBeUndefined();
  });
});

test("the platform's clock is read from the Date header", () => {
  expect(parseServerDate({ Date: 'Thu, 07 Jun 2018 01:22:42 GMT' })).toBe(Date.UTC(2018, 5, 7, 1, 22, 42));
  expect(parseServerDate({ date: 'yesterday' })).toBeUndefined();
  expect(parseServerDate({})).toBeUndefined();
});
