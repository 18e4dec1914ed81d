import { expect, test } from 'vitest';
import { TOLERATED_BEHIND_SECONDS } from '../../src/page/job-selection.ts';
import { ALERTS } from '../../src/rules/alert-catalogue.ts';
import type { JobStatus, Status } from '../../src/status.ts';
import { at, madeUpAccount, madeUpJob, madeUpQuota, madeUpStatus } from './made-up-status.ts';
import { page } from './rendered.ts';

/** The sentence on top of the page, then each further finding. */
function verdict(status: Partial<Status>): string[] {
  const markup = page(madeUpStatus(status));
  const box = markup.slice(markup.indexOf('<div id="verdict"'), markup.indexOf('<dl class="figures">'));
  const findings = box.replaceAll(/<ul class="lines">.*?<\/ul>/g, '');
  const said = [...findings.matchAll(/<p class="says"[^>]*>(.*?)<\/p>|<li>(.*?)<p class="next">/g)];
  return said.map(([, first = '', other = '']) => (first || other).replace(/<[^>]*>/g, ''));
}

const fresh = (name: string) => madeUpAccount({ name });
const refused = madeUpAccount({
  name: 'staging',
  up: false,
  up_since: at(-31 * 60),
  note: 'the platform refuses the token',
  next_try_at: at(40),
  jobs: [madeUpJob({ last_outcome: 'unauthorized' })],
});

test('where all is well, one sentence says so, with the age of the oldest data', () => {
  expect(verdict({})).toEqual(['production is fresh: the oldest data is 1 min 40 s old.']);
  expect(verdict({ accounts: [fresh('a'), fresh('b')] })).toEqual([
    'All 2 accounts are fresh: the oldest data is 1 min 40 s old.',
  ]);
  expect(verdict({ accounts: [] })).toEqual(['No account is configured.']);
});

test('an account that is down is named with the cause, since when, and when it is tried next', () => {
  const clause = 'staging: the platform refuses the token (since 02:41 UTC, next try in 40 s).';
  expect(verdict({ accounts: [fresh('a'), refused, fresh('b')] })).toEqual([
    `2 of 3 accounts are fresh; ${clause}`,
  ]);
  expect(verdict({ accounts: [refused] })).toEqual([clause]);
});

test('what to do next depends on how the polls fail', () => {
  const next = (outcome: 'unauthorized' | 'server_error' | 'network') =>
    page(madeUpStatus({ accounts: [{ ...refused, jobs: [madeUpJob({ last_outcome: outcome })] }] }));
  expect(next('unauthorized')).toContain('Renew the credentials');
  expect(next('server_error')).toContain('The platform is at fault');
  expect(next('network')).toContain('<code>edge-exporter doctor</code> finds where it breaks');
});

test('data older than expected is not fresh, whatever the account says of itself', () => {
  const jobs = [
    madeUpJob({ data_age_seconds: 300, expected_age_seconds: 240 }),
    madeUpJob({ data_age_seconds: 1_500 }),
  ];
  const quota = [madeUpQuota({ others_per_minute: 149.6 })];
  expect(verdict({ accounts: [madeUpAccount({ jobs, quota, stretch: 3.2 })] })).toEqual([
    'production: 1 of 2 jobs show data older than expected, up to 25 min; intervals are 3.2 times as long as planned; other clients of the token take about 150 operations a minute.',
  ]);
});

test('data of polls that succeed is late because the platform is', () => {
  const job = { data_age_seconds: 1_500, last_outcome: 'ok' } as const;
  const late = '1 of 1 jobs show data older than expected, up to 25 min.';
  const said = (changes: Partial<JobStatus>) =>
    verdict({ accounts: [madeUpAccount({ jobs: [madeUpJob({ ...job, ...changes })] })] })[0];
  expect(said({})).toBe(`production: the platform is late: ${late}`);
  expect(said({ state: 'waiting' })).toBe(`production: ${late}`);
  expect(said({ last_outcome: 'server_error' })).toBe(`production: ${late}`);
});

test('counters that are behind are told, although gauges are fresh, with the part that is worst off', () => {
  const job = (product: string, counted_age_seconds: number) => madeUpJob({ product, counted_age_seconds });
  const waf = job('waf', 7_500);
  expect(verdict({ accounts: [madeUpAccount({ jobs: [madeUpJob(), waf] })] })).toEqual([
    'production is fresh: the oldest data is 1 min 40 s old; counters of waf are 2 h 5 min behind, gauges are fresh.',
  ]);
  const jobs = [job('images', 4_400), waf, job('images', 6_000), madeUpJob({ data_age_seconds: 1_500 })];
  expect(verdict({ accounts: [madeUpAccount({ jobs })] })[1]).toBe(
    'production: counters of waf and 1 other part are up to 2 h 5 min behind.',
  );
});

test('counters that wait for a bucket no longer than the alert allows are not told', () => {
  expect(TOLERATED_BEHIND_SECONDS * 1_000).toBe(ALERTS.EdgeCountersBehind.parameters.after.default);
  const jobs = [madeUpJob({ counted_age_seconds: 720 + TOLERATED_BEHIND_SECONDS })];
  expect(verdict({ accounts: [madeUpAccount({ jobs })] })).toEqual([
    'production is fresh: the oldest data is 1 min 40 s old.',
  ]);
});

test('data that is older than usual, but not than the quota makes expected, is told as that', () => {
  expect(verdict({ accounts: [madeUpAccount({ stretch: 2.5 })] })[0]).toContain(
    'production is fresh: the oldest data is 1 min 40 s old; the quota makes intervals 2.5 times as long as planned.',
  );
});

test('an account that others starve is told before jobs that fail, with what to do', () => {
  const quota = [madeUpQuota({ others_per_minute: 120 })];
  const jobs = [madeUpJob({ last_outcome: 'forbidden', last_reason: 'HTTP 403.' }), madeUpJob()];
  const account = madeUpAccount({ stretch: 2.5, quota, jobs });
  expect(verdict({ accounts: [account] }).map((text) => text.replace(/.*; the quota/, 'the quota'))).toEqual([
    'the quota makes intervals 2.5 times as long as planned; other clients of the token take about 120 operations a minute.',
    'production: 1 of 2 jobs fails: HTTP 403.',
  ]);
  expect(page(madeUpStatus({ accounts: [account] }))).toContain('give the exporter a token of its own');
});

test('a quota that others have used up is told with who spends it', () => {
  const quota = [madeUpQuota({ remaining: 0, stopped_until: at(41), others_per_minute: 120 })];
  expect(verdict({ accounts: [madeUpAccount({ quota })] })[0]).toContain(
    'the platform refuses metrics (429), next try in 41 s; other clients of the token take about 120 operations a minute.',
  );
});

test('jobs that fail are counted, with the most frequent reason', () => {
  const failing = (reason: string) => madeUpJob({ last_outcome: 'forbidden', last_reason: reason });
  const jobs = [madeUpJob(), failing('HTTP 403'), failing('HTTP 403'), failing('HTTP 418')];
  expect(verdict({ accounts: [madeUpAccount({ jobs })] })[0]).toContain(
    '3 of 4 jobs fail: HTTP 403, and for 1 other reason.',
  );
});

test('a clock that is wrong is told, and ages go by the platform’s clock', () => {
  const job = madeUpJob({ last_bucket_at: at(3_440), data_age_seconds: 100 });
  const account = madeUpAccount({ clock_skew_seconds: 3_600, jobs: [job] });
  expect(verdict({ accounts: [account] })).toEqual([
    'production is fresh: the oldest data is 1 min 40 s old; this machine’s clock is 1 h behind the platform’s.',
  ]);
});

test('the worst of the exporter and of all accounts comes first, and at most five are told', () => {
  const failing = madeUpAccount({
    name: 'f',
    jobs: [madeUpJob({ last_outcome: 'forbidden', last_reason: 'HTTP 403' })],
  });
  const state = { kind: 'unavailable', directory: '/state', note: 'EROFS' } as const;
  const config = { ...madeUpStatus().config, last_reload_successful: false, issues: ['a.yaml:1:2: wrong'] };
  const told = verdict({ accounts: [failing, refused], state, config, series_dropped: 7 });
  expect(told.map((text) => text.replace(/[:;].*/, ''))).toEqual([
    '1 of 2 accounts are fresh',
    'counters are withheld',
    '7 series are dropped, since the limit is reached.',
    'f',
    'the last reload of the configuration failed',
  ]);
  const many = Array.from({ length: 8 }, (_, i) => ({ ...refused, name: `account-${i}` }));
  expect(verdict({ accounts: many })).toHaveLength(5);
  expect(page(madeUpStatus({ accounts: many }))).toContain('And 3 more: see the accounts below.');
});
