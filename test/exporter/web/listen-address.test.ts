import { expect, test } from 'vitest';
import { parseListenAddress } from '../../../src/exporter/web/listen-address.ts';

test.each([
  [':9801', { port: 9801 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['localhost:9801', { host: 'localhost', port: 9801 }],
  ['[::1]:9801', { host: '::1', port: 9801 }],
  ['[::]:9801', { host: '::', port: 9801 }],
])('%s is an address to listen on', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test.each([
  '',
  '9801',
  'localhost',
  'localhost:',
  ':65536',
  ':-1',
  '::1:9801',
  '[::1]',
  'http://localhost:9801',
  ':9801/',
])('"%s" is none', (text) => {
  expect(parseListenAddress(text)).toBeUndefined();
});
