import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import type { SourceName, SourceReader } from '../../../src/exporter/series/series-source.ts';
import { ChosenReader, SourceChoice } from '../../../src/exporter/series/source-choice.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

const MINUTE = 60_000;
const WINDOW = { from: 0, to: MINUTE };

/** Readers of so many targets, by two sources that answer as `outcomes` says, and what was read. */
function accountOf(targets: number) {
  let now = 0;
  const outcomes: Record<SourceName, 'ok' | 'not_found' | 'forbidden'> = { rest: 'not_found', graphql: 'ok' };
  const reads: string[] = [];
  const platformClock = new PlatformClock(() => now);
  const sources = new SourceChoice({
    account: { name: 'acme', api_url: 'https://api.example.net' },
    memory: new AccountMemory(NO_MEMORY),
    configured: { metrics: 'auto', analytics: 'auto' },
    now: () => now,
  });
  const sourceOf = (name: SourceName): SourceReader => ({
    name,
    group: name,
    dimensions: undefined,
    costsByWindow: false,
    cost: () => 1,
    read: async () => {
      reads.push(name);
      if (outcomes[name] !== 'ok') throw new PlatformFailure(outcomes[name], `${name} fails`);
      const decoded = { series: new Map(), rejected: new Map(), width: undefined, rows: 0 };
      return { decoded, window: WINDOW, now };
    },
  });
  const readers = Array.from({ length: targets }, (_, index) => {
    const [rest, graphql] = [sourceOf('rest'), sourceOf('graphql')];
    return new ChosenReader({
      sources,
      api: 'metrics',
      target: `target-${index}`,
      metric: 'requests',
      all: () => ({ series: targets, targets }),
      platformClock,
      rest,
      graphql: () => graphql,
    });
  });
  /** Reads all of them once, as far as they answer; what was read. */
  const readAll = async (minute: number) => {
    now = minute * MINUTE;
    reads.length = 0;
    const never = () => Promise.reject(new Error('these sources ask nothing'));
    for (const reader of readers)
      await reader.read(never, () => WINDOW, new AbortController().signal).catch(() => undefined);
    return [...reads];
  };
  return { readAll, outcomes, source: () => sources.of('metrics').source };
}

it('reads by GraphQL at once what REST has just shown not to have, and asks REST again until it answers', async () => {
  const { readAll, outcomes, source } = accountOf(4);
  expect(await readAll(0)).toEqual(['rest', 'rest', 'rest', 'graphql', 'graphql']);
  expect(await readAll(9)).not.toContain('rest');
  // One target, and what REST does not have is read by GraphQL in the same poll.
  expect(await readAll(10)).toEqual(['graphql', 'graphql', 'graphql', 'rest', 'graphql']);
  outcomes.rest = 'ok';
  expect(await readAll(11)).not.toContain('rest');
  expect((await readAll(30)).filter((name) => name === 'rest').length).toBeGreaterThan(0);
  expect(source()).toBe('rest');
});

it('returns to REST from a GraphQL that never answered', async () => {
  const { readAll, outcomes, source } = accountOf(3);
  outcomes.graphql = 'forbidden';
  await readAll(0);
  expect(source()).toBe('graphql');
  outcomes.rest = 'ok';
  await readAll(20);
  expect(source()).toBe('rest');
  expect(await readAll(21)).toEqual(['rest', 'rest', 'rest']);
});
