import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHttpDate, parseTimestamp } from '../../../src/exporter/platform/platform-clock.ts';

describe('parseTimestamp', () => {
  test.each([
    ['2018-06-07T01:22:42.811207', Date.UTC(2018, 5, 7, 1, 22, 42, 811)],
    ['2016-11-18T14:10:58.024903Z', Date.UTC(2016, 10, 18, 14, 10, 58, 24)],
    ['2019-04-01 13:53:28.536782+00:00', Date.UTC(2019, 3, 1, 13, 53, 28, 536)],
    ['2028-03-24 20:09:00-03:00', Date.UTC(2028, 2, 24, 23, 9, 0)],
    ['2019-12-11T18:15:29+0530', Date.UTC(2019, 11, 11, 12, 45, 29)],
    ['2019-12-11T18:15:29+02', Date.UTC(2019, 11, 11, 16, 15, 29)],
    ['2019-12-11t18:15:29z', Date.UTC(2019, 11, 11, 18, 15, 29)],
    ['2019-12-11T18:15Z', Date.UTC(2019, 11, 11, 18, 15)],
    [' 2019-12-11 18:15:29.5 ', Date.UTC(2019, 11, 11, 18, 15, 29, 500)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads %j', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '2019-04-01',
    '13:53:28',
    '1554126808',
    '2019-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2019-13-01T00:00:00Z',
    '2019-04-01T25:00:00Z',
    '2019-04-01T13:60:00Z',
    '2019-04-01T13:53:28.Z',
    '2019-04-01T13:53:28+99:99',
    '2019-04-01T13:53:28 and more',
    'Mon, 01 Apr 2019 13:53:28 GMT',
  ])('does not read %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test('reads every instant of four centuries back, in each of the forms', () => {
    const earliest = Date.UTC(1900, 0, 1);
    const latest = Date.UTC(2300, 0, 1);
    const forms = [
      (iso: string) => iso,
      (iso: string) => iso.replace('Z', '456'),
      (iso: string) => iso.replace('T', ' ').replace('Z', '999+00:00'),
    ];
    fc.assert(
      fc.property(fc.integer({ min: earliest, max: latest }), fc.constantFrom(...forms), (instant, form) => {
        expect(parseTimestamp(form(new Date(instant).toISOString()))).toBe(instant);
      }),
    );
  });
});

describe('parseHttpDate', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
  ])('reads %j', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });

  test.each([
    '',
    'Sun Nov  6 08:49:37 1994',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 99 Nov 1994 08:49:37 GMT',
    '120',
  ])('does not read %j', (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});
