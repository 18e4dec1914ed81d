import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Scrubber, Secret, scrub } from '../../src/exporter/secret.ts';

const token = '3a110f2990cfbce7b84265cc027f992acb9743eb';

test('masks a secret as it is, in capitals and URI-encoded', () => {
  const secret = new Secret('p&ss wörd/+');
  const text = `a p&ss wörd/+ b ${encodeURIComponent('p&ss wörd/+')} c ${encodeURIComponent('p&ss wörd/+').toLowerCase()} d P&SS WÖRD/+`;
  expect(scrub(text, [secret])).toBe('a [secret] b [secret] c [secret] d [secret]');
});

test('masks a secret inside base64, wherever in the encoded text it begins', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.constantFrom('base64', 'base64url'),
      (before, after, encoding) => {
        const text = Buffer.from(before + token + after).toString(encoding as 'base64');
        const masked = scrub(text, [new Secret(token)]);
        const rest = Buffer.from(masked.replace('[secret]', ''), encoding as 'base64').toString('latin1');
        expect(masked).toContain('[secret]');
        expect(rest).not.toContain(token.slice(3, -3));
      },
    ),
  );
});

test('masks the longer of two secrets that begin alike, and never a mask', () => {
  expect(scrub('abcdef abcd secret', [new Secret('abcd'), new Secret('abcdef'), new Secret('secret')])).toBe(
    '[secret] [secret] [secret]',
  );
});

test('takes characters that mean something in a pattern as themselves', () => {
  expect(scrub('a.cd abcd (x|y]-[', [new Secret('a.cd'), new Secret('(x|y]-[')])).toBe(
    '[secret] abcd [secret]',
  );
});

test('leaves a text alone without secrets, with empty ones, and without their occurrence', () => {
  expect(scrub('text', [])).toBe('text');
  expect(scrub('text', [new Secret('')])).toBe('text');
  expect(scrub('text', [new Secret('\ud800'), new Secret(token)])).toBe('text');
});

test('masks secrets that overlap as one, so that no part of either stays', () => {
  expect(scrub('xyabcdefgh.', [new Secret('xyabcd'), new Secret('abcdefgh')])).toBe('[secret].');
  expect(scrub('abcdabcd', [new Secret('abcd')])).toBe('[secret][secret]');
});

test('finds a secret beside letters that are of another length in lower case', () => {
  expect(scrub('İİ TÖKEN-1 İ', [new Secret('tÖken-1')])).toBe('İİ [secret] İ');
});

test.each([1, 50, 500])('masks each of %i secrets, and leaves a text alone without any of them', (count) => {
  const scrubber = new Scrubber();
  const values = Array.from({ length: count }, (_, index) => `k${index * 7919}-secret-token`);
  for (const value of values) scrubber.guard(new Secret(value));
  for (const value of values) expect(scrubber.scrub(`token ${value}!`)).toBe('token [secret]!');
  expect(scrubber.scrub('nothing to see')).toBe('nothing to see');
});

test('keeps the secrets that were guarded last', () => {
  const scrubber = new Scrubber(2);
  for (const value of ['used', 'old', 'used', 'new']) scrubber.guard(new Secret(`token-${value}`));
  expect(scrubber.scrub('token-old token-used token-new')).toBe('token-old [secret] [secret]');
});

test('forgets no form that a secret in use shares with one that is forgotten', () => {
  const scrubber = new Scrubber(2);
  for (const value of ['TOKEN-1234', 'token-1234', 'another']) scrubber.guard(new Secret(value));
  expect(scrubber.scrub('token-1234')).toBe('[secret]');
});
