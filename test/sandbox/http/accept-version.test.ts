import { describe, expect, it } from 'vitest';
import { acceptedVersion } from '../../../src/sandbox/http/admission.ts';

describe('the accepted version', () => {
  it.each([
    ['application/json; version=3', 3],
    ['application/json;version=1', 1],
    ['Application/JSON; charset=utf-8; Version=3', 3],
    ['application/json; version=2, application/json; version=3', 3],
  ])('of %s is %i', (header, version) => {
    expect(acceptedVersion(header, [1, 3])).toBe(version);
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/json; version=2',
    'application/json; version=x',
    'text/html; version=3',
  ])('of %s is none', (header) => {
    expect(acceptedVersion(header, [1, 3])).toBeUndefined();
  });
});
