import { expect, it } from 'vitest';
import { pushed } from '../../../src/exporter/push/protocol.ts';
import { NoReply, type Reply } from '../../../src/exporter/push/receiver-connection.ts';
import { RemoteWrite } from '../../../src/exporter/push/remote-write.ts';
import { NO_RECEIVERS } from './no-receivers.ts';
import { sample } from './outbox-bed.ts';

const SAMPLES = [pushed(sample('x', 1)), pushed(sample('y', 1))];
const WRITTEN = 'x-prometheus-remote-write-samples-written';

function remoteWriteTo(...replies: (Partial<Reply> | Error)[]) {
  const versions: string[] = [];
  const remoteWrite = new RemoteWrite({
    async post(_body, headers) {
      versions.push(headers['x-prometheus-remote-write-version'] ?? '');
      const reply = replies.shift();
      if (reply === undefined || reply instanceof Error) throw reply;
      return { status: 204, headers: {}, body: Buffer.of(), words: '', retryAfterMs: undefined, ...reply };
    },
  });
  return { versions, send: () => remoteWrite.send(SAMPLES, new AbortController().signal) };
}

it('believes a receiver that says what it has written, and stays with 2.0', async () => {
  const { versions, send } = remoteWriteTo({ headers: { [WRITTEN]: '2' } }, { headers: { [WRITTEN]: '2' } });
  expect([await send(), await send()]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }]);
  expect(versions).toEqual(['2.0.0', '2.0.0']);
});

it.each([204, 400, 415])(
  'sends again in 1.0 when %i shows no knowledge of 2.0, and stays with it',
  async (status) => {
    const { versions, send } = remoteWriteTo({ status }, {}, {});
    expect([await send(), await send()]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }]);
    expect(versions).toEqual(['2.0.0', '0.1.0', '0.1.0']);
  },
);

it('draws no conclusions from a receiver that is not there', async () => {
  const { versions, send } = remoteWriteTo({ status: 503 }, new NoReply('connection refused'), {
    headers: { [WRITTEN]: '2' },
  });
  expect(await send()).toMatchObject({ kind: 'failed', words: 'HTTP 503' });
  await expect(send()).rejects.toThrow('connection refused');
  expect(await send()).toEqual({ kind: 'accepted' });
  expect(versions).toEqual(['2.0.0', '2.0.0', '2.0.0']);
});

it('does not take fewer samples written for success', async () => {
  const { send } = remoteWriteTo({ status: 200, headers: { [WRITTEN]: '1' } });
  expect(await send()).toMatchObject({ kind: 'refused' });
});

it.each([
  ['more samples than there were', '3', ['2.0.0']],
  ['no number', 'many', ['2.0.0', '0.1.0']],
  ['nothing', '', ['2.0.0', '0.1.0']],
  ['two numbers', ['2', '2'], ['2.0.0', '0.1.0']],
])('loses nothing where a receiver says that it has written %s', async (_what, written, sent) => {
  const { versions, send } = remoteWriteTo({ headers: { [WRITTEN]: written } }, {});
  expect(await send()).toEqual({ kind: 'accepted' });
  expect(versions).toEqual(sent);
});

it.each([
  [400, 'out of order sample', 'out_of_order'],
  [400, 'out of bounds', 'too_old'],
  [500, 'too old sample', 'too_old'],
  [409, 'store locally for endpoint: add 2 samples: out of order sample', 'out_of_order'],
  [409, 'add 1 samples: duplicate sample for timestamp', 'duplicate'],
  [400, 'label value too long', 'invalid'],
  [413, '', 'too_large'],
])('takes %i "%s" for a refusal: %s', async (status, words, reason) => {
  const { send } = remoteWriteTo({ status, words, headers: { [WRITTEN]: '0' } });
  expect(await send()).toMatchObject({ kind: 'refused', reason });
});

it.each([401, 403, 404, 408, 409, 429, 500, 502, 503])('keeps the samples after %i', async (status) => {
  const { send } = remoteWriteTo({ status, words: 'no', retryAfterMs: 7_000 });
  expect(await send()).toEqual({ kind: 'failed', words: `HTTP ${status}: no`, retryAfterMs: 7_000 });
});

it.each(NO_RECEIVERS)('keeps the samples after success of %s', async (_what, reply) => {
  const { versions, send } = remoteWriteTo(reply, { headers: { [WRITTEN]: '2' } });
  expect(await send()).toMatchObject({ kind: 'failed', words: expect.stringContaining(reply.words ?? '') });
  expect(await send()).toEqual({ kind: 'accepted' });
  expect(versions).toEqual(['2.0.0', '2.0.0']);
});

it('takes what receivers say in JSON for success', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const json of ['{}', '{"status":"success"}', '{"errors":[]}', '{"error":null}', 'no JSON', '']) {
    const { send } = remoteWriteTo({ status: 415 }, { status: 200, headers, body: Buffer.from(json) });
    expect(await send()).toEqual({ kind: 'accepted' });
  }
});

it('takes success that is no page for success, also where a server calls every answer HTML', async () => {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  for (const [status, words] of [
    [204, ''],
    [200, ''],
    [200, 'OK'],
  ] as const) {
    const { send } = remoteWriteTo({ status: 415 }, { status, headers, words, body: Buffer.from(words) });
    expect(await send()).toEqual({ kind: 'accepted' });
  }
});
