import { performance } from 'node:perf_hooks';
import { hashSync, verify } from '@node-rs/bcrypt';
import { expect, test } from 'vitest';
import { type Compare, createLoginVerifier } from '../../../src/exporter/web/basic-auth.ts';

const HASH = hashSync('open sesame', 4);
const USERS = new Map([['prometheus', HASH]]);
const RIGHT = { user: 'prometheus', password: 'open sesame' };

function watched(compare: Compare = verify) {
  const compared: [password: string, hash: string][] = [];
  const verifyLogin = createLoginVerifier((password, hash) => {
    compared.push([password, hash]);
    return compare(password, hash);
  });
  return { verifyLogin, compared };
}

test('a right login is verified once, a wrong one each time', async () => {
  const { verifyLogin, compared } = watched();
  for (let i = 0; i < 5; i++) expect(await verifyLogin(USERS, RIGHT)).toBe(true);
  expect(compared).toHaveLength(1);
  for (let i = 0; i < 2; i++) expect(await verifyLogin(USERS, { ...RIGHT, password: 'x' })).toBe(false);
  expect(compared).toHaveLength(3);
});

test('an unknown user costs a comparison as dear as a known one', async () => {
  const { verifyLogin, compared } = watched();
  expect(await verifyLogin(USERS, { user: 'nobody', password: 'x' })).toBe(false);
  expect(compared).toEqual([['x', expect.stringMatching(/^\$2.\$04\$.{53}$/)]]);
});

test('a changed password and a removed user count at once', async () => {
  const { verifyLogin } = watched();
  expect(await verifyLogin(USERS, RIGHT)).toBe(true);
  const changed = new Map([['prometheus', hashSync('another', 4)]]);
  expect(await verifyLogin(changed, RIGHT)).toBe(false);
  expect(await verifyLogin(changed, { ...RIGHT, password: 'another' })).toBe(true);
  expect(await verifyLogin(new Map([['other', HASH]]), RIGHT)).toBe(false);
  expect(await verifyLogin(USERS, RIGHT)).toBe(true);
});

test('a flood of guesses is turned away, and a known login does not wait for it', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding = false;
  const { verifyLogin, compared } = watched(async (password, hash) => {
    if (holding) await held;
    return verify(password, hash);
  });
  await verifyLogin(USERS, RIGHT);
  holding = true;
  const guess = (i: number) => verifyLogin(USERS, { user: 'prometheus', password: `guess ${i}` });
  const guesses = Array.from({ length: 100 }, (_, i) => guess(i));
  // One login is being verified, and 63 wait.
  expect(await Promise.all(guesses.slice(64))).toEqual(Array(36).fill('busy'));
  expect(await verifyLogin(USERS, RIGHT)).toBe(true);
  release();
  expect(await Promise.all(guesses.slice(0, 64))).toEqual(Array(64).fill(false));
  expect(compared).toHaveLength(1 + 64);
  expect(await guess(1_000)).toBe(false);
});

test('a comparison that fails is told, and the next login is verified', async () => {
  let isBroken = true;
  const { verifyLogin } = watched(async (password, hash) => {
    if (isBroken) throw new Error('no thread');
    return verify(password, hash);
  });
  await expect(verifyLogin(USERS, RIGHT)).rejects.toThrow('no thread');
  isBroken = false;
  expect(await verifyLogin(USERS, RIGHT)).toBe(true);
});

test('a right login that was not seen before is taken in the middle of guesses from the same address', async () => {
  const { verifyLogin } = watched();
  let guessing = true;
  let guesses = 0;
  const guesser = async () => {
    while (guessing) {
      await verifyLogin(USERS, { user: 'prometheus', password: `guess ${guesses++}` });
      // A client needs a moment before its next request.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const flood = Promise.all(Array.from({ length: 20 }, guesser));
  expect(await verifyLogin(USERS, RIGHT)).toBe(true);
  guessing = false;
  await flood;
});

test('one login is verified at a time', async () => {
  let under = 0;
  let most = 0;
  const { verifyLogin, compared } = watched(async () => {
    most = Math.max(most, ++under);
    await new Promise((resolve) => setImmediate(resolve));
    under--;
    return false;
  });
  await Promise.all(Array.from({ length: 40 }, () => verifyLogin(USERS, RIGHT)));
  expect([compared.length, most]).toEqual([40, 1]);
});

test('the event loop goes on while a password is compared', async () => {
  const verifyLogin = createLoginVerifier();
  const dear = new Map([['prometheus', hashSync('open sesame', 12)]]);
  // The first call loads and compiles the code before the measurement.
  await verifyLogin(USERS, { ...RIGHT, password: 'x' });
  const before = performance.eventLoopUtilization();
  expect(await verifyLogin(dear, RIGHT)).toBe(true);
  const { active, idle } = performance.eventLoopUtilization(before);
  expect(active).toBeLessThan(idle);
});
