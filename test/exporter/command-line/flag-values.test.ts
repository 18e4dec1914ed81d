import { expect, test } from 'vitest';
import {
  count,
  labelSet,
  listenAddress,
  moment,
  oneOf,
  onOff,
  text,
  urlPath,
} from '../../../src/exporter/command-line/flag-values.ts';

test.each([
  ['true', true],
  ['0', false],
  ['yes', undefined],
  ['', undefined],
])('a switch reads %j as %s', (given, value) => {
  expect(onOff.parse(given)).toBe(value);
});

test('a choice takes its words only', () => {
  const choice = oneOf(['logfmt', 'json']);
  expect(choice.parse('json')).toBe('json');
  expect(choice.parse('JSON')).toBeUndefined();
  expect(choice.expected).toBe('logfmt, json');
});

test('a text may be anything but empty', () => {
  expect(text('file').parse('a b')).toBe('a b');
  expect(text('file').parse('')).toBeUndefined();
});

test.each([
  ['0', 0],
  ['42', 42],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['99999999999999999999', undefined],
])('a count reads %j as %s', (given, value) => {
  expect(count.parse(given)).toBe(value);
});

test.each([
  ['2025-01-31', '2025-01-31T00:00:00.000Z'],
  ['2025-01-31T12:00Z', '2025-01-31T12:00:00.000Z'],
  ['2025-01-31T12:00:30.5Z', '2025-01-31T12:00:30.500Z'],
  ['2025-01-31T12:00:00-03:00', '2025-01-31T15:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('a moment reads %s as %s', (given, iso) => {
  expect(moment.parse(given)).toBe(Date.parse(iso));
});

test.each([
  '2025-02-30',
  '2025-02-30T00:00:00Z',
  '2025-01-31T12:00:00',
  '2025-13-01',
  '31.01.2025',
  'now',
  '',
  '1738281600',
])('a moment refuses %j', (given) => {
  expect(moment.parse(given)).toBeUndefined();
});

test('a path below an address starts with a slash and holds no query', () => {
  expect(urlPath.parse('/metrics')).toBe('/metrics');
  expect(urlPath.parse('metrics')).toBeUndefined();
  expect(urlPath.parse('/metrics?x')).toBeUndefined();
});

test('an address to listen on is kept as it is given', () => {
  expect(listenAddress.parse('[::1]:9801')).toBe('[::1]:9801');
  expect(listenAddress.parse('9801')).toBeUndefined();
  expect(listenAddress.parse(':65536')).toBeUndefined();
});

test('labels are pairs of a name and a value', () => {
  expect(labelSet.parse('job=edge,instance=exporter:9801')).toEqual({
    job: 'edge',
    instance: 'exporter:9801',
  });
  expect(labelSet.parse('query=a=b')).toEqual({ query: 'a=b' });
  for (const given of ['', 'job', 'job=', '=edge', 'job=a,', '9=a', '__name__=a', 'a-b=c', 'a=1,a=2']) {
    expect(labelSet.parse(given), given).toBeUndefined();
  }
});
