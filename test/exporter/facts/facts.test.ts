import { describe, expect, it } from 'vitest';
import { type Facts, factsOf } from '../../../src/exporter/facts/facts.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { at, madeUpAccount, madeUpJob, NOW } from '../page/made-up-status.ts';

function listJob(changes: Partial<JobStatus> = {}): JobStatus {
  return madeUpJob({
    id: 'discovery/analytics/content_delivery',
    collector: 'discovery',
    product: 'content_delivery',
    metric: undefined,
    configuration: undefined,
    configuration_id: undefined,
    last_bucket_at: null,
    data_age_seconds: null,
    expected_age_seconds: null,
    counted_until: null,
    counted_age_seconds: null,
    expected_counted_age_seconds: null,
    ...changes,
  });
}

function judged(...jobs: JobStatus[]): Facts {
  return factsOf(madeUpAccount({ jobs }), NOW);
}

function available({ parts }: Facts, product: string): boolean | null | undefined {
  return parts.find((part) => part.product === product)?.hasData;
}

describe('what an account has data of', () => {
  it('is a product whose newest buckets are in time', () => {
    expect(available(judged(madeUpJob()), 'edge_applications')).toBe(true);
    const late = madeUpJob({ data_age_seconds: 4_000, expected_age_seconds: 300 });
    expect(available(judged(late), 'edge_applications')).toBe(false);
  });

  it('does not speak of a product of which nothing is to be read, since its list has nothing', () => {
    const judgement = judged(madeUpJob(), listJob());
    expect(available(judgement, 'content_delivery')).toBeNull();
    expect(judgement.state).toBe('well');
  });

  it('lacks a product whose list is refused', () => {
    const refused = listJob({ last_outcome: 'forbidden', last_reason: 'HTTP 403' });
    expect(available(judged(madeUpJob(), refused), 'content_delivery')).toBe(false);
  });
});

describe('what explains the state of an account comes first', () => {
  const texts = (...jobs: JobStatus[]) => judged(...jobs).causes.map(({ text }) => text);
  /** Job for settings that the platform never had. */
  const unknown = listJob({
    collector: 'error_responses',
    product: undefined,
    last_outcome: 'not_found',
    last_reason: 'HTTP 404',
  });
  const NOT_KNOWN = 'the platform does not know error_responses: HTTP 404';
  const old = { data_age_seconds: 4_000, expected_age_seconds: 300 };

  it('what makes data late, before what cannot be read besides', () => {
    const late = [7, 8].map((id) => madeUpJob({ id: `late/${id}`, ...old }));
    expect(texts(...late, unknown)).toEqual(['the platform is late', NOT_KNOWN]);
    const undecodable = late.map((job) => ({ ...job, last_outcome: 'undecodable' as const }));
    expect(texts(...undecodable, unknown)[1]).toBe(NOT_KNOWN);
    const refused = madeUpJob({
      ...old,
      id: 'old',
      metric: 'waf',
      last_outcome: 'forbidden',
      last_reason: 'HTTP 403',
    });
    expect(texts(...late, refused)).toEqual([
      'the platform is late',
      'the token may not read waf of edge_applications: HTTP 403',
    ]);
  });

  it('the exporter itself only where polls are overdue, not while one that was due a moment ago runs', () => {
    const running = madeUpJob({ ...old, state: 'running', last_success_at: at(-70) });
    expect(texts(running)).toEqual(['the platform is late']);
    expect(texts({ ...running, last_success_at: at(-130) })).toEqual(['the exporter does not keep up']);
    const waiting = madeUpJob({ ...old, state: 'waiting', waits_for: 'spent' });
    expect(texts(waiting)).toEqual(['the platform is late']);
  });

  it('a refusal by the limit that has just ended, where polls waited for that', () => {
    const waiting = madeUpJob({ ...old, metric: 'waf', state: 'waiting', last_success_at: at(-400) });
    const limited = madeUpJob({
      ...old,
      id: 'limited',
      last_outcome: 'rate_limited',
      last_polled_at: at(-60),
    });
    expect(texts(waiting, limited, madeUpJob({ last_success_at: at(0) }))).toEqual([
      'the platform refused part of edge_applications (429)',
    ]);
  });

  it('where nothing is served, that, however many paths are missing besides', () => {
    const failing = madeUpJob({ last_outcome: 'server_error' });
    const account = madeUpAccount({
      jobs: [failing, unknown, unknown],
      up: false,
      note: 'the platform answers 503',
    });
    const [cause] = factsOf(account, NOW).causes;
    expect([cause?.kind, cause?.next]).toEqual([
      'server_error',
      expect.stringMatching(/^The platform is at fault/),
    ]);
  });

  it('counters that are behind while gauges are in time', () => {
    const behind = madeUpJob({ counted_age_seconds: 20_000, expected_counted_age_seconds: 900 });
    expect(texts(behind, unknown)).toEqual([
      expect.stringMatching(/^counters of edge_applications are/),
      NOT_KNOWN,
    ]);
  });

  it('that nothing is there, or not read yet, before settings that cannot be read', () => {
    expect(texts(listJob(), unknown)).toEqual([
      'the platform lists no active configurations to collect',
      NOT_KNOWN,
    ]);
    const pending = madeUpJob({ last_outcome: null, last_polled_at: null, last_bucket_at: null });
    const { state, says } = judged(pending, listJob(), unknown);
    expect([state, says]).toEqual([
      'starting',
      'is starting: not read yet: 1 of 3, first data expected by 03:13 UTC',
    ]);
  });
});

it('an account is not just fresh where its settings alone are read, since it has no configurations any more', () => {
  const settings = listJob({ collector: 'domains', product: undefined });
  const says = 'is fresh; the platform lists no active configurations to collect';
  expect(judged(settings, listJob())).toMatchObject({ state: 'well', says });
  expect(judged(settings).says).toBe('is fresh');
});

it('clocks that differ may both be wrong: a platform whose time is behind as its data is makes old data fresh', () => {
  const of = (skew: number) =>
    factsOf(madeUpAccount({ jobs: [madeUpJob()], clock_skew_seconds: skew }), NOW).causes[0];
  expect(of(-10_800)).toMatchObject({
    text: 'this machine’s clock is 3 h ahead of the platform’s',
    next: expect.stringContaining('what is called fresh is 3 h older'),
  });
  expect(of(10_800)?.next).toContain('what is called late may be fresh');
});

it('behind the platform, new counters wait until its time is sure: who looks for them is not told that nothing is missing', () => {
  const nextOf = (skew: number) =>
    factsOf(madeUpAccount({ jobs: [madeUpJob()], clock_skew_seconds: skew }), NOW).causes[0]?.next;
  expect(nextOf(45)).toContain('new counters start ten minutes late');
  expect(nextOf(-45)).not.toContain('counters');
});

describe('a cause names what it covers', () => {
  const series = (metric: string, changes: Partial<JobStatus> = {}) =>
    madeUpJob({ id: metric + changes.configuration_id, metric, ...changes });
  const refused = { last_outcome: 'not_found', last_reason: 'HTTP 404' } as const;
  const first = (...jobs: JobStatus[]) => judged(...jobs).causes[0]?.text;

  it('a metric, a part of a product, or all of it', () => {
    const [waf, other] = ['7', '8'].map((id) => series('waf', { ...refused, configuration_id: id }));
    if (waf === undefined || other === undefined) throw new Error('two were made');
    const well = series('cdn_requests');
    expect(first(waf, other, well)).toBe('the platform does not know waf of edge_applications: HTTP 404');
    const part = 'the platform does not know part of edge_applications: HTTP 404';
    expect(first(waf, series('waf'), well)).toBe(part);
    expect(first(waf, series('bandwidth', refused), well)).toBe(part);
    expect(first(waf, other, listJob({ last_outcome: 'empty' }))).toBe(
      'the platform does not know edge_applications: HTTP 404',
    );
  });

  it.each([
    ['not_found', 'the platform does not know the list of edge_applications: HTTP 404'],
    ['forbidden', 'the token may not read the list of edge_applications: HTTP 404'],
    ['server_error', 'the platform fails to answer for the list of edge_applications: HTTP 404'],
    ['undecodable', 'the list of edge_applications cannot be read: HTTP 404'],
  ] as const)('its list of configurations alone, where its series are read (%s)', (outcome, text) => {
    const list = listJob({ product: 'edge_applications', ...refused, last_outcome: outcome });
    const [cause] = judged(series('waf'), list).causes;
    expect(cause?.text).toBe(text);
    // Without the product, the exporter would also stop reading its series.
    expect(cause?.next).not.toContain('remove it from the configuration');
  });

  it('what was read before, which nobody is advised to leave out for an outage in which the platform answers 404', () => {
    const next = (changes: Partial<JobStatus>) => {
      const waf = series('waf', { ...refused, ...changes });
      return [[waf], [waf, series('cdn_requests')]].map((jobs) => judged(...jobs).causes[0]?.next);
    };
    const before = expect.stringMatching(/^It was read before\. .* the platform is at fault/);
    expect(next({ last_bucket_at: at(-600) })).toEqual([before, before]);
    expect(next({ last_bucket_at: null, data_age_seconds: null })).toEqual([
      expect.stringMatching(/^Check the path in `api_url`/),
      'If the account does not have it, remove it from the configuration.',
    ]);
  });

  it('all of it, where its list cannot be read and nothing of it is', () => {
    const list = listJob({ product: 'l2_caching', ...refused });
    const [cause] = judged(series('waf'), list).causes;
    expect(cause?.text).toBe('the platform does not know l2_caching: HTTP 404');
    expect(cause?.next).toContain('remove it from the configuration');
  });

  it('a part of it, where only what catches up is refused', () => {
    const late = series('waf', { ...refused, id: 'late', catches_up_for: 'waf', last_bucket_at: null });
    expect(first(series('waf'), late)).toBe('the platform does not know part of edge_applications: HTTP 404');
  });

  it('the usual reason alone where most jobs fail of it', () => {
    const reasons = (...all: string[]) =>
      first(
        series('cdn_requests'),
        ...all.map((reason, n) => series('waf', { ...refused, id: `${n}`, last_reason: reason })),
      );
    expect(reasons('a', 'a', 'b')).toMatch(/: a$/);
    expect(reasons('a', 'b', 'b', 'c')).toMatch(/: b, and for 2 other reasons$/);
  });

  it('a refusal by the limit as over once others have been answered since', () => {
    const limited = series('waf', { last_outcome: 'rate_limited', last_polled_at: at(-300) });
    expect(first(limited, series('cdn_requests'))).toBe(
      'the platform refused waf of edge_applications (429)',
    );
    const justNow = { ...limited, last_polled_at: at(0) };
    expect(first(justNow, series('cdn_requests'))).toBe('the platform refuses reads (429)');
  });
});

it('while the quota makes first polls wait, nothing is promised within seconds', () => {
  const pending = madeUpJob({ last_outcome: null, last_polled_at: null, last_bucket_at: null });
  const next = (stretch: number) => factsOf(madeUpAccount({ jobs: [pending], stretch }), NOW).causes[0]?.next;
  expect(next(1)).toMatch(/^The first answers take a few seconds/);
  expect(next(240)).toMatch(/^Run `edge-exporter plan` to see/);
});

describe('since when a state lasts', () => {
  const later = NOW + 60_000;
  const failing = madeUpJob({ last_outcome: 'forbidden', last_reason: 'HTTP 403' });
  const iso = (ms: number) => new Date(ms).toISOString();

  it.each([
    ['the same state keeps its beginning', madeUpJob(), undefined, NOW],
    ['another state begins', failing, undefined, later],
    ['an account that is down is so since the platform stopped answering', failing, false, NOW - 5_000],
  ])('%s', (_, job, up, since) => {
    const before = factsOf(madeUpAccount({ jobs: [madeUpJob()] }), NOW);
    const now = { jobs: [job], ...(up === false && { up, up_since: iso(NOW - 5_000) }) };
    const after = factsOf(madeUpAccount(now), later, before);
    expect([after.since, after.parts[0]?.since]).toEqual([iso(since), iso(since)]);
  });
});
