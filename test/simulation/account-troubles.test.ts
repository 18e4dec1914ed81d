import { expect, it, onTestFinished } from 'vitest';
import type { CauseKind } from '../../src/exporter/judgement/causes.ts';
import type { AccountState } from '../../src/exporter/judgement/judgement.ts';
import { parseJobQuery } from '../../src/exporter/page/job-selection.ts';
import { renderPage } from '../../src/exporter/page/page.ts';
import { parseStatusQuery, statusText } from '../../src/exporter/status-document.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { allStepsOf } from '../in-steps.ts';
import { type Simulation, simulate } from './simulation.ts';
import { type Answer, serveTroubledPlatform, type Trouble } from './troubled-platform.ts';

const START = Date.UTC(2026, 0, 5, 10);
const HOUR = 60;

const COLLECTORS = {
  metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } },
  domains: {},
};

/** An error as the platform words it, with its headers. */
function refusal(status: number, detail: string): Trouble {
  return (_path, now): Answer => ({
    status,
    headers: {
      'X-RateLimit-Limit': '200',
      'X-RateLimit-Remaining': status === 429 ? '0' : '150',
      'X-RateLimit-Reset': new Date(now + 30_000).toISOString(),
    },
    body: { detail },
  });
}

const FORBIDDEN = refusal(403, 'You do not have permission to perform this action.');
const NOT_FOUND = refusal(404, 'Not found.');
const LIMITED = refusal(429, 'Request was throttled.');
const UNLIMITED: Trouble = () => ({ status: 429, body: { detail: 'Request was throttled.' } });
const REFUSED = refusal(401, 'Invalid token.');
const FAILING = refusal(503, 'Try again later.');
const PAGE: Trouble = () => ({ status: 200, body: '<html><title>Sign in</title></html>' });
const EMPTY: Trouble = (path) => ({
  status: 200,
  body: path === '/domains' ? { count: 0, total_pages: 1, results: [] } : [],
});
/** Of the metrics API alone. */
const ofMetrics =
  (trouble: Trouble): Trouble =>
  (path, now) =>
    path.startsWith('/metrics/') ? trouble(path, now) : undefined;

interface Case {
  readonly trouble: Trouble | 'late';
  /** When (min) it begins; 0: from the start. */
  readonly from: number;
  readonly cause: CauseKind | readonly CauseKind[];
  /** What the first sentence of the page names. */
  readonly says: RegExp;
  /** Whether reads are answered with success: the truth of `edge_up` once each job was polled in the trouble. */
  readonly served: boolean;
  /** Minutes after which the cause stands first, where it takes more than two polls. */
  readonly within?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  'all 403': {
    trouble: FORBIDDEN,
    from: 0,
    cause: 'forbidden',
    says: /may not read anything/,
    served: false,
  },
  'metrics 403': {
    trouble: ofMetrics(FORBIDDEN),
    from: 0,
    cause: 'forbidden',
    says: /lacks the permission Analytics/,
    served: true,
  },
  'permission withdrawn after an hour': {
    trouble: ofMetrics(FORBIDDEN),
    from: HOUR,
    cause: 'forbidden',
    // What is refused is asked for ever less: only its second poll, minutes later, shows that all reads of series are refused.
    says: /lacks the permission Analytics|may not read edge_applications/,
    served: true,
  },
  'every permission withdrawn': {
    trouble: FORBIDDEN,
    from: HOUR,
    cause: 'forbidden',
    says: /may not read anything|lacks the permission Analytics|may not read edge_applications/,
    served: false,
  },
  'all 404': {
    trouble: NOT_FOUND,
    from: 0,
    cause: 'not_found',
    says: /nothing is found at this address/,
    served: false,
  },
  'all 429': {
    trouble: LIMITED,
    from: 0,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
  },
  'all 429 without headers': {
    trouble: UNLIMITED,
    from: 0,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
  },
  'all 429 after an hour': {
    trouble: LIMITED,
    from: HOUR,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
  },
  'all 429 without headers after an hour': {
    trouble: UNLIMITED,
    from: HOUR,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
  },
  'token refused': {
    trouble: REFUSED,
    from: 0,
    cause: 'unauthorized',
    says: /refuses the token/,
    served: false,
  },
  'token refused after an hour': {
    trouble: REFUSED,
    from: HOUR,
    cause: 'unauthorized',
    says: /refuses the token/,
    served: false,
  },
  'every answer 503': {
    trouble: FAILING,
    from: HOUR,
    // Until a second path fails as well, it may be that of the one.
    cause: ['server_error', 'unreachable'],
    says: /503/,
    served: false,
  },
  'a web page': {
    trouble: PAGE,
    from: 0,
    cause: 'unreachable',
    says: /answers 200 with HTML/,
    served: false,
  },
  'a web page after an hour': {
    trouble: PAGE,
    from: HOUR,
    // Whether it is the platform that answers is judged anew with every answer.
    cause: ['unreachable', 'undecodable'],
    says: /answers 200 with HTML|the answer is not JSON/,
    served: false,
    within: 4,
  },
  'empty lists': {
    trouble: EMPTY,
    from: 0,
    cause: 'nothing_there',
    says: /lists no configurations/,
    served: true,
  },
  'late by half an hour': {
    trouble: 'late',
    from: HOUR,
    cause: 'platform_late',
    says: /the platform is late/,
    served: true,
    within: 8,
  },
};

/** What the exporter says of its account, in all places. */
async function said(simulation: Simulation) {
  const exporter = simulation.exporter();
  const scrape = await simulation.scrape();
  const now = simulation.clock.wall();
  const status = madeUpStatus({ accounts: [...exporter.accounts()] });
  const markup = allStepsOf(renderPage(status, { query: parseJobQuery(''), now, telemetryPath: '/metrics' }));
  const query = parseStatusQuery('');
  if (!('offset' in query)) throw new Error('no query is a query');
  const [account] = (
    JSON.parse(allStepsOf(statusText(status, query, now))) as {
      accounts: {
        up: boolean | null;
        judgement: {
          state: AccountState;
          says: string;
          causes: { kind: CauseKind; jobs: number; next: string }[];
        };
      }[];
    }
  ).accounts;
  if (account === undefined) throw new Error('one account is configured');
  const valuesOf = (family: string) =>
    [...scrape.samples].flatMap(([key, value]) => (key.startsWith(`["${family}"`) ? [value] : []));
  const value = (family: string) => valuesOf(family)[0];
  return {
    up: value('edge_up'),
    hasData: value('edge_data_available'),
    gauges: valuesOf('edge_requests_per_minute').length,
    notReady: [...exporter.notReady()].flat(),
    sentence: (/<p class="says"[^>]*>(.*?)<\/p>/s.exec(markup)?.[1] ?? '')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'"),
    status: account,
  };
}

/** What must hold at any moment, whatever the trouble: no two places contradict each other. */
function expectAgreement(now: Awaited<ReturnType<typeof said>>): void {
  const { up, hasData, gauges, notReady, sentence, status } = now;
  const { state, says, causes } = status.judgement;
  expect(up).toBe(status.up === null ? undefined : Number(status.up));
  expect(sentence).toContain(says.replaceAll('`', ''));
  expect(/ is fresh(?! in part)/.test(sentence)).toBe(state === 'well');
  if (state !== 'well') expect(causes.length).toBeGreaterThan(0);
  if (state === 'well' || state === 'partly_failing') expect([up, hasData, notReady]).toEqual([1, 1, []]);
  if (state === 'down') expect(up).toBe(0);
  if (state === 'no_data' || state === 'starting') expect(gauges).toBe(0);
  if (hasData === 1) expect(gauges).toBeGreaterThan(0);
}

it.each(Object.entries(CASES))(
  '%s: everything that is said agrees with the truth, and the cause comes first within two polls',
  async (_name, known) => {
    const { trouble, from, cause, says, served, within = 2 } = known;
    const platform = await serveTroubledPlatform(START);
    const begin = () => {
      if (trouble === 'late') platform.late = 30 * 60_000;
      else platform.trouble = trouble;
    };
    if (from === 0) begin();
    const account = { api_url: platform.url, collectors: COLLECTORS };
    const simulation = await simulate({ start: START, account });
    onTestFinished(() => simulation.close());
    platform.now = () => simulation.clock.now();
    if (from > 0) {
      await simulation.minutes(from + 0.5);
      const before = await said(simulation);
      expectAgreement(before);
      expect([before.status.judgement.state, before.up, before.notReady]).toEqual(['well', 1, []]);
      begin();
    }
    let minutesTooOld = 0;
    for (let minute = 1; minute <= 75; minute += 1) {
      await simulation.minutes(1);
      const now = await said(simulation);
      const context = `minute ${minute}: ${now.sentence}`;
      expectAgreement(now);
      // While the account is down, its last gauges stay for a while; else they go within a minute of being late.
      minutesTooOld = now.up === 1 && now.hasData === 0 && now.gauges > 0 ? minutesTooOld + 1 : 0;
      expect([minutesTooOld <= 1, context]).toEqual([true, context]);
      if (minute < within) continue;
      expect([[cause].flat().includes(now.status.judgement.causes[0]?.kind ?? 'clock'), context]).toEqual([
        true,
        context,
      ]);
      expect([now.sentence, context]).toEqual([expect.stringMatching(says), context]);
      expect(now.status.judgement.causes[0]?.next, context).not.toBe('');
      expect(now.status.judgement.state, context).not.toBe('well');
      if (from === 0) expect([now.notReady.length > 0, context]).toEqual([!served, context]);
      // Settings are read every ten minutes: until then their last poll succeeded.
      if (minute > 12) expect([now.up, context]).toEqual([Number(served), context]);
      // Data of this platform is to be expected up to 12 min old.
      if (minute > 15) expect([now.hasData ?? 0, context]).toEqual([0, context]);
    }
  },
);

it('when the trouble ends, all is well again within ten minutes, and within an hour where a permission was missing', async () => {
  const platform = await serveTroubledPlatform(START);
  const simulation = await simulate({
    start: START,
    account: { api_url: platform.url, collectors: COLLECTORS },
  });
  onTestFinished(() => simulation.close());
  platform.now = () => simulation.clock.now();
  await simulation.minutes(30.5);
  const forbidden = ofMetrics(FORBIDDEN);
  for (const trouble of [forbidden, LIMITED, REFUSED, PAGE]) {
    platform.trouble = trouble;
    await simulation.minutes(20);
    expect((await said(simulation)).status.judgement.state).not.toBe('well');
    platform.trouble = () => undefined;
    await simulation.minutes(trouble === forbidden ? 61 : 10);
    const now = await said(simulation);
    expectAgreement(now);
    expect([now.status.judgement.state, now.up]).toEqual(['well', 1]);
  }
});
