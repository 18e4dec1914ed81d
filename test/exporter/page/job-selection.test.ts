import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JOBS_PER_PAGE, passes, selectJobs } from '../../../src/exporter/page/jobs-table.ts';
import { JOB_FILTERS, parsePageQuery } from '../../../src/exporter/page/query.ts';
import { OUTCOMES } from '../../../src/exporter/platform/read.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { at, madeUpAccount, madeUpJob } from './made-up-status.ts';

function idsFor(search: string, jobs: readonly JobStatus[]): string[] {
  return selectJobs([madeUpAccount({ jobs })], parsePageQuery(`jobs=all&${search}`)).jobs.map(
    ({ job }) => job.id,
  );
}

const ALL = parsePageQuery('jobs=all');

describe('the query in an address', () => {
  test('has words of 200 characters at most', () => {
    expect(parsePageQuery(`q=${'waf+'.repeat(3_000)}`).words).toBe('waf '.repeat(50));
  });

  test('is an account, a part, words, a filter and a page', () => {
    expect(parsePageQuery('q=waf+shop&jobs=failing&page=3&account=a&part=waf')).toEqual({
      words: 'waf shop',
      jobs: 'failing',
      part: 'waf',
      page: 3,
      account: 'a',
      listsAll: false,
    });
  });

  test.each(['', 'jobs=everything&page=0', 'page=-1', 'page=1.5', 'page=NaN', 'page=1e99', '%zz=%', 'q='])(
    'asks for no jobs with "%s"',
    (search) => {
      expect(parsePageQuery(search)).toMatchObject({ words: '', jobs: undefined, page: 1 });
    },
  );

  test.each(['q=waf', 'part=waf'])('asks for all jobs with "%s"', (search) => {
    expect(parsePageQuery(search).jobs).toBe('all');
  });
});

test('failing jobs come first, and within them those without data, then those with the oldest', () => {
  const jobs = [
    madeUpJob({ id: 'fresh', last_bucket_at: at(-60) }),
    madeUpJob({ id: 'old', last_bucket_at: at(-600) }),
    madeUpJob({ id: 'failing', last_outcome: 'timeout', last_bucket_at: at(-90) }),
    madeUpJob({ id: 'blind', last_outcome: 'forbidden', last_bucket_at: null, last_success_at: null }),
  ];
  expect(idsFor('', jobs)).toEqual(['blind', 'failing', 'old', 'fresh']);
});

test('every word must occur, in any letter case and in any part of what a job shows', () => {
  const jobs = [
    madeUpJob({ id: 'a', configuration: 'Shop-Checkout', metric: 'waf' }),
    madeUpJob({ id: 'b', configuration: 'blog', metric: 'waf' }),
    madeUpJob({ id: 'c', configuration: 'shop', last_reason: 'HTTP 502', metric: 'requests' }),
  ];
  expect(idsFor('q=SHOP+waf', jobs)).toEqual(['a']);
  expect(idsFor('q=502', jobs)).toEqual(['c']);
  expect(idsFor('q=production', jobs)).toEqual(['a', 'b', 'c']);
});

test('a part has its own jobs alone', () => {
  const jobs = [
    madeUpJob({ id: 'a', product: 'waf', metric: 'requests' }),
    madeUpJob({ id: 'b', product: 'edge_applications', metric: 'waf' }),
    madeUpJob({ id: 'c', product: 'waf_next', metric: 'requests' }),
  ];
  expect(idsFor('part=waf', jobs)).toEqual(['a']);
});

const job = fc.record({
  id: fc.string(),
  state: fc.constantFrom('idle', 'waiting', 'running'),
  last_outcome: fc.option(fc.constantFrom(...OUTCOMES)),
  last_bucket_at: fc.option(fc.integer({ min: -9_000, max: 0 }).map(at)),
});

test('turning the pages shows each selected job exactly once, and the counts tell how many there are', () => {
  fc.assert(
    fc.property(fc.array(job, { maxLength: 350 }), fc.constantFrom(...JOB_FILTERS), (made, filter) => {
      const jobs = made.map((changes) => madeUpJob(changes as Partial<JobStatus>));
      const accounts = [madeUpAccount({ jobs })];
      const first = selectJobs(accounts, { ...ALL, jobs: filter });
      const shown = Array.from({ length: first.pages }, (_, i) =>
        selectJobs(accounts, { ...ALL, jobs: filter, page: i + 1 }).jobs.map((candidate) => candidate.job),
      ).flat();
      const expected = jobs.filter((candidate) => passes(candidate, filter));
      expect(new Set(shown)).toEqual(new Set(expected));
      expect(shown).toHaveLength(expected.length);
      expect(first.counts[filter]).toBe(expected.length);
    }),
    { numRuns: 40 },
  );
});

test('a page beyond the last is the last', () => {
  const jobs = Array.from({ length: JOBS_PER_PAGE + 1 }, (_, i) => madeUpJob({ id: String(i) }));
  const selection = selectJobs([madeUpAccount({ jobs })], { ...ALL, page: 99 });
  expect(selection).toMatchObject({ pages: 2, start: JOBS_PER_PAGE, query: { page: 2 } });
  expect(selection.jobs).toHaveLength(1);
});

test('of one account that is asked for, only its jobs are shown and counted', () => {
  const accounts = ['a', 'b'].map((name) =>
    madeUpAccount({ name, jobs: [madeUpJob({ id: `job of ${name}` })] }),
  );
  const { jobs, counts } = selectJobs(accounts, parsePageQuery('jobs=all&account=b'));
  expect(jobs.map(({ job: { id } }) => id)).toEqual(['job of b']);
  expect(counts.all).toBe(1);
});

test('a page of thousands of jobs is that of all of them in their order', () => {
  const ages = Array.from({ length: 10_000 }, (_, i) => (i * 7_919) % 10_000);
  const jobs = ages.map((age) => madeUpJob({ id: String(age), last_bucket_at: at(-age) }));
  const selection = selectJobs([madeUpAccount({ jobs })], { ...ALL, page: 3 });
  const expected = Array.from({ length: JOBS_PER_PAGE }, (_, i) => String(9_999 - 2 * JOBS_PER_PAGE - i));
  expect(selection.jobs.map(({ job: { id } }) => id)).toEqual(expected);
});
