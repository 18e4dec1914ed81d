import { expect, test } from 'vitest';
import { at, madeUpAccount, madeUpJob, madeUpQuota, madeUpStatus, NOW } from './made-up-status.ts';
import { page, words } from './rendered.ts';

test('why a job brings nothing is told: its outcome, the reason, the age of its data, what it waits for', () => {
  const job = madeUpJob({
    last_outcome: 'rate_limited',
    last_reason: 'HTTP 429',
    last_success_at: at(-200),
    last_bucket_at: at(-340),
    state: 'waiting',
    why: 'due for 12 s, goes next: the quota of reads is used up',
  });
  expect(words(page(madeUpStatus({ accounts: [madeUpAccount({ jobs: [job] })] }), 'jobs=all'))).toContain(
    'rate limited HTTP 429 last success 3 min 20 s ago 4 min 40 s ago 1 min * * * * * waiting due for 12 s, goes next: the quota of reads is used up its turn comes in 20 s',
  );
});

test('a next poll that is past is not announced', () => {
  const shown = (seconds: number) =>
    words(
      page(
        madeUpStatus({ accounts: [madeUpAccount({ jobs: [madeUpJob({ next_at: at(seconds) })] })] }),
        'jobs=all',
      ),
    );
  expect(shown(20)).toContain('next in 20 s');
  expect(shown(-20)).not.toContain('next 20 s ago');
});

test('a limit that is assumed is shown, with what is used of it', () => {
  const quota = madeUpQuota({ scope: 'graphql', limit: null, assumed_limit: 20, remaining: null, own: 11 });
  const shown = words(page(madeUpStatus({ accounts: [madeUpAccount({ quota: [quota] })] })));
  expect(shown).toContain(
    'Quota graphql 20 a minute, assumed used by this exporter 11, no other client seen',
  );
});

test('why another source is read is told apart from its name', () => {
  const missing = ['workloadMetrics.wafRequestsThreat'];
  const sources = [{ collector: 'metrics', source: 'graphql', why: 'REST is closed', missing }] as const;
  const shown = words(page(madeUpStatus({ accounts: [madeUpAccount({ sources })] })));
  expect(shown).toContain('Source of metrics GraphQL : REST is closed');
  expect(shown).toContain('Missing of metrics workloadMetrics.wafRequestsThreat');
});

test('an account shows its token, its quota with the reserve, and that the platform stopped it', () => {
  const quota = madeUpQuota({ remaining: 0, stopped_until: at(41), waiting: 7 });
  const account = madeUpAccount({
    up: false,
    note: 'HTTP 401',
    token_expires_at: at(-140),
    stretch: 1.4,
    quota: [quota],
  });
  const text = words(page(madeUpStatus({ accounts: [account] })));
  expect(text).toContain('production down since 2026-03-10 22:32 UTC https://api.example.net');
  expect(text).toContain('expired 2 min');
  expect(text).toContain('1.4 times less often');
  expect(text).toContain(
    '0 of 200 left as of 3 s ago used by this exporter 51, no other client seen resets in 32 s 20 % reserved 7 waiting',
  );
  expect(text).toContain('Stopped by the platform, continues in 41 s');
});

test('an account says how many configurations have no domain and so are not read', () => {
  const shown = (without_domains: number) =>
    words(page(madeUpStatus({ accounts: [madeUpAccount({ without_domains })] })));
  expect(shown(3)).toContain('Not read 3 without a domain');
  expect(shown(0)).not.toContain('without a domain');
});

test('what is wrong with the exporter itself stands on top', () => {
  const text = words(
    page(
      madeUpStatus({
        ready: false,
        not_ready: ['account "staging" has not answered yet'],
        config: {
          ...madeUpStatus().config,
          last_reload_successful: false,
          issues: ['exporter.yaml:12:7: reserve: too large'],
        },
        series_dropped: 1_200,
      }),
    ),
  );
  expect(text).toContain('not ready account "staging" has not answered yet');
  expect(text).toContain(
    'the last reload of the configuration failed; the one loaded 3 d 4 h ago is in force',
  );
  expect(text).toContain('exporter.yaml:12:7: reserve: too large');
  expect(text).toContain('1,200 dropped');
});

test('of many reasons why it is not ready a few are shown, and where the others are', () => {
  const reasons = Array.from({ length: 847 }, (_, index) => `account a${index}: nothing was read yet`);
  const markup = page(madeUpStatus({ ready: false, not_ready: reasons }));
  expect(words(markup)).toContain('account a4: nothing was read yet and 842 more Jobs');
  expect(markup).toContain('<a href="./-/ready">and 842 more</a>');
});

test('an account without data has no oldest data, though its lists were read', () => {
  const list = madeUpJob({ collector: 'discovery', metric: undefined, last_bucket_at: null });
  const accounts = [madeUpAccount({ jobs: [list] }), madeUpAccount({ name: 'staging' })];
  expect(page(madeUpStatus({ accounts }))).toMatch(/no data.*?data-head="Oldest data"[^>]*>–</s);
});

test('a state directory that cannot be used stands on top; that none is wanted does not', () => {
  const note = 'the state directory /state cannot be used: EROFS';
  const head = 'counters are withheld';
  const asked = words(page(madeUpStatus({ state: { kind: 'unavailable', directory: '/state', note } })));
  expect(asked).toContain(`${head}: the state directory /state cannot be used. `);
  expect(asked).toContain(note);
  expect(words(page(madeUpStatus({ state: { kind: 'memory', note: 'no --state.dir' } })))).not.toContain(
    head,
  );
});

function replica(name: string, age: number, accounts: number) {
  return {
    name,
    joined_seconds_ago: 60,
    lease_age_seconds: age,
    lease_over: age > 10,
    accounts,
    demand: 10 * accounts,
  };
}

test('of a database that is silent it is said since when, and that nobody knows who has what', () => {
  const cluster = {
    replica: 'edge-0',
    lease_left_seconds: 0,
    note: 'this replica holds no lease: no answer',
    database_silent_since: at(-65),
    replicas: [replica('edge-0', 66, 1)],
    as_of: at(-65),
    accounts: [{ account: 'acme', owner: null, since: null, token: '3' }],
    moves: [],
  };
  const text = words(page(madeUpStatus({ accounts: [], cluster })));
  expect(text).toMatch(/the database has not answered since [\d:]+ UTC ?, for 1 min 5 s/);
  expect(text).toMatch(/not known: acme/);
  expect(text).not.toContain('No account is configured');
});

test.each([
  ['accounts', { accounts: [] }, 'This shard has no account'],
  ['configurations', {}, '1/3 its part of the configurations'],
] as const)('a shard by %s is named on the page', (by, changes, said) => {
  const text = words(page(madeUpStatus({ ...changes, shard: { index: 1, of: 3, by } })));
  expect(text).toContain(`Shard 1/3 its part of the ${by}`);
  expect(text).toContain(said);
  expect(text).not.toContain('No account is configured');
});

test('replicas that share the accounts are listed, with what moved last and why', () => {
  const now = new Date().toISOString();
  const text = words(
    page(
      madeUpStatus({
        cluster: {
          replica: 'edge-0',
          lease_left_seconds: 8,
          note: '',
          database_silent_since: null,
          replicas: [replica('edge-0', 1, 12), replica('edge-1', 2, 11), replica('edge-2', 11, 10)],
          as_of: now,
          accounts: [
            { account: 'acme', owner: 'edge-1', since: now, token: '3' },
            { account: 'beta', owner: 'edge-0', since: now, token: '1' },
            { account: 'lost', owner: null, since: null, token: '2' },
            { account: 'zeta', owner: 'edge-1', since: now, token: '1' },
          ],
          moves: [{ at: now, account: 'acme', from: 'edge-2', to: 'edge-1', reason: 'lease expired' }],
        },
      }),
    ),
  );
  expect(text).toContain('edge-0 (this one): 12 accounts, lease renewed 1 s ago');
  expect(text).toMatch(/edge-1 ?: 11 accounts/);
  expect(text).toMatch(/edge-2 ?: its lease is over, lease renewed 11 s ago/);
  expect(text).not.toContain('has not answered');
  expect(text).toMatch(
    /Who has which account ?edge-0 ?: beta since [\d: -]+ UTC ?edge-1 ?: acme since [\d: -]+ UTC ?, zeta since [\d: -]+ UTC ?nobody: lost/,
  );
  expect(text).toMatch(/acme to edge-1 .*: lease expired/);
});

test('that everything is made up stands on top and in the title, and only where it is', () => {
  const sandbox = page(madeUpStatus({ sandbox: true }));
  expect(words(sandbox)).toContain('All data here is made up. No account is configured');
  expect(sandbox).toContain('<title>edge-exporter (made-up data)</title>');
  expect(page(madeUpStatus())).not.toContain('made');
});

test('many accounts are a table, one row each, and the one that is asked for is shown below it', () => {
  const accounts = ['a', 'b', 'c', 'd'].map((name) => madeUpAccount({ name, up: name !== 'c' }));
  const markup = page(madeUpStatus({ accounts }));
  expect(markup.match(/<th scope="row">/g)).toHaveLength(4);
  expect(markup).not.toContain('id="account"');
  const asked = page(madeUpStatus({ accounts }), 'account=b');
  expect(asked.match(/<h3><bdi>\w+/g)).toEqual(['<h3><bdi>b']);
  expect(words(asked).indexOf('Accounts')).toBeLessThan(words(asked).indexOf('accounts are fresh'));
  expect(words(page(madeUpStatus({ accounts }), 'account=b&jobs=all'))).toContain('Jobs of b .');
});

test('of a thousand accounts the fifty worst are listed, and all on request', () => {
  const accounts = Array.from({ length: 1_000 }, (_, i) =>
    madeUpAccount({ name: `account-${i}`, ...(i === 777 && { up: false, note: 'HTTP 401' }) }),
  );
  const markup = page(madeUpStatus({ accounts }));
  const names = [...markup.matchAll(/<th scope="row"><a [^>]*><bdi>([\w-]+)/g)].map(([, name]) => name);
  expect(names).toHaveLength(50);
  expect(names[0]).toBe('account-777');
  expect(words(markup)).toContain('Show all 1,000 accounts the other 950 are fresh');
  expect(page(madeUpStatus({ accounts }), 'accounts=all').match(/<th scope="row">/g)).toHaveLength(1_000);
});

test('nothing that comes from elsewhere becomes markup', () => {
  const evil = `"><script>alert('1')</script><img src=x onerror=alert(1)>`;
  const job = madeUpJob({
    id: evil,
    collector: evil,
    product: evil,
    configuration: evil,
    configuration_id: evil,
    metric: evil,
    schedule: evil,
    why: evil,
    last_reason: evil,
    last_bucket_at: evil,
    next_at: evil,
  });
  const quota = madeUpQuota({ scope: evil, note: evil, reset_at: evil, stopped_until: evil });
  const account = madeUpAccount({
    name: evil,
    api_url: evil,
    note: evil,
    token_expires_at: evil,
    quota: [quota],
    jobs: [job],
  });
  const status = madeUpStatus({
    version: evil,
    ready: false,
    not_ready: [evil],
    config: { source: evil, loaded_at: evil, last_reload_successful: false, issues: [evil] },
    state: { kind: 'durable', directory: evil, note: evil },
    accounts: [account],
  });
  const markup = page(status, new URLSearchParams({ q: evil }).toString());
  expect(markup).not.toContain('<img');
  expect(markup.match(/<script/g)).toHaveLength(1);
});

test('five thousand jobs make a page of no more than the hundred that are shown', () => {
  const jobs = Array.from({ length: 5_000 }, (_, i) =>
    madeUpJob({ id: `job ${i}`, configuration: `shop ${i}` }),
  );
  const markup = page(madeUpStatus({ accounts: [madeUpAccount({ jobs })] }), 'jobs=all&page=2');
  expect(markup.match(/data-job=/g)).toHaveLength(100);
  expect(markup.length).toBeLessThan(200_000);
  expect(words(markup)).toContain('101 to 200 of 5,000 Previous page Next page');
});

function parts(...jobs: ReturnType<typeof madeUpJob>[]): string {
  const text = words(page(madeUpStatus({ accounts: [madeUpAccount({ jobs })] })));
  return /Failing jobs (.*?) Jobs /.exec(text)?.[1] ?? '';
}

test('a part is as old as its oldest data, and those of its series that have none are told apart', () => {
  const none = { last_bucket_at: null };
  const { metric: _, ...discovery } = madeUpJob({ last_bucket_at: null, last_success_at: at(-5) });
  const catchUp = madeUpJob({ ...none, catches_up_for: 'status_code', last_success_at: at(-3_600) });
  expect(parts(madeUpJob(), discovery, catchUp)).toBe(
    'edge_applications fresh 1 min 40 s 4 min 5 s ago – 0 of 3',
  );
  expect(parts(madeUpJob(), madeUpJob(none), discovery)).toBe(
    'edge_applications fresh 1 min 40 s 1 without 4 min 5 s ago – 0 of 3',
  );
  expect(parts(madeUpJob(none), discovery)).toBe(
    'edge_applications no data since 03:12 UTC – 1 without – 5 s ago – 0 of 2',
  );
});

test('a part, and each of its jobs, tells how far its counters are behind; the furthest stand first', () => {
  const jobs = [
    madeUpJob({ id: 'fine', product: 'images' }),
    madeUpJob({ id: 'hour', product: 'live', counted_age_seconds: 5_000 }),
    madeUpJob({ id: 'hours', product: 'waf', counted_age_seconds: 7_500, last_bucket_at: at(-130) }),
  ];
  const accounts = [madeUpAccount({ jobs })];
  expect(parts(...jobs)).toMatch(
    /^waf late since 03:12 UTC counters 2 h 5 min behind 1 min 10 s .* live late since 03:12 UTC counters 1 h 23 min behind 1 min 40 s .* images fresh 1 min 40 s/,
  );
  const behind = page(madeUpStatus({ accounts }), 'jobs=behind');
  expect([...behind.matchAll(/data-job="(\w+)"/g)].map(([, id]) => id)).toEqual(['hours', 'hour']);
  expect(words(behind)).toContain('1 min 10 s ago counters 2 h 5 min behind');
  expect(words(behind)).toContain('Counters behind 2');
});

test('a part that lacks buckets says so, and one that fails how many of its jobs do', () => {
  const jobs = [madeUpJob({ missing_share: 0.25 }), madeUpJob({ product: 'waf', last_outcome: 'forbidden' })];
  expect(parts(...jobs)).toBe(
    'waf down since 03:12 UTC 1 min 40 s 4 min 20 s ago – 1 of 1 edge_applications read in part since 03:12 UTC 1 min 40 s 4 min 20 s ago 25% 0 of 1',
  );
});

test('a job that catches up says so, and is as old as its last success', () => {
  const catchUp = madeUpJob({ catches_up_for: 'x', last_bucket_at: null, last_success_at: at(-420) });
  const text = words(page(madeUpStatus({ accounts: [madeUpAccount({ jobs: [catchUp] })] }), 'jobs=all'));
  expect(text).toContain('1001 · catching up');
  expect(text).not.toMatch(/no data last success/);
});

test('settings have no buckets: their age is that of the last time they were read', () => {
  const { metric: _, ...read } = madeUpJob({ last_bucket_at: null, last_success_at: at(-420) });
  const settings = { ...read, collector: 'domains' };
  const text = words(page(madeUpStatus({ accounts: [madeUpAccount({ jobs: [settings] })] }), 'jobs=all'));
  expect(text).toContain('7 min ago');
  expect(text).not.toContain('no data');
});

test('products of which the account has nothing are folded behind what it has', () => {
  const { metric: _, configuration: __, ...listing } = madeUpJob({ last_bucket_at: null });
  const jobs = [
    madeUpJob(),
    { ...listing, product: 'live_streaming', last_outcome: 'empty' as const },
    { ...listing, product: 'cloud_storage', last_outcome: 'forbidden' as const },
  ];
  const markup = page(madeUpStatus({ accounts: [madeUpAccount({ jobs })] }));
  const [before = '', folded = ''] = markup
    .slice(0, markup.indexOf('jobs-head">Jobs'))
    .split('<details class="absent"');
  expect(words(before)).toMatch(/Failing jobs cloud_storage .* 1 of 1 edge_applications .* 0 of 1/);
  expect(words(folded)).toContain('1 without anything: live_streaming');
});

test.each([
  [200, 0.2, 41, 'fill'],
  [200, 0.2, 40, 'low'],
  [70, 0.15, 11, 'low'],
  [200, 0.2, 12, 'low'],
  [200, 0.2, 0, 'out'],
])('of %d with a reserve of %d, %d are shown as %s', (limit, reserve, remaining, mood) => {
  const quota = [madeUpQuota({ limit, reserve, remaining })];
  expect(page(madeUpStatus({ accounts: [madeUpAccount({ quota })] }))).toContain(`<rect class="${mood}"`);
});

test('the worst account stands first', () => {
  const accounts = [
    madeUpAccount({ name: 'fine' }),
    madeUpAccount({ name: 'failing', jobs: [madeUpJob({ last_outcome: 'forbidden' })] }),
    madeUpAccount({ name: 'broken', up: false, note: 'the platform cannot be reached' }),
  ];
  const heads = [...page(madeUpStatus({ accounts })).matchAll(/<th scope="row"><a [^>]*><bdi>(\w+)/g)];
  expect(heads.map(([, name]) => name)).toEqual(['failing', 'broken', 'fine']);
  expect(words(page(madeUpStatus({ accounts })))).toContain('1 of 3 accounts are fresh; failing is down');
});

test('a receiver that samples are pushed to is shown, and told on top once it has let them wait', () => {
  const receiver = {
    name: 'central',
    protocol: 'remote_write 2.0',
    samples_waiting: 4_200,
    bytes_waiting: 400_000,
    oldest_waiting_at: new Date(NOW - 3_600_000).toISOString(),
    last_success_at: new Date(NOW - 3_600_000).toISOString(),
    note: 'HTTP 503',
  };
  const waiting = words(page(madeUpStatus({ push: [receiver] })));
  expect(waiting).toContain('samples have waited for the receiver central since');
  expect(waiting).toContain('4,200 samples wait');
  expect(waiting).toContain('HTTP 503');
  const fine = { ...receiver, samples_waiting: 0, oldest_waiting_at: null, note: '' };
  const shown = words(page(madeUpStatus({ push: [fine] })));
  expect(shown).toContain('central last taken 1 h ago');
  expect(shown).not.toContain('samples have waited');
});

test('jobs are counted by state, and listed only when some of them are asked for', () => {
  const jobs = Array.from({ length: 10_001 }, (_, index) =>
    madeUpJob({ id: `job-${index}`, ...(index === 7 && { last_outcome: 'server_error' }) }),
  );
  const status = madeUpStatus({ accounts: [madeUpAccount({ jobs })] });
  const all = page(status);
  expect(words(all)).toContain(
    'All 10,001 Failing 1 Late 0 Counters behind 0 Waiting 0 Running 0 Not polled yet 0',
  );
  expect(all).not.toContain('data-job=');
  expect(page(status, 'jobs=failing').match(/data-job="[^"]*"/g)).toEqual(['data-job="job-7"']);
  expect(page(status, 'jobs=all&page=2').match(/data-job=/g)).toHaveLength(100);
});
