import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { simulate } from './simulation.ts';

const MINUTE = 60_000;
const METRICS = { products: { edge_applications: { metrics: ['cdn_requests', 'status_code', 'waf'] } } };

async function withTokenFile() {
  const folder = await mkdtemp(join(tmpdir(), 'refused-token-'));
  const path = join(folder, 'token');
  await writeFile(path, DEFAULT_TOKEN.token);
  const account = { token_file: path, collectors: { metrics: METRICS, domains: {} } };
  const simulation = await simulate({ account });
  onTestFinished(async () => {
    await simulation.close();
    await rm(folder, { recursive: true });
  });
  await simulation.minutes(3);
  const refusals = () => simulation.sandbox.requests.byStatus.get(401) ?? 0;
  return { ...simulation, refusals, write: (token: string) => writeFile(path, token) };
}

it('tries a refused token once a minute, and shows what waits for that', async () => {
  const { minutes, write, refusals, exporter } = await withTokenFile();
  await write('revoked');
  await minutes(5);
  const afterFive = refusals();
  // In the first two minutes, the exporter tries about a dozen times, because only one resource might be
  // refused.
  expect(afterFive).toBeLessThanOrEqual(16);
  await minutes(14);
  expect(refusals() - afterFive).toBeGreaterThanOrEqual(12);
  expect(refusals() - afterFive).toBeLessThanOrEqual(15);
  const [account] = exporter().accounts();
  expect(account).toMatchObject({ up: false, note: 'the platform refuses the token' });
  const waiting = account?.jobs.slice().filter(({ state }) => state === 'waiting') ?? [];
  expect(waiting.length).toBeGreaterThan(10);
  for (const { why } of waiting) {
    expect(why).toMatch(
      /^due for .*: the platform refuses the token, single requests probe whether it still does$/,
    );
  }
});

it('tries another token at once, and goes on with everything when it is accepted', async () => {
  const { minutes, write, refusals, exporter, clock } = await withTokenFile();
  await write('revoked');
  await minutes(9.5);
  const before = refusals();
  await write(DEFAULT_TOKEN.token);
  await minutes(0.1);
  expect(refusals()).toBe(before);
  expect(exporter().accounts()[0]?.up).toBe(true);
  await minutes(1);
  const jobs = exporter().accounts()[0]?.jobs ?? [];
  const everyMinute = jobs.slice().filter(({ schedule }) => schedule === '* * * * *');
  expect(everyMinute.length).toBeGreaterThan(10);
  for (const { last_success_at: at } of everyMinute) {
    expect(Date.parse(at ?? '')).toBeGreaterThan(clock.now() - 1.2 * MINUTE);
  }
});

it('calls a wrong password that, and not a refused token', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wrong-password-'));
  const path = join(folder, 'password');
  await writeFile(path, 'wrong');
  const account = { username: 'operator@example.com', password_file: path, collectors: { metrics: METRICS } };
  const { minutes, exporter, log, close } = await simulate({ account });
  onTestFinished(async () => {
    await close();
    await rm(folder, { recursive: true });
  });
  await minutes(6);
  const [status] = exporter().accounts();
  expect(status).toMatchObject({ up: false, note: 'the platform refuses the user name or the password' });
  const told = JSON.stringify([
    status,
    [...exporter().notReady()].flat(),
    log.map((line) => [line.message, line.facts]),
  ]);
  expect(told).not.toContain('refuses the token');
});
