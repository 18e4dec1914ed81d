import { describe, expect, it } from 'vitest';
import { AccountJobs } from '../../../src/exporter/account/jobs.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import type { PollResult } from '../../../src/exporter/poll/job.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

const NOW = Date.UTC(2026, 0, 5, 12);

function started() {
  const config = CONFIG.parse({
    accounts: [
      {
        name: 'test',
        api_url: 'https://api.example.net',
        token: 'token',
        source: 'rest',
        reconciliation_share: 0,
        collectors: { analytics: { products: { cloud_storage: { by: ['product'] } } } },
      },
    ],
  });
  const [account] = config.accounts;
  if (account === undefined) throw new Error('one account was configured');
  const jobs = new AccountJobs({
    account,
    state: NO_MEMORY,
    scopes: new LimitScopes({ reserve: 0.2, assumedLimit: 200, platformClock: new PlatformClock(() => NOW) }),
  });
  /** Answers the read of the metadata, which lists the metrics. */
  const answer = async (body: unknown): Promise<PollResult> => {
    const job = jobs.jobs().find(({ id }) => id === 'discovery/analytics/metadata');
    if (job === undefined) throw new Error('the metadata are not asked for');
    const result = await job.conclude(
      await job.read(async () => ({ body }) as never, new AbortController().signal),
    );
    jobs.learn(job, result.outcome, result);
    return result;
  };
  const metrics = () => {
    jobs.jobs();
    return jobs.series().map(({ metric }) => metric);
  };
  /** Returns the metrics for which a poll without data changes the set of reads. */
  const finding = () => {
    jobs.jobs();
    return jobs
      .seriesJobs()
      .flatMap((job) => (jobs.learn(job, 'not_found', undefined) ? job.subject.metric : []));
  };
  return { answer, metrics, finding };
}

describe('the metadata of analytics', () => {
  it('say which metrics are read: one that is not listed any more is not', async () => {
    const { answer, metrics } = started();
    expect(metrics()).toEqual(['used_space']);
    expect(await answer({ used_space: ['total'], requests: ['total'] })).toMatchObject({ outcome: 'ok' });
    expect(metrics()).toEqual(['used_space', 'requests']);
    await answer({ requests: ['total'] });
    expect(metrics()).toEqual(['requests']);
  });

  it('name metrics that are tried: a poll of those may change what is read, and one of the known may not', async () => {
    const { answer, finding } = started();
    expect(finding()).toEqual([]);
    await answer({ used_space: ['total'], requests: ['total'] });
    expect(finding()).toEqual(['requests']);
  });

  it('without any metric change nothing', async () => {
    const { answer, metrics } = started();
    expect(await answer({})).toMatchObject({ outcome: 'empty' });
    expect(metrics()).toEqual(['used_space']);
  });

  it.each<[string, unknown]>([
    ['a list', ['used_space']],
    ['text', 'used_space'],
    ['nothing', null],
    ['an envelope', { results: { used_space: ['total'] } }],
    ['an error that calls itself a success', { detail: 'Not found.', errors: [] }],
    ['metrics without dimensions', { used_space: 1, requests: 'total' }],
    ['names that are not documented, and no other', { 'cache-status': ['hit'], items: [] }],
  ])('that are %s are refused, and change nothing', async (_, body) => {
    const { answer, metrics } = started();
    await expect(answer(body)).rejects.toThrow(PlatformFailure);
    await expect(answer(body)).rejects.toMatchObject({ outcome: 'undecodable' });
    expect(metrics()).toEqual(['used_space']);
  });

  it('have the names that fit into a path taken, a thousand at most, and the others counted', async () => {
    const { answer, metrics } = started();
    const bad = {
      '..': ['total'],
      'a/b': [],
      '': [],
      '\ud800': [],
      [`a${'b'.repeat(100)}`]: [],
      requests: 7,
    };
    const { rejected } = await answer({ used_space: null, ...bad });
    expect(metrics()).toEqual(['used_space']);
    expect(rejected).toEqual(new Map([['bad_item', 6]]));
    const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`metric_${index}`, []]));
    expect((await answer({ used_space: [], ...many })).rejected).toEqual(new Map([['over_limit', 501]]));
    expect(metrics().length).toBeLessThanOrEqual(1_000);
  });
});
