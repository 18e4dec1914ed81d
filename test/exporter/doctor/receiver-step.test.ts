import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { receiverStep } from '../../../src/exporter/doctor/network-steps.ts';
import { served } from '../../served.ts';

async function examined(status: number, words: string, headers: Record<string, string> = {}) {
  const asked: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    request.resume().on('end', () => response.writeHead(status, headers).end(words));
  });
  const port = await served(server);
  const url = `http://127.0.0.1:${port}/api/v1/write`;
  const [receiver] = PUSH.parse([{ name: 'central', kind: 'remote_write', url, token: 's3cret-value' }]);
  if (receiver === undefined) throw new Error('no receiver');
  return { step: await receiverStep(receiver, systemClock, new AbortController().signal), asked };
}

it('tells that a receiver takes a sample, with the token and the version in use', async () => {
  const { step, asked } = await examined(204, '', { 'x-prometheus-remote-write-samples-written': '1' });
  expect(step).toEqual({
    step: 'receiver central',
    status: 'ok',
    text: 'it has taken the sample edge_exporter_doctor by remote_write 2.0',
  });
  expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer s3cret-value']);
});

it('tells why a receiver does not take it, in its own words and without the secret', async () => {
  const { step } = await examined(401, 'wrong token: s3cret-value');
  expect(step).toMatchObject({ status: 'problem', text: expect.stringContaining('HTTP 401: wrong token') });
  expect(step.text).not.toContain('s3cret');
});
