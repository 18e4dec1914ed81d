import { expect, it } from 'vitest';
import { DiscoveryJob } from '../../../src/exporter/account/discovery-job.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { ConfigurationsCut } from '../../../src/exporter/graphql/graphql-source.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { AccountMemory, NO_MEMORY } from '../../../src/exporter/state/state.ts';

/** Lists the configurations of a product that REST does not list, and GraphQL fails to. */
function listedBy(elsewhere: PlatformFailure) {
  const job = new DiscoveryJob({
    memory: new AccountMemory(NO_MEMORY),
    account: 'test',
    product: productOf('metrics', 'edge_applications'),
    schedule: '0 * * * *',
    addressing: 'auto',
    platformClock: new PlatformClock(Date.now),
    most: () => 10,
    elsewhere: () => Promise.reject(elsewhere),
  });
  const gone = () => Promise.reject(new PlatformFailure('not_found', 'REST has no list', 404));
  return job.read(gone, new AbortController().signal);
}

it('a list that neither API has fails as REST says, and one that GraphQL cuts says that', async () => {
  await expect(listedBy(new PlatformFailure('not_found', 'no dataset'))).rejects.toThrow('REST has no list');
  await expect(listedBy(new ConfigurationsCut('workloadMetrics'))).rejects.toThrow(
    'the platform cuts their list',
  );
});
