import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrub } from '../../src/platform/scrub.ts';
import { Secret } from '../../src/secret.ts';

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
  expect(scrub('abcdef abc secret', [new Secret('abc'), new Secret('abcdef'), new Secret('secret')])).toBe(
    '[secret] [secret] [secret]',
  );
});

test('takes characters that mean something in a pattern as themselves', () => {
  expect(scrub('a.c abc (x|y]-[', [new Secret('a.c'), new Secret('(x|y]-[')])).toBe('[secret] abc [secret]');
});

test('leaves a text alone without secrets, with empty ones, and without their occurrence', () => {
  expect(scrub('text', [])).toBe('text');
  expect(scrub('text', [new Secret('')])).toBe('text');
  expect(scrub('text', [new Secret('\ud800'), new Secret(token)])).toBe('text');
});
