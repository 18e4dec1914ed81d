import { expect, it } from 'vitest';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import {
  type Refusal,
  Refusals,
  refusalEntries,
  refusalOf,
  restoreRefusal,
  stands,
} from '../../../src/exporter/poll/refusals.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;
const accessOf = (id: () => string | undefined) => ({ id, look: async () => undefined });
const failure = (outcome: 'forbidden' | 'not_found' | 'server_error') =>
  new PlatformFailure(outcome, 'HTTP', 400);

it('of what does not exist stands for a minute, then for two, and so on up to an hour', () => {
  const polledAt: number[] = [];
  let refusal: Refusal | undefined;
  for (let now = 0; now < 200 * MINUTE; now += MINUTE) {
    if (stands(refusal, now)) continue;
    polledAt.push(now / MINUTE);
    refusal = refusalOf(failure('not_found'), refusal, now);
  }
  expect(polledAt).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
});

it.each(['not_found', 'forbidden'] as const)(
  'of what is usually read (%s) stands for 8 minutes at most',
  (outcome) => {
    const polledAt: number[] = [];
    let refusal: Refusal | undefined;
    for (let now = 0; now < 30 * MINUTE; now += MINUTE) {
      if (stands(refusal, now)) continue;
      polledAt.push(now / MINUTE);
      refusal = refusalOf(failure(outcome), refusal, now, undefined, true);
    }
    expect(polledAt).toEqual(outcome === 'forbidden' ? [0, 8, 16, 24] : [0, 1, 3, 7, 15, 23]);
  },
);

it('of a missing permission stands for an hour from the first time on', () => {
  const refusal = refusalOf(failure('forbidden'), undefined, 0);
  expect(stands(refusal, 59 * MINUTE)).toBe(true);
  expect(stands(refusal, 60 * MINUTE)).toBe(false);
});

it('does not leave out the poll of an hour later, which may begin sooner after its minute than the refusal came', () => {
  const refusal = refusalOf(failure('forbidden'), undefined, 20_000);
  expect(stands(refusal, 60 * MINUTE + 1_000)).toBe(false);
});

it('does not come of a failure that may pass', () => {
  expect(refusalOf(failure('server_error'), undefined, 0)).toBeUndefined();
});

it('does not stand once the clock of the platform was set back by more than it may last', () => {
  const refusal = refusalOf(failure('forbidden'), undefined, 120 * MINUTE);
  expect(stands(refusal, 100 * MINUTE)).toBe(false);
});

it('stands for the token that asked: with another it is as if nothing was refused', () => {
  const refusal = refusalOf(failure('not_found'), undefined, 0, 'a');
  expect(stands(refusal, 0, 'a')).toBe(true);
  expect(stands(refusal, 0, 'b')).toBe(false);
  expect(refusalOf(failure('not_found'), refusal, 0, 'b')?.times).toBe(1);
  expect(refusalOf(failure('not_found'), refusal, 0, 'a')?.times).toBe(2);
  expect(restoreRefusal(refusalEntries(['refused'], undefined, refusal)[0]?.value)).toEqual(refusal);
});

it('stands until it is known whose token there is, as one does of which the state does not say whose it is', () => {
  for (const [asked, now] of [
    ['a', undefined],
    [undefined, 'a'],
  ]) {
    const refusal = refusalOf(failure('not_found'), undefined, 0, asked);
    expect(stands(refusal, 0, now)).toBe(true);
    expect(refusalOf(failure('not_found'), refusal, 0, now)?.times).toBe(2);
  }
});

it('is kept in the state as it is, and goes with the first answer', () => {
  const key = ['refused', 'a'];
  const refusal = refusalOf(failure('not_found'), undefined, 0);
  const [entry] = refusalEntries(key, undefined, refusal);
  expect(entry?.key).toEqual(key);
  expect(restoreRefusal(JSON.parse(JSON.stringify(entry?.value)))).toEqual(refusal);
  expect(refusalEntries(key, refusal, refusal)).toEqual([]);
  expect(refusalEntries(key, refusal, undefined)).toEqual([{ key, value: undefined }]);
  expect(restoreRefusal({ outcome: 'of a later version' })).toBeUndefined();
});

it('is of the token that was asked with, though the answer comes when there is another already', async () => {
  let access = 'former';
  const refusals = new Refusals({ platformClock: { now: () => 0 }, access: accessOf(() => access) });
  await refusals.begin(undefined, never);
  access = 'latter';
  const refusal = refusals.of(failure('forbidden'));
  expect(refusals.stand(refusal)).toBe(false);
  await refusals.begin(refusal, never);
  const again = refusals.of(failure('forbidden'), refusal);
  await expect(refusals.begin(again, never)).rejects.toBe(again?.failure);
});

it('is of the token that was in use when it came, where none was known before', async () => {
  let access: string | undefined;
  const refusals = new Refusals({ platformClock: { now: () => 0 }, access: accessOf(() => access) });
  await refusals.begin(undefined, never);
  access = 'first';
  expect(refusals.stand(refusals.of(failure('forbidden')))).toBe(true);
});

it('of another token is no reason not to ask, also where the token is only read for that', async () => {
  const bed = (token: string) => {
    let read: string | undefined;
    const access = {
      id: () => read,
      look: async () => {
        read = token;
      },
    };
    return new Refusals({ platformClock: { now: () => 0 }, access });
  };
  const refusal = refusalOf(failure('forbidden'), undefined, 0, 'a');
  await expect(bed('a').begin(refusal, never)).rejects.toBe(refusal?.failure);
  await bed('b').begin(refusal, never);
});
