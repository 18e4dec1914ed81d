import { expect, it } from 'vitest';
import { accountIdOf } from '../../../src/exporter/platform/credentials.ts';
import { Secret } from '../../../src/exporter/secret.ts';

const token = () => new Secret('0123456789abcdef0123456789abcdef01234567');
const at = (owner: Secret | undefined, origin = 'https://api.example.net', former?: string) =>
  accountIdOf({ owner: () => owner }, origin, former)();

it('is the same wherever it is made, and another for another token and another platform', () => {
  const id = at(token());
  expect(at(new Secret('another'))).not.toBe(id);
  expect(at(token(), 'https://stage.example.net')).not.toBe(id);
  expect(at(token())).toBe(id);
});

it('is twelve digits of a hash, and holds nothing of the token', () => {
  expect(at(token())).toMatch(/^[0-9a-f]{12}$/);
  expect(token().reveal()).not.toContain(at(token())?.slice(0, 4));
});

it('is what it was before a reload until there is a token', () => {
  expect(at(undefined)).toBeUndefined();
  expect(at(undefined, 'https://api.example.net', 'former')).toBe('former');
  expect(at(token(), 'https://api.example.net', 'former')).toBe(at(token()));
});
