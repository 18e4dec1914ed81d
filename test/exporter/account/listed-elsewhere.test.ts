import { expect, it } from 'vitest';
import { DiscoveryJob, type DiscoveryJobOptions } from '../../../src/exporter/account/discovery-job.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { ConfigurationsCut } from '../../../src/exporter/graphql/configurations-with-traffic.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { adopt } from '../../../src/exporter/poll/runner.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

function listOf(options: Pick<DiscoveryJobOptions, 'elsewhere' | 'names'>) {
  const memory = new AccountMemory(NO_MEMORY);
  const job = new DiscoveryJob({
    memory,
    account: 'test',
    product: productOf('metrics', 'edge_applications'),
    schedule: '0 * * * *',
    addressing: 'auto',
    platformClock: new PlatformClock(Date.now),
    most: () => 10,
    ...options,
  });
  const gone = () => Promise.reject(new PlatformFailure('not_found', 'REST has no list', 404));
  const read = () => job.read(gone, new AbortController().signal);
  const warningOf = async () => {
    const result = job.conclude(await read());
    adopt(memory, result, true);
    return result.warning;
  };
  return { read, warningOf };
}

function listedBy(elsewhere: PlatformFailure, isInUse = false) {
  return listOf({ elsewhere: { isInUse: () => isInUse, list: () => Promise.reject(elsewhere) } }).read();
}

it('a list that neither API has fails as REST says, and one that GraphQL cuts says that', async () => {
  await expect(listedBy(new PlatformFailure('not_found', 'no dataset'))).rejects.toThrow('REST has no list');
  await expect(listedBy(new ConfigurationsCut('workloadMetrics'))).rejects.toThrow(
    'the platform cuts their list',
  );
});

it.each([
  [500, 'server_error'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [429, 'rate_limited'],
  [undefined, 'timeout'],
] as const)('fails as the API that is in use says: %s', async (status, outcome) => {
  const failure = new PlatformFailure(outcome, 'GraphQL fails', status);
  await expect(listedBy(failure, true)).rejects.toBe(failure);
});

it.each(['server_error', 'rate_limited', 'timeout', 'network'] as const)(
  'fails as the other API does if that may pass, so that it is asked again soon: %s',
  async (outcome) => {
    const failure = new PlatformFailure(outcome, 'GraphQL fails');
    await expect(listedBy(failure)).rejects.toBe(failure);
  },
);

it('warns once that ids stand for names, and again when the reason changes', async () => {
  let warning: string | undefined = 'no permission: ids stand for names';
  const { warningOf } = listOf({
    elsewhere: { isInUse: () => true, list: async () => [{ id: '1', name: '1', active: true, domains: [] }] },
    names: { cost: () => 0, of: async () => ({ names: new Map(), warning }) },
  });
  expect(await warningOf()).toBe(warning);
  expect(await warningOf()).toBeUndefined();
  warning = undefined;
  expect(await warningOf()).toBeUndefined();
  warning = 'HTTP 500: ids stand for names';
  expect(await warningOf()).toBe(warning);
});
