import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { credentialsFrom } from '../../src/exporter/account/connection.ts';
import { type Clock, systemClock } from '../../src/exporter/clock.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { RunningAccounts } from '../../src/exporter/exporter.ts';
import { Store } from '../../src/exporter/exposition/store.ts';
import { Turns } from '../../src/exporter/poll/operations.ts';
import { reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { type State, StateWriteFailure } from '../../src/exporter/state/state.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { noToken } from './credentials/no-token.ts';

const never = new AbortController().signal;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const optionsBy = (clock: Clock, metrics = createSelfMetrics()) => ({
  clock,
  store: new Store({ seriesLimit: 1_000 }),
  observer: reportTo(metrics, log, clock),
  turns: new Turns(),
});

async function accountsNamed(...names: readonly string[]) {
  const clock = new SimulatedClock();
  const configured = (token: string) =>
    CONFIG.parse({ accounts: names.map((name) => ({ name, api_url: 'http://127.0.0.1:9', token })) });
  let letGo = (): void => undefined;
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let [closing, closed] = [0, 0];
  const metrics = createSelfMetrics();
  const options = optionsBy(clock, metrics);
  const left: string[] = [];
  const minutes: ((at: number) => void)[] = [];
  const accounts = new RunningAccounts({
    ...options,
    observer: { ...options.observer, left: (account) => void left.push(account) },
    ticker: (_, fire) => {
      minutes.push(fire);
      return () => undefined;
    },
    credentials: () =>
      noToken(async () => {
        closing += 1;
        await isLetGo;
        closed += 1;
      }),
  });
  onTestFinished(() => {
    letGo();
    return accounts.stop(never);
  });
  const { accounts: configs, limits } = configured('x');
  await accounts.apply(configs, limits, never);
  const apply = (token: string) => accounts.apply(configured(token).accounts, limits, never);
  return {
    accounts,
    apply,
    letGo,
    closing: () => closing,
    closed: () => closed,
    left,
    minutes,
    clock,
    metrics,
  };
}

function refusing(error: Error): State {
  return {
    ...memoryState(),
    commit: async () => {
      throw error;
    },
  };
}

test('an account that is given away while a reload stops it is given away when it has stopped', async () => {
  const { accounts, apply, letGo, closing, closed, left } = await accountsNamed('a');
  accounts.own('a', { state: memoryState() });
  const applied = apply('y');
  while (closing() === 0) await setImmediate();
  let isGivenAway = false;
  const givenAway = accounts.disown('a', never).then(() => {
    isGivenAway = true;
  });
  await setImmediate();
  expect(isGivenAway).toBe(false);
  letGo();
  await Promise.all([applied, givenAway]);
  expect([closed(), accounts.views()]).toEqual([1, []]);
  expect(left).toEqual(['a']);
});

test('a fault while an account is looked at is counted, and ends neither the account nor the process', async () => {
  const { accounts, minutes, clock, metrics } = await accountsNamed('a');
  accounts.own('a', { state: memoryState() });
  // The account subscribes to its own minute first; its jobs follow.
  const [fire = () => expect.unreachable()] = minutes;
  const wall = clock.wall.bind(clock);
  let isBroken = true;
  clock.wall = () => {
    if (isBroken) throw new Error('a bug');
    return wall();
  };
  fire(wall());
  expect((await metrics.defects.get()).values).toMatchObject([{ value: 1 }]);
  isBroken = false;
  fire(wall());
  expect(accounts.views()[0]?.lastLook()?.facts.state).toBe('starting');
});

test('an account whose state is closed already still gives back its token and its connections', async () => {
  const { accounts, letGo, closed } = await accountsNamed('a');
  accounts.own('a', { state: refusing(new Error('the state is closed')) });
  letGo();
  await accounts.disown('a', never);
  expect(closed()).toBe(1);
});

test('what one state refuses does not keep the others from being pruned', async () => {
  const { accounts } = await accountsNamed('a', 'b');
  const pruned: string[] = [];
  accounts.own('a', { state: refusing(new StateWriteFailure('full')) });
  accounts.own('b', { state: { ...memoryState(), commit: async () => void pruned.push('b') } });
  await accounts.prune(memoryState());
  expect(pruned).toEqual(['b']);
});

test('an account that is given away while others are pruned is left out', async () => {
  const { accounts, letGo } = await accountsNamed('a', 'b');
  letGo();
  const b = {
    ...memoryState(),
    keys: () => {
      throw new Error('the state is closed');
    },
  };
  accounts.own('a', { state: { ...memoryState(), commit: () => accounts.disown('b', never) } });
  accounts.own('b', { state: b });
  await expect(accounts.prune(memoryState())).resolves.toBeUndefined();
});

test('what an account asks for is told once its configurations are known, and not anew as nothing while a reload starts it', async () => {
  const { url, close } = await createSandbox({ configurations: 6 }).listen(0);
  const accounts = new RunningAccounts({
    ...optionsBy(systemClock),
    ticker: () => () => undefined,
    credentials: credentialsFrom(systemClock, { guard: () => undefined, onNotice: () => undefined }),
  });
  onTestFinished(async () => {
    await accounts.stop(never);
    await close();
  });
  const apply = (timeout: string) => {
    const { token } = DEFAULT_TOKEN;
    const account = { name: 'a', api_url: url, token, request: { timeout } };
    const { accounts: configs, limits } = CONFIG.parse({ accounts: [account] });
    return accounts.apply(configs, limits, never);
  };
  await apply('20s');
  accounts.own('a', { state: memoryState() });
  const told: number[][] = [];
  const look = () => told.push(accounts.demands().map(({ demand }) => demand));
  const isTold = async () => {
    await setImmediate();
    look();
    return told.at(-1)?.length === 1;
  };
  await eventually('its demand is told', isTold);
  await apply('10s');
  look();
  await eventually('its demand is told again', isTold);
  expect(Math.min(...told.flat())).toBeGreaterThan(100);
});
