import { expect, it } from 'vitest';
import { accountIds } from '../../../src/exporter/platform/credentials.ts';
import { Secret } from '../../../src/exporter/secret.ts';

const token = () => new Secret('0123456789abcdef0123456789abcdef01234567');
const at = accountIds('https://api.example.net');

it('is the same wherever it is made, and another for another token and another platform', () => {
  const id = at(token());
  expect(accountIds('https://api.example.net')(token())).toBe(id);
  expect(at(new Secret('another'))).not.toBe(id);
  expect(accountIds('https://stage.example.net')(token())).not.toBe(id);
  expect(at(token())).toBe(id);
});

it('is twelve digits of a hash, and holds nothing of the token', () => {
  expect(at(token())).toMatch(/^[0-9a-f]{12}$/);
  expect(token().reveal()).not.toContain(at(token()).slice(0, 4));
});
