import { expect, test } from 'vitest';
import { lifeOf } from '../../../src/exporter/credentials/token-operations.ts';

const HOUR = 3_600_000;
const receivedAt = Date.UTC(2026, 0, 5, 12);

test.each([
  ['2016-11-18T14:10:58.024903Z', '2016-11-19T14:10:58.024903Z'],
  ['2019-04-01 13:53:28.536782+00:00', '2019-04-02 13:53:28.536782+00:00'],
])('a token of %s to %s serves 24 h from now, however far the local clock is off', (createdAt, expiresAt) => {
  expect(lifeOf({ createdAt, expiresAt, receivedAt, serverDate: undefined })).toEqual({
    renewAt: receivedAt + 20.4 * HOUR,
    expiresAt: receivedAt + 24 * HOUR,
    assumed: false,
  });
});

test("without a creation time the answer's date is taken, and without that the local time", () => {
  const expiresAt = new Date(receivedAt + 3 * HOUR).toISOString();
  const times = { createdAt: 'garbage', expiresAt, receivedAt };
  expect(lifeOf({ ...times, serverDate: receivedAt + HOUR }).expiresAt).toBe(receivedAt + 2 * HOUR);
  expect(lifeOf({ ...times, serverDate: undefined }).expiresAt).toBe(receivedAt + 3 * HOUR);
});

test.each([undefined, null, '', 'never', 1554126808, '2019-04-01T12:00:00Z', '2019-04-01T13:53:28Z'])(
  'an expiry of %j, which is none or not after the creation, is taken for 24 h',
  (expiresAt) => {
    const life = lifeOf({ createdAt: '2019-04-01T13:53:28Z', expiresAt, receivedAt, serverDate: undefined });
    expect(life).toMatchObject({ expiresAt: receivedAt + 24 * HOUR, assumed: true });
  },
);

test('a token that lives shorter than a minute is used for a minute', () => {
  const times = { createdAt: '2019-04-01T13:53:28Z', expiresAt: '2019-04-01T13:53:29Z' };
  expect(lifeOf({ ...times, receivedAt, serverDate: undefined }).expiresAt).toBe(receivedAt + 60_000);
});
