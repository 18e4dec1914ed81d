import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger, type LogOptions } from '../../../src/exporter/logging/log.ts';
import { Secret } from '../../../src/exporter/secret.ts';

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logging = createLogger({ level: 'debug', format: 'logfmt', destination, ...options });
  return { ...logging, lines };
}

test('a line of logfmt holds time, level, message and the fields, in this order', () => {
  const { log, lines } = logged();
  log.info({ account: 'production', polls: 3 }, 'polled everything');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^ts=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=info msg="polled everything" account=production polls=3\n$/,
  );
});

test('a line of JSON holds the same', () => {
  const { log, lines } = logged({ format: 'json' });
  log.warn({ account: 'production' }, 'slow');
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    ts: expect.any(String),
    level: 'warn',
    msg: 'slow',
    account: 'production',
  });
});

test('what is less severe than the level is left out', () => {
  const { log, lines } = logged({ level: 'warn' });
  log.info('left out');
  log.error('kept');
  expect(lines).toHaveLength(1);
});

test('an error is told with its causes in one line', () => {
  const { log, lines } = logged();
  log.error({ err: new Error('poll failed', { cause: new Error('connection reset') }) }, 'failed');
  expect(lines[0]).toContain('err="poll failed: connection reset"');
});

test('errors that cause each other end', () => {
  const { log, lines } = logged();
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  log.error({ err: first }, 'failed');
  expect(lines).toHaveLength(1);
});

test('a child carries its fields and guards the same secrets', () => {
  const { log, guard, lines } = logged();
  const child = log.child({ account: 'production' });
  guard(new Secret('s3cret-value'));
  child.info({ url: 'https://x/?t=s3cret-value' }, 'asked');
  expect(lines[0]).toContain('account=production url="https://x/?t=[secret]"');
});

test('a secret object shows its mask', () => {
  const { log, lines } = logged();
  log.info({ token: new Secret('s3cret-value'), deep: { token: new Secret('s3cret-value') } }, 'x');
  expect(lines[0]).not.toContain('s3cret');
});

const NOTHING_OF_IT = { format: fc.constantFrom('logfmt' as const, 'json' as const) };

test('a guarded secret is in no line, wherever and however it is written', () => {
  const secrets = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' });
  fc.assert(
    fc.property(secrets, fc.string(), NOTHING_OF_IT.format, (value, user, format) => {
      const { log, lines, guard } = logged({ format });
      guard(new Secret(value));
      const basic = Buffer.from(`${user}:${value}`).toString('base64');
      log.info(
        {
          plain: `a ${value} b`,
          nested: { list: [{ [`key ${value}`]: value }] },
          json: JSON.stringify({ token: value }),
          uri: `https://x.example/?token=${encodeURIComponent(value)}`,
          form: new URLSearchParams({ token: value }).toString(),
          err: new Error(`refused ${value}`),
          basic: `Basic ${basic}`,
        },
        `sent ${value}`,
      );
      const line = lines.join('');
      const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), basic];
      return forms.every((form) => !line.includes(form) || form.length < 4);
    }),
  );
});

test('no user name makes the password of basic authentication readable', () => {
  fc.assert(
    fc.property(fc.string(), (user) => {
      const { log, lines, guard } = logged();
      guard(new Secret('correct-horse-battery'));
      log.info({ header: Buffer.from(`${user}:correct-horse-battery`).toString('base64') }, 'x');
      const kept = lines.join('').replaceAll(/.*header="?|"?\n/gs, '');
      const readable = kept.split('[secret]').map((part) => Buffer.from(part, 'base64').toString('latin1'));
      return kept.includes('[secret]') && readable.every((part) => !part.includes('horse'));
    }),
  );
});

test('nothing that is logged can forge a line or move a terminal', () => {
  const bad = fc.constantFrom(
    '\n',
    '\u001b[2J',
    '\u009b2J',
    '\u2028',
    '\u202e',
    '\u2066',
    '\u061c',
    '" level=error',
  );
  const text = fc.array(fc.oneof(bad, fc.string({ unit: 'binary' }))).map((texts) => texts.join(''));
  fc.assert(
    fc.property(text, text, NOTHING_OF_IT.format, (words, field, format) => {
      const { log, lines } = logged({ format });
      log.info({ [`a ${words}`]: field, err: new Error(field) }, words);
      expect(lines).toEqual([expect.stringMatching(/^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]+\n$/u)]);
    }),
  );
});
