import { expect, test } from 'vitest';
import { TOLERATED_BEHIND_SECONDS } from '../../../src/exporter/facts/job-facts.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { ALERTS } from '../../../src/rules/shipped/alert-catalogue.ts';
import { at, madeUpAccount, madeUpJob, madeUpQuota, madeUpStatus } from './made-up-status.ts';
import { page } from './rendered.ts';

function verdict(status: Parameters<typeof madeUpStatus>[0]): string[] {
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

test('of a replica it is said that it has no account now, and on top that its database cannot be used', () => {
  const note = 'this replica holds no lease: timeout expired';
  const lists = { replicas: [], as_of: null, accounts: [], moves: [] };
  const cluster = {
    replica: 'edge-0',
    lease_left_seconds: 9,
    note: '',
    database_silent_since: null,
    ...lists,
  };
  expect(verdict({ accounts: [], cluster })).toEqual(['This replica has no account now.']);
  const state = { kind: 'unavailable', directory: 'postgres://db/edge' } as const;
  expect(verdict({ state, cluster: { ...cluster, note } })).toEqual([
    'production is fresh: the oldest data is 1 min 40 s old; not all accounts are polled: the database postgres://db/edge holds what cannot be loaded.',
  ]);
  expect(verdict({ accounts: [], state, cluster: { ...cluster, lease_left_seconds: 0, note } })).toEqual([
    'This replica has no account now; nothing is polled here: the database postgres://db/edge cannot be used.',
  ]);
});

test('an account that is down is named with the cause, since when, and when it is tried next', () => {
  const clause = 'staging is down: the platform refuses the token (since 02:41 UTC, next try in 40 s).';
  expect(verdict({ accounts: [fresh('a'), refused, fresh('b')] })).toEqual([
    `2 of 3 accounts are fresh; ${clause}`,
  ]);
  expect(verdict({ accounts: [refused] })).toEqual([clause]);
});

test('what to do next depends on how the polls fail', () => {
  const next = (outcome: 'unauthorized' | 'server_error' | 'network') =>
    page(madeUpStatus({ accounts: [{ ...refused, jobs: [madeUpJob({ last_outcome: outcome })] }] }));
  expect(next('unauthorized')).toContain('Renew the credentials');
  const login = { ...refused, credentials: 'password' as const };
  for (const up of [true, false]) {
    const said = page(madeUpStatus({ accounts: [{ ...login, up }] }));
    expect(said).toContain('Check <code>username</code> and its password');
    expect(said).not.toContain('Renew the credentials');
  }
  expect(next('server_error')).toContain('The platform is at fault');
  expect(next('network')).toContain('Run <code>edge-exporter doctor</code> to find where it breaks');
});

test('data older than expected is not fresh, and the quota is named where it makes polls wait', () => {
  const jobs = [
    madeUpJob({ data_age_seconds: 300, expected_age_seconds: 240 }),
    madeUpJob({ data_age_seconds: 1_500 }),
  ];
  const quota = [madeUpQuota({ others_per_minute: 149.6 })];
  const account = madeUpAccount({ jobs, quota, stretch: 3.2 });
  expect(verdict({ accounts: [account] })).toEqual([
    'production shows data up to 25 min old: polls wait for the quota; other clients of the token take about 150 operations a minute.',
  ]);
  expect(page(madeUpStatus({ accounts: [account] }))).toContain(
    '1 of 2 jobs show data older than expected, up to 25 min',
  );
});

test('others are blamed only for what headers can show', () => {
  const said = (changes: Parameters<typeof madeUpQuota>[0]) =>
    verdict({ accounts: [madeUpAccount({ stretch: 3, quota: [madeUpQuota(changes)] })] })[0];
  expect(said({ limit: 80, others_per_minute: 5_340 })).toContain('take about 80 operations a minute');
  expect(said({ limit: null, others_per_minute: 221 })).not.toContain('other clients');
});

test('late data is put down to whoever makes it late', () => {
  const old = { data_age_seconds: 1_500, last_outcome: 'ok' } as const;
  const said = (changes: Partial<JobStatus>) =>
    verdict({ accounts: [madeUpAccount({ jobs: [madeUpJob({ ...old, ...changes })] })] })[0];
  const late = 'production shows data up to 25 min old';
  expect(said({})).toBe(`${late}: the platform is late.`);
  expect(said({ state: 'waiting', waits_for: 'spent', last_success_at: at(-1_500) })).toBe(
    `${late}: polls wait for the quota.`,
  );
  expect(said({ state: 'waiting', waits_for: 'connections', last_success_at: at(-1_500) })).toBe(
    `${late}: the exporter does not keep up.`,
  );
  expect(said({ state: 'idle', last_success_at: at(-1_500), next_at: at(-120) })).toBe(
    `${late}: the exporter does not keep up.`,
  );
  expect(said({ last_outcome: 'server_error', last_reason: 'HTTP 502' })).toBe(
    'production is down: the platform fails to answer for edge_applications: HTTP 502.',
  );
});

test('counters that are behind make an account late, although gauges are in time, with the part that is worst off', () => {
  const job = (product: string, counted_age_seconds: number) => madeUpJob({ product, counted_age_seconds });
  const waf = job('waf', 7_500);
  expect(verdict({ accounts: [madeUpAccount({ jobs: [madeUpJob(), waf] })] })).toEqual([
    'production is behind: counters of waf are 2 h 5 min behind, gauges are in time.',
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
    'production is fresh: the oldest data is 1 min 40 s old; the quota allows polling 2.5 times less often than configured.',
  );
});

test('what is forbidden comes before a quota that stretches, with what to do', () => {
  const quota = [madeUpQuota({ others_per_minute: 120 })];
  const jobs = [
    madeUpJob({
      last_outcome: 'forbidden',
      last_reason: 'HTTP 403.',
      product: 'images',
      last_polled_at: at(-30),
    }),
    madeUpJob(),
  ];
  const account = madeUpAccount({ stretch: 2.5, quota, jobs });
  expect(verdict({ accounts: [account] })).toEqual([
    'production is fresh in part: the token may not read images: HTTP 403.',
    'production: the quota allows polling 2.5 times less often than configured; other clients of the token take about 120 operations a minute.',
  ]);
  expect(page(madeUpStatus({ accounts: [account] }))).toContain('Analytics is granted, since other reads');
  expect(page(madeUpStatus({ accounts: [account] }))).toContain('Give the exporter its own token');
});

test('a refusal by the limit blames nobody: it does not show who has spent what', () => {
  const quota = [madeUpQuota({ remaining: 0, stopped_until: at(41), others_per_minute: 120 })];
  expect(verdict({ accounts: [madeUpAccount({ quota })] })[0]).toBe(
    'production is fresh in part: the platform refuses metrics (429), next try in 41 s.',
  );
});

test('jobs that fail for one cause are counted under it, with the most frequent reason', () => {
  const failing = (reason: string) => madeUpJob({ last_outcome: 'not_found', last_reason: reason });
  const jobs = [madeUpJob(), failing('HTTP 404'), failing('HTTP 404'), failing('no such metric')];
  expect(verdict({ accounts: [madeUpAccount({ jobs })] })[0]).toContain(
    'the platform does not know part of edge_applications: HTTP 404.',
  );
  expect(page(madeUpStatus({ accounts: [madeUpAccount({ jobs })] }))).toContain('3 of 4 jobs fail');
});

test('a clock that is wrong is told, and ages go by the platform’s clock', () => {
  const job = madeUpJob({ last_bucket_at: at(3_440), data_age_seconds: 100 });
  const account = madeUpAccount({ clock_skew_seconds: 3_600, jobs: [job] });
  expect(verdict({ accounts: [account] })).toEqual([
    'production is fresh: the oldest data is 1 min 40 s old; this machine’s clock is 1 h behind the platform’s.',
  ]);
});

test.each([2, 20, 1_000])(
  'of %d accounts in one trouble the first is named, and how many others are in it',
  (count) => {
    const accounts = Array.from({ length: count }, (_, i) => ({ ...refused, name: `account-${i}` }));
    const others = count === 2 ? 'another account' : `${count === 20 ? '19' : '999'} other accounts`;
    const down = 'account-0 is down: the platform refuses the token (since 02:41 UTC, next try in 40 s)';
    expect(verdict({ accounts })).toEqual([
      `0 of ${count === 1_000 ? '1,000' : count} accounts are fresh; ${down}; the same goes for ${others}.`,
    ]);
    const limited = { ...fresh('limited'), quota: [madeUpQuota({ stopped_until: at(60) })] };
    const both = verdict({ accounts: [...accounts, limited, fresh('a')] });
    expect(both).toHaveLength(2);
    expect(both[0]).toMatch(/^1 of [\d,]+ accounts are fresh; account-0 is down/);
    expect(both[1]).toMatch(
      /^limited is fresh in part: the platform refuses \S+ \(429\), next try in 1 min\.$/,
    );
  },
);

test('accounts that lack different permissions are told one by one, each with what it lacks', () => {
  const lacking = (name: string, product: string) =>
    madeUpAccount({
      name,
      jobs: [madeUpJob(), madeUpJob({ product, last_outcome: 'forbidden', last_reason: 'HTTP 403' })],
    });
  const accounts = [lacking('a', 'images'), lacking('b', 'waf'), lacking('c', 'images'), lacking('d', 'waf')];
  const part = (name: string, product: string) =>
    `${name} is fresh in part: the token may not read ${product}: HTTP 403; the same goes for another account.`;
  expect(verdict({ accounts })).toEqual([
    `0 of 4 accounts are fresh; ${part('a', 'images')}`,
    part('b', 'waf'),
  ]);
});

test('accounts of which one was down earlier, or is tried later, are in one trouble', () => {
  const later = { ...refused, name: 'later', up_since: at(-86_400), next_try_at: at(-1) };
  expect(verdict({ accounts: [refused, later] })).toEqual([
    '0 of 2 accounts are fresh; staging is down: the platform refuses the token (since 02:41 UTC, next try in 40 s); the same goes for another account.',
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
    '0 of 2 accounts are fresh',
    'staging is down',
    'counters are withheld',
    '7 series are dropped, since the limit is reached.',
    'the last reload of the configuration failed',
  ]);
  const push = Array.from({ length: 8 }, (_, i) => ({
    name: `receiver-${i}`,
    protocol: 'otlp',
    samples_waiting: 7,
    bytes_waiting: 700,
    oldest_waiting_at: at(-3_600),
    last_success_at: null,
    note: '',
  }));
  expect(verdict({ push })).toHaveLength(5);
  expect(page(madeUpStatus({ push }))).toContain('And 3 more: see the accounts below.');
});
