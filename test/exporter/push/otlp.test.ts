import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { otlpTo, partialSuccess as rejectedIn } from '../../../src/exporter/push/otlp.ts';
import { pushed } from '../../../src/exporter/push/protocol.ts';
import { NoReply, type Reply } from '../../../src/exporter/push/receiver-connection.ts';
import { NO_RECEIVERS } from './no-receivers.ts';
import { sample } from './outbox-bed.ts';

const SAMPLES = [pushed(sample('x', 1)), pushed(sample('x', 1, 2, 'b')), pushed(sample('y', 1))];

function sending(reply: Partial<Reply> | Error) {
  const sent: Uint8Array[] = [];
  const otlp = otlpTo({
    async post(body) {
      sent.push(gunzipSync(body));
      if (reply instanceof Error) throw reply;
      return { status: 200, headers: {}, body: Buffer.of(), words: '', retryAfterMs: undefined, ...reply };
    },
  });
  return { sent, send: () => otlp.send(SAMPLES, new AbortController().signal) };
}

function partialSuccess(rejected: number, message: string): Buffer {
  const text = Buffer.from(message);
  const success = Buffer.concat([Buffer.of(0x08, rejected, 0x12, text.length), text]);
  return Buffer.concat([Buffer.of(0x0a, success.length), success]);
}

it('names each family once, with its help', async () => {
  const { send, sent } = sending({});
  expect(await send()).toEqual({ kind: 'accepted' });
  expect(String(sent[0]).match(/edge_x_total/g)).toHaveLength(1);
  expect(String(sent[0]).match(/edge_y_total/g)).toHaveLength(1);
});

it('counts what a partial success rejects', async () => {
  const { send } = sending({ body: partialSuccess(2, 'no'), words: 'out of order sample' });
  expect(await send()).toEqual({
    kind: 'partly accepted',
    rejected: 2,
    reason: 'out_of_order',
    words: 'out of order sample',
  });
});

it.each([
  ['a warning', partialSuccess(0, 'deprecated')],
  ['an empty answer', Buffer.of()],
  ['JSON', Buffer.from('{}')],
  ['half a message', Buffer.of(0x0a, 0x80)],
])('takes %s for success', async (_what, body) => {
  expect(await sending({ body }).send()).toEqual({ kind: 'accepted' });
});

it('takes a negative number of rejected points for all of them, and text that looks like a message for none', () => {
  const minusFive = Buffer.of(0x0a, 0x0b, 0x08, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
  expect(rejectedIn(minusFive)).toBeGreaterThan(SAMPLES.length);
  for (const text of ['\n\n\n\n', '\n{\n  "ok": true\n}']) expect(rejectedIn(Buffer.from(text))).toBe(0);
});

it('comes to an end with whatever is answered', () => {
  const length = { maxLength: 40 };
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array(length), fc.array(fc.constantFrom(0x0a, 0x08, 0x80, 0xff, 1), length)),
      (body) => {
        expect(rejectedIn(Buffer.from(body))).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

it('understands refusals and failures as with remote write', async () => {
  expect(await sending({ status: 400, words: 'too old sample' }).send()).toMatchObject({ reason: 'too_old' });
  expect(await sending({ status: 503 }).send()).toMatchObject({ kind: 'failed' });
  await expect(sending(new NoReply('connection refused')).send()).rejects.toThrow('connection refused');
});

it.each(NO_RECEIVERS)('keeps the samples after success of %s', async (_what, reply) => {
  expect(await sending(reply).send()).toMatchObject({
    kind: 'failed',
    words: expect.stringContaining(reply.words ?? ''),
  });
});

it('takes success that is no page for success, also where a server calls every answer HTML', async () => {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  for (const [status, words] of [
    [204, ''],
    [200, ''],
    [200, 'OK'],
  ] as const) {
    const answer = await sending({ status, headers, words, body: Buffer.from(words) }).send();
    expect(answer).toMatchObject({ kind: 'accepted' });
  }
});
