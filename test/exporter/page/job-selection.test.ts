import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  JOB_FILTERS,
  JOBS_PER_PAGE,
  parseJobQuery,
  passes,
  selectJobs,
} from '../../../src/exporter/page/jobs-table.ts';
import { OUTCOMES } from '../../../src/exporter/platform/read.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { allStepsOf } from '../../in-steps.ts';
import { at, madeUpAccount, madeUpJob } from './made-up-status.ts';

function idsFor(search: string, jobs: readonly JobStatus[]): string[] {
  return allStepsOf(selectJobs([madeUpAccount({ jobs })], parseJobQuery(search))).jobs.map(
    ({ job }) => job.id,
  );
}

const ALL = parseJobQuery('');

describe('the query in an address', () => {
  test('has words of 200 characters at most', () => {
    expect(parseJobQuery(`q=${'waf+'.repeat(3_000)}`).words).toBe('waf '.repeat(50));
  });

  test('is words, a filter and a page', () => {
    expect(parseJobQuery('q=waf+shop&show=failing&page=3')).toEqual({
      words: 'waf shop',
      filter: 'failing',
      page: 3,
      account: undefined,
      listsAll: false,
    });
  });

  test.each(['', 'show=everything&page=0', 'page=-1', 'page=1.5', 'page=NaN', 'page=1e99', '%zz=%', 'q='])(
    'is the first page of all jobs for "%s"',
    (search) => {
      expect(parseJobQuery(search)).toMatchObject({ words: '', filter: 'all', page: 1 });
    },
  );
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

test('a word with a field name asks for the whole of that field alone', () => {
  const jobs = [
    madeUpJob({ id: 'a', product: 'waf', metric: 'requests' }),
    madeUpJob({ id: 'b', product: 'edge_applications', metric: 'waf' }),
    madeUpJob({ id: 'c', product: 'waf_next', metric: 'requests' }),
  ];
  expect(idsFor('q=product:waf', jobs)).toEqual(['a']);
  expect(idsFor('q=metric:waf+account:production', jobs)).toEqual(['b']);
  expect(idsFor('q=account:prod', jobs)).toEqual([]);
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
      const first = allStepsOf(selectJobs(accounts, { ...ALL, filter }));
      const shown = Array.from({ length: first.pages }, (_, i) =>
        allStepsOf(selectJobs(accounts, { ...ALL, filter, page: i + 1 })).jobs.map(
          (candidate) => candidate.job,
        ),
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
  const selection = allStepsOf(selectJobs([madeUpAccount({ jobs })], { ...ALL, page: 99 }));
  expect(selection).toMatchObject({ pages: 2, start: JOBS_PER_PAGE, query: { page: 2 } });
  expect(selection.jobs).toHaveLength(1);
});

test('of one account that is asked for, only its jobs are shown and counted', () => {
  const accounts = ['a', 'b'].map((name) =>
    madeUpAccount({ name, jobs: [madeUpJob({ id: `job of ${name}` })] }),
  );
  const { jobs, counts } = allStepsOf(selectJobs(accounts, parseJobQuery('account=b')));
  expect(jobs.map(({ job: { id } }) => id)).toEqual(['job of b']);
  expect(counts.all).toBe(1);
});

test('a page of thousands of jobs is that of all of them in their order', () => {
  const ages = Array.from({ length: 10_000 }, (_, i) => (i * 7_919) % 10_000);
  const jobs = ages.map((age) => madeUpJob({ id: String(age), last_bucket_at: at(-age) }));
  const selection = allStepsOf(selectJobs([madeUpAccount({ jobs })], { ...ALL, page: 3 }));
  const expected = Array.from({ length: JOBS_PER_PAGE }, (_, i) => String(9_999 - 2 * JOBS_PER_PAGE - i));
  expect(selection.jobs.map(({ job: { id } }) => id)).toEqual(expected);
});

/** Fields of a status that take their time to find out. */
const COSTLY = [
  'why',
  'expected_age_seconds',
  'counted_until',
  'expected_counted_age_seconds',
  'next_at',
] as const;

test('a search asks for nothing that takes its time of jobs without its words, a state only for what shows it', () => {
  const asked: string[] = [];
  const watched = (job: JobStatus) => {
    for (const field of COSTLY) {
      const value = job[field];
      const get = () => {
        asked.push(`${job.id} ${field}`);
        return value;
      };
      Object.defineProperty(job, field, { get });
    }
    return job;
  };
  const jobs = ['a', 'b', 'c'].map((id) => watched(madeUpJob({ id, metric: id, state: 'waiting' })));
  const accounts = [madeUpAccount({ jobs })];
  expect(allStepsOf(selectJobs(accounts, parseJobQuery('q=b'))).counts.all).toBe(1);
  expect(new Set(asked.map((one) => one.split(' ')[0]))).toEqual(new Set(['b']));
  asked.length = 0;
  const known = { all: 3, failing: 0, late: 2, behind: 0, waiting: 2, running: 0, new: 0 };
  const waiting = allStepsOf(selectJobs(accounts, parseJobQuery('show=waiting'), known));
  expect(waiting.counts).toEqual({ ...known, waiting: 3 });
  expect(waiting.jobs).toHaveLength(3);
  expect(asked).toEqual([]);
});
