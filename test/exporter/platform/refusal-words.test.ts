import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  outcomeOfStatus,
  platformWords,
  upstreamFailure,
} from '../../../src/exporter/platform/network-failure.ts';
import { Secret, scrub } from '../../../src/exporter/secret.ts';

const unscrubbed = (text: string) => text;
const token = '3a110f2990cfbce7b84265cc027f992acb9743eb';

test.each([
  [400, 'not_acceptable'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'not_acceptable'],
  [406, 'not_acceptable'],
  [409, 'not_acceptable'],
  [418, 'not_acceptable'],
  [429, 'rate_limited'],
  [500, 'server_error'],
  [503, 'server_error'],
  [599, 'server_error'],
  [304, 'undecodable'],
])('status %i ends a poll as %s', (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome);
});

test('a failure carries the status and the words of the platform', () => {
  const failure = upstreamFailure(403, '{"detail": "You shall not pass."}', unscrubbed);
  expect(failure).toMatchObject({
    outcome: 'forbidden',
    status: 403,
    message: 'HTTP 403: You shall not pass.',
  });
  expect(upstreamFailure(500, '', unscrubbed).message).toBe('HTTP 500');
});

describe('platformWords', () => {
  test.each([
    ['{"detail": "Not found."}', 'Not found.'],
    ['{"errors": [{"message": "Forbidden", "error": "forbidden"}], "schema_version": 3}', 'Forbidden'],
    ['{"errors": [{"error": "forbidden"}]}', 'forbidden'],
    ['{"errors": ["one", "two"]}', 'one; two'],
    ['{"name": ["This field may not be blank"]}', 'name: This field may not be blank'],
    ['{"a": {"b": ["c", "d"]}, "e": 5, "f": null, "g": []}', 'a: b: c; d'],
    ['["first", "second"]', 'first; second'],
    ['"just words"', 'just words'],
    ['{"detail": {"message": "deep"}}', 'deep'],
    ['<html><head><title> 502 Bad\n Gateway </title></head><body>x</body></html>', '502 Bad Gateway'],
    ['<h1>Bad</h1><script>var x = 1;</script><p>Request</p>', 'a page'],
    ['<title>Bad&nbsp;&amp; Gateway</title>', 'Bad Gateway'],
    ['<title></title><p>words</p>', 'a page'],
    ['plain words', 'plain words'],
    ['{"detail": "cut of', '{"detail": "cut of'],
    ['', ''],
    ['{}', ''],
    ['[]', ''],
    ['  ', ''],
  ])('of %j are %j', (body, expected) => {
    expect(platformWords(body, unscrubbed)).toBe(expected);
  });

  test.each([
    ['error_401_v3', 'Authentication credentials were not provided.'],
    ['error_403_digital_certificates_v3', 'Forbidden'],
    ['error_404_edge_functions_v3', 'Sorry unable to perform operation.'],
    [
      'error_400_edge_functions_validation_v3',
      'name: This field may not be blank; active: This field is required.; code: This field is required.; language: This field is required.',
    ],
  ])('of the recorded %s are found', (name, expected) => {
    const body = readFileSync(new URL(`../../payloads/${name}.json`, import.meta.url), 'utf8');
    expect(platformWords(body, unscrubbed)).toBe(expected);
  });

  test('are one line without control and invisible characters', () => {
    expect(
      platformWords('{"detail": "a\\r\\nb\\u0000c\\u001b[31md\\u200be\\u202ef\\u2028g"}', unscrubbed),
    ).toBe('a bc[31mdef g');
  });

  test('are cut at 200 characters, between characters', () => {
    const words = platformWords(JSON.stringify({ detail: '😀'.repeat(500) }), unscrubbed);
    expect(Array.from(words)).toHaveLength(200);
    expect(words.endsWith('😀…')).toBe(true);
  });

  test.each([
    ['as it is', token],
    ['after the scheme', `Authorization: Token ${token}`],
    ['in base64', Buffer.from(`Token ${token}`).toString('base64')],
    ['broken up by an invisible character', `${token.slice(0, 9)}\u200b${token.slice(9)}`],
    ['broken up by a control character', `${token.slice(0, 9)}\u0007${token.slice(9)}`],
    ['behind entities', Array.from(token, (digit) => `&#${digit.charCodeAt(0)};`).join('')],
    ['across the cut', `${'x'.repeat(180)} ${token}`],
  ])('do not give a token away that comes back %s', (_, echoed) => {
    for (const body of [
      JSON.stringify({ detail: echoed }),
      JSON.stringify({ errors: [echoed] }),
      `<title>${echoed}</title>`,
      echoed,
    ]) {
      const words = platformWords(body, (text) => scrub(text, [new Secret(token)]));
      expect(words).not.toContain(token.slice(0, 12));
      expect(words).not.toContain(Buffer.from(token).toString('base64').slice(4, 20));
    }
  });

  test('come out short, single-lined and without the token for any body, in bounded time', () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      '"',
      '<',
      '>',
      '<title',
      '<script>',
      '&#',
      ';',
      token,
      '\n',
      'a',
      '\ud800',
      ':',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 400 }), (parts) => {
        const words = platformWords(parts.join(''), (text) => scrub(text, [new Secret(token)]));
        expect(Array.from(words).length).toBeLessThanOrEqual(200);
        expect(words).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(words).not.toContain(token);
      }),
    );
    expect(platformWords(`${'['.repeat(32_768)}${']'.repeat(32_768)}`, unscrubbed)).toBe('');
    for (const hostile of ['<', '<script', '<title', '&', '[', '{"a":', ' ']) {
      expect(
        Array.from(platformWords(hostile.repeat(65_536 / hostile.length), unscrubbed)).length,
      ).toBeLessThanOrEqual(200);
    }
  });
});
