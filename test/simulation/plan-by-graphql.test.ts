import { expect, it, onTestFinished } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { livePlan } from '../../src/exporter/plan/live-plan.ts';
import { createSandbox, DEFAULT_TOKEN, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { watchPendingWork } from '../pending-work.ts';
import { SimulatedClock } from '../simulated-clock.ts';

const SETTINGS = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));

async function planned(options: SandboxOptions, products: Record<string, object>) {
  const clock = new SimulatedClock();
  const sandbox = createSandbox({ now: () => clock.now(), restAnalytics: 'absent', ...options });
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const config = CONFIG.parse({
    accounts: [
      {
        name: 'test',
        api_url: platform.url,
        token: DEFAULT_TOKEN.token,
        collectors: { metrics: { products }, ...SETTINGS },
      },
    ],
  });
  const [account] = config.accounts;
  if (account === undefined) throw new Error('one account was configured');
  const told: string[] = [];
  const stop = new AbortController();
  const plan = livePlan({
    account,
    clock,
    signal: stop.signal,
    tell: (text) => told.push(text),
    guard: () => {},
  });
  const work = watchPendingWork();
  onTestFinished(() => work.stop());
  return {
    plan,
    told,
    stop,
    minutes: (count: number) => clock.advance(count * 60_000, { busy: () => work.count(0) }),
  };
}

it('says what nothing is read of, and plans comparisons with the quota of the source', async () => {
  const { plan, minutes } = await planned({}, { edge_applications: { metrics: ['waf'] }, load_balancer: {} });
  await minutes(5);
  const made = await plan;
  if ('unreachable' in made) throw new Error(made.unreachable);
  expect(made.notes).toEqual(['GraphQL has none of the metrics of load_balancer: nothing of them is read']);
  const scopeOf = (collector: string) =>
    made.rows.filter((row) => row.collector === collector).map(({ scope }) => scope);
  expect(scopeOf('metrics')).toEqual(['graphql']);
  expect(scopeOf('reconciliation')).toEqual(['graphql']);
});

it('says every minute that it still waits beside a client that leaves nothing, and how to do without', async () => {
  const { plan, minutes, told, stop } = await planned(
    { faults: { other_consumer: { share: 0.9 } }, rateLimit: { reads: 10, writes: 5, purges: 5 } },
    { edge_applications: { metrics: ['waf'] } },
  );
  const ending = plan.catch((error: unknown) => error);
  await minutes(4);
  const still = told.filter((text) => text.includes(' reads of this part done after '));
  expect(still.length).toBeGreaterThan(1);
  expect(still.at(-1)).toMatch(/^\d of 10 .* after \d min, next .*, --offline plans without any$/);
  stop.abort(new Error('enough'));
  expect(await ending).toMatchObject({ message: 'enough' });
  const before = told.length;
  await minutes(3);
  expect(told).toHaveLength(before);
});
