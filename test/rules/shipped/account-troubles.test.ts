import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { filledIn } from '../../../grafana/source/filled-in.ts';
import { TOLD } from '../../../grafana/source/troubles.ts';
import type { CauseKind } from '../../../src/exporter/facts/cause.ts';
import type { AccountState } from '../../../src/exporter/facts/facts.ts';
import { TOLERATED_SECONDS } from '../../../src/exporter/facts/job-facts.ts';
import { renderPage } from '../../../src/exporter/page/page.ts';
import { parsePageQuery } from '../../../src/exporter/page/query.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { parseStatusQuery, statusDocument } from '../../../src/exporter/status-document.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { selectorsOf } from '../../dashboards/promql.ts';
import { testRules } from '../../end-to-end/promtool.ts';
import { madeUpStatus } from '../../exporter/page/made-up-status.ts';
import { inLongSuite } from '../../long-suite.ts';
import { neededRules } from '../../simulation/judgement/needed-rules.ts';
import { type Simulation, simulate } from '../../simulation/simulation.ts';
import {
  type Answer,
  type PlatformSize,
  serveTroubledPlatform,
  type Trouble,
  type TroubledPlatform,
} from '../../simulation/troubled-platform.ts';

const START = Date.UTC(2026, 0, 5, 10);
const HOUR = 60;

const BEFORE = 14;
const EARLIER = 60;
const LAST = BEFORE + 75;

const IS_FRESH = /^test is fresh: the oldest data is [^;]* old\.$/;

const SMALL_QUOTA = { limit: 40, configurations: 8 };

const PRODUCT = 'edge_applications';

const COLLECTORS = {
  metrics: { products: { [PRODUCT]: { metrics: ['cdn_requests'] } } },
  domains: {},
};

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
const NO_SUCH_PAGE: Trouble = () => ({ status: 404, body: '<html><title>Not found</title></html>' });
const CLOSED: Trouble = () => ({ status: 0, body: undefined });
const EMPTY: Trouble = (path) => ({
  status: 200,
  body: path === '/domains' ? { count: 0, total_pages: 1, results: [] } : [],
});
const ofMetrics =
  (trouble: Trouble): Trouble =>
  (path, now) =>
    path.startsWith('/metrics/') ? trouble(path, now) : undefined;
const ofSettings =
  (trouble: Trouble): Trouble =>
  (path, now) =>
    path.startsWith('/domains') ? trouble(path, now) : undefined;

interface Stage {
  readonly platform: TroubledPlatform;
  readonly simulation: () => Simulation;
  /** Switch of the disk: while `isFull` is true, it refuses writes. */
  readonly disk: { isFull: boolean };
}

interface Case {
  readonly begin: (stage: Stage) => unknown;
  /**
   * Minutes after which the trouble ends, and the action that ends it. Ten minutes later, no trouble remains.
   */
  readonly ends?: readonly [minutes: number, end: (stage: Stage) => unknown];
  /** Minute at which the trouble begins; 0: at the start. */
  readonly from: number;
  /** Expected cause; undefined if nothing is wrong with the account. */
  readonly cause?: CauseKind | readonly CauseKind[];
  readonly follows?: CauseKind;
  readonly says: RegExp;
  readonly served: boolean;
  readonly fresh?: boolean;
  readonly inTheEnd?: AccountState;
  /** Minutes after which the cause is first; undefined: two polls are enough. */
  readonly within?: number;
  readonly size?: PlatformSize;
  readonly logsIn?: true;
  readonly told?: readonly string[];
  readonly alerts?: string;
}

const answers =
  (trouble: Trouble) =>
  ({ platform }: Stage): void => {
    platform.trouble = trouble;
  };
const isLateBy =
  (minutes: number) =>
  ({ platform }: Stage): void => {
    platform.late = minutes * 60_000;
  };
const othersTake =
  (share: number) =>
  ({ platform }: Stage): void => {
    platform.others = share;
  };

const CASES: Readonly<Record<string, Case>> = {
  'all 403': {
    begin: answers(FORBIDDEN),
    from: 0,
    cause: 'forbidden',
    says: /may not read anything/,
    served: false,
    told: ['the token lacks a permission for something that is configured'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'metrics 403': {
    begin: answers(ofMetrics(FORBIDDEN)),
    from: 0,
    cause: 'forbidden',
    says: /lacks the permission Analytics/,
    served: true,
    told: ['the token lacks a permission for something that is configured'],
    alerts: 'EdgeCollectorFailing EdgeDataStale EdgeNotDiscovered',
  },
  'settings 403': {
    begin: answers(ofSettings(FORBIDDEN)),
    from: 0,
    cause: 'forbidden',
    says: /may not read domains/,
    served: true,
    fresh: true,
    inTheEnd: 'partly_failing',
    within: 5,
    told: ['the token lacks a permission for something that is configured'],
    alerts: 'EdgeCollectorFailing',
  },
  'permission withdrawn after an hour': {
    begin: answers(ofMetrics(FORBIDDEN)),
    from: HOUR,
    cause: 'forbidden',
    // Refused reads become rare. Only the second poll, minutes later, shows that all reads of series are
    // refused.
    says: /lacks the permission Analytics|may not read edge_applications/,
    served: true,
    told: ['the token lacks a permission for something that is configured', 'counters are behind'],
    alerts: 'EdgeDataStale EdgeNotDiscovered EdgePollsFailing',
  },
  'every permission withdrawn': {
    begin: answers(FORBIDDEN),
    from: HOUR,
    cause: 'forbidden',
    says: /may not read anything|lacks the permission Analytics|may not read edge_applications/,
    served: false,
    told: ['the token lacks a permission for something that is configured', 'counters are behind'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'all 404': {
    begin: answers(NOT_FOUND),
    from: 0,
    cause: 'not_found',
    says: /nothing is found at this address/,
    served: false,
    told: ['the platform does not have something that is configured'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'a wrong path, of which a web server has no page': {
    begin: answers(NO_SUCH_PAGE),
    from: 0,
    cause: 'unreachable',
    says: /answers 404 with HTML/,
    served: false,
    told: ['no new data: the platform cannot be reached, or another server answers'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'all 429': {
    begin: answers(LIMITED),
    from: 0,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
    told: ['the platform refuses operations (429)'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'all 429 without headers': {
    begin: answers(UNLIMITED),
    from: 0,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
    told: ['the platform refuses operations (429)'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'all 429 after an hour': {
    begin: answers(LIMITED),
    from: HOUR,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
    told: ['counters are behind', 'the platform refuses operations (429)'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'all 429 without headers after an hour': {
    begin: answers(UNLIMITED),
    from: HOUR,
    cause: 'rate_limited',
    says: /the platform refuses reads \(429\)/,
    served: false,
    told: ['counters are behind', 'the platform refuses operations (429)'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'token refused': {
    begin: answers(REFUSED),
    from: 0,
    cause: 'unauthorized',
    says: /refuses the token/,
    served: false,
    told: ['no new data: the platform refuses the token'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'token refused after an hour': {
    begin: answers(REFUSED),
    from: HOUR,
    cause: 'unauthorized',
    says: /refuses the token/,
    served: false,
    told: ['no new data: the platform refuses the token'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'token expired after an hour, and no other is created': {
    begin: answers(REFUSED),
    from: HOUR,
    logsIn: true,
    cause: 'unauthorized',
    says: /refuses the (token|user name or the password)/,
    served: false,
    told: ['no new data: the platform refuses the token'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'no connection': {
    begin: answers(CLOSED),
    from: 0,
    cause: 'unreachable',
    says: /the platform cannot be reached/,
    served: false,
    told: ['no new data: the platform cannot be reached, or another server answers'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'no connection after an hour': {
    begin: answers(CLOSED),
    from: HOUR,
    cause: 'unreachable',
    says: /the platform cannot be reached/,
    served: false,
    told: ['no new data: the platform cannot be reached, or another server answers'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'every answer 503 from the start': {
    begin: answers(FAILING),
    from: 0,
    cause: 'server_error',
    says: /503/,
    served: false,
    told: ['the platform answers with errors'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'metrics 503': {
    begin: answers(ofMetrics(FAILING)),
    from: HOUR,
    cause: 'server_error',
    says: /503/,
    served: true,
    told: ['counters are behind', 'the platform answers with errors'],
    alerts: 'EdgeDataStale EdgeNotDiscovered EdgePollsFailing',
  },
  'every answer 503': {
    begin: answers(FAILING),
    from: HOUR,
    cause: 'server_error',
    says: /503/,
    served: false,
    told: ['the platform answers with errors'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'a web page': {
    begin: answers(PAGE),
    from: 0,
    cause: 'unreachable',
    says: /answers 200 with HTML/,
    served: false,
    told: ['no new data: the platform cannot be reached, or another server answers'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'a web page after an hour': {
    begin: answers(PAGE),
    from: HOUR,
    // Every answer decides again whether the platform or another server answers.
    cause: ['unreachable', 'undecodable'],
    says: /answers 200 with HTML|the answer is not JSON/,
    served: false,
    within: 4,
    told: ['no new data: the platform cannot be reached, or another server answers'],
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
  'empty lists': {
    begin: answers(EMPTY),
    from: 0,
    cause: 'nothing_there',
    says: /lists no active configurations/,
    served: true,
    told: ['no data: the platform has nothing that the configuration names'],
  },
  'late by half an hour': {
    begin: isLateBy(30),
    from: HOUR,
    cause: 'platform_late',
    says: /the platform is late/,
    served: true,
    within: 8,
    told: ['data is late, although the platform answers'],
    alerts: 'EdgeDataStale',
  },
  'late by 8 minutes': {
    begin: isLateBy(8),
    from: HOUR,
    // This cause lasts until the platform has new buckets again.
    follows: 'platform_late',
    says: /the platform is late|is fresh/,
    served: true,
  },
  'late by 3 minutes': {
    begin: isLateBy(3),
    from: HOUR,
    follows: 'platform_late',
    says: /the platform is late|is fresh/,
    served: true,
  },
  'other clients take 10 % of the quota': {
    begin: othersTake(0.1),
    from: HOUR,
    says: IS_FRESH,
    served: true,
    fresh: true,
    size: SMALL_QUOTA,
  },
  'other clients take 50 % of the quota': {
    begin: othersTake(0.5),
    from: HOUR,
    says: IS_FRESH,
    served: true,
    fresh: true,
    size: SMALL_QUOTA,
  },
  'other clients take 90 % of the quota': {
    begin: othersTake(0.9),
    from: HOUR,
    cause: 'quota',
    says: /(polls wait for the quota|the quota allows polling).*; other clients of the token take about (3[5-9]|40) operations/,
    served: true,
    // Before that, the data of the last poll is still in time.
    within: 3,
    size: SMALL_QUOTA,
    told: ['polls wait for the quota, so data arrives later than planned'],
    alerts: 'EdgeQuotaNearlySpent',
  },
  'a full disk': {
    begin: ({ disk }) => {
      disk.isFull = true;
    },
    from: HOUR,
    says: /is (fresh|behind): .*; counters stand still: the state directory \/state cannot be written/,
    served: true,
    fresh: true,
    inTheEnd: 'late',
    follows: 'counters_behind',
    told: ['counters are behind', 'the state cannot be written, so counters do not rise'],
    alerts: 'EdgeStateNotKept',
  },
  'a first start': {
    begin: () => undefined,
    from: 0,
    says: /is (starting|fresh)/,
    served: true,
    fresh: true,
    within: 5,
  },
  'a restart': {
    begin: ({ simulation }) => simulation().restart(),
    from: HOUR,
    says: IS_FRESH,
    served: true,
    fresh: true,
  },
  'a clock that is set an hour ahead': {
    begin: ({ simulation }) => simulation().clock.setWall(3_600_000),
    from: HOUR,
    cause: 'clock',
    says: /is fresh: .*; this machine’s clock is 1 h ahead of the platform’s: it was set forward/,
    served: true,
    fresh: true,
    told: ['the clock of the exporter’s machine is wrong'],
  },
  'a clock that is set back by ten minutes': {
    begin: ({ simulation }) => simulation().clock.setWall(-600_000),
    from: HOUR,
    cause: 'clock',
    says: /is fresh: .*; this machine’s clock is 10 min (1 s )?behind the platform’s/,
    served: true,
    fresh: true,
    told: ['the clock of the exporter’s machine is wrong'],
  },
  'a clock that is set back by half an hour': {
    begin: ({ simulation }) => simulation().clock.setWall(-1_800_000),
    from: HOUR,
    cause: 'clock',
    says: /is fresh: .*; this machine’s clock is 30 min (1 s )?behind the platform’s/,
    served: true,
    fresh: true,
    told: ['the clock of the exporter’s machine is wrong'],
  },
  'catching up after 35 minutes of 503': {
    begin: answers(FAILING),
    from: HOUR,
    ends: [35, answers(() => undefined)],
    cause: 'server_error',
    says: /503/,
    served: false,
    alerts: 'EdgeDataStale EdgePlatformUnreachable',
  },
};

function shownPage(simulation: Simulation, isFull = false) {
  const status = madeUpStatus({
    accounts: simulation.exporter().accounts(),
    state: { kind: 'durable', directory: '/state', ...(isFull && { refusal: FULL }) },
  });
  const now = simulation.clock.wall();
  const markup = renderPage(status, { query: parsePageQuery(''), now, telemetryPath: '/metrics' });
  const text = (html: string) => html.replace(/<[^>]*>/g, '').replaceAll('&#39;', "'");
  const sentence = text(/<p class="says"[^>]*>(.*?)<\/p>/s.exec(markup)?.[1] ?? '');
  return { status, now, markup, text, sentence };
}

async function said(simulation: Simulation, { isFull }: { readonly isFull: boolean } = { isFull: false }) {
  const exporter = simulation.exporter();
  const scrape = await simulation.scrape();
  const { status, sentence } = shownPage(simulation, isFull);
  const query = parseStatusQuery('');
  if (!('offset' in query)) throw new Error('no query is a query');
  const [account] = (
    JSON.parse(JSON.stringify(statusDocument(status, query))) as {
      accounts: {
        up: boolean | null;
        judgement: {
          state: AccountState;
          says: string;
          causes: { kind: CauseKind; jobs: number; next: string }[];
          data: { part: string; has_data: boolean | null }[];
        };
      }[];
    }
  ).accounts;
  if (account === undefined) throw new Error('one account is configured');
  const keysOf = (family: string) =>
    [...scrape.samples.keys()].filter((key) => key.startsWith(`["${family}"`));
  const value = (family: string) => scrape.samples.get(keysOf(family)[0] ?? '');
  return {
    samples: scrape.samples,
    up: value('edge_up'),
    hasData: value('edge_data_available'),
    catchesUp: value('edge_totals_catching_up'),
    troubles: keysOf('edge_trouble_info').map((key) => /"cause","(\w+)"/.exec(key)?.[1] ?? ''),
    gauges: keysOf('edge_requests_per_minute').length,
    age: simulation.clock.wall() / 1_000 - (value('edge_data_until_timestamp_seconds') ?? 0),
    expectedAge: value('edge_expected_age_seconds') ?? 0,
    notReady: [...exporter.notReady()].flat(),
    sentence,
    status: account,
  };
}

type Said = Awaited<ReturnType<typeof said>>;

function expectAgreement(now: Said): void {
  const { up, hasData, gauges, notReady, sentence, status, troubles } = now;
  const { state, says, causes } = status.judgement;
  expect(up).toBe(status.up === null ? undefined : Number(status.up));
  expect(sentence).toContain(says.replaceAll('`', ''));
  expect(/ is fresh(?! in part)/.test(sentence)).toBe(state === 'well');
  const kinds = new Set(causes.map(({ kind }) => kind).filter((kind) => kind !== 'first_polls'));
  expect([sentence, new Set(troubles)]).toEqual([sentence, kinds]);
  if (state !== 'well') expect(causes.length).toBeGreaterThan(0);
  if (state === 'well' || state === 'partly_failing') expect([up, hasData, notReady]).toEqual([1, 1, []]);
  if (state === 'down') expect(up).toBe(0);
  if (state === 'no_data' || state === 'starting') expect(gauges).toBe(0);
  if (hasData === 1) expect(gauges).toBeGreaterThan(0);
}

const TWO = 'two exporters of one account';

const FULL = 'cannot write the state in /state: database or disk is full';

async function setStage({
  from,
  size,
  logsIn,
  schedule = '* * * * *',
}: Partial<Case> & { readonly schedule?: string } = {}): Promise<{
  stage: Stage;
  start: () => Promise<Simulation>;
}> {
  // All cases are checked from the same time on.
  const began = START + (from === 0 ? HOUR * 60_000 : 0);
  const platform = await serveTroubledPlatform(began, size);
  const disk = { isFull: false };
  const kept = memoryState();
  const state: State = {
    ...kept,
    commit: async (entries) => {
      if (disk.isFull && entries.length > 0) throw new StateWriteFailure(FULL);
      return kept.commit(entries);
    },
    close: async () => undefined,
  };
  const login = { username: 'operator', password: 'secret' };
  const collectors = { ...COLLECTORS, metrics: { ...COLLECTORS.metrics, schedule } };
  const account = { api_url: platform.url, collectors, ...(logsIn && login) };
  let running: Simulation | undefined;
  const simulation = (): Simulation => {
    if (running === undefined) throw new Error('it has not been started');
    return running;
  };
  const start = async () => {
    const started = await simulate({ start: began, account, state });
    onTestFinished(() => started.close());
    platform.now = () => started.clock.now();
    running = started;
    return started;
  };
  return { stage: { platform, simulation, disk }, start };
}

const FILES = ruleFiles();
const ALERTS = FILES.alerts.groups
  .flatMap(({ rules }) => rules)
  .flatMap(({ alert, labels }) =>
    labels.about === 'exporter' && alert !== 'EdgeConfigReloadFailed' ? [alert] : [],
  );
const { groups: GROUPS } = neededRules(FILES, ...ALERTS);
const WATCHED = new Set(
  [
    ...GROUPS.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    filledIn(TOLD, { account: '.+' }),
  ].flatMap((expr) => selectorsOf(expr).flatMap(({ metric }) => metric ?? [])),
);

type Recorded = Map<string, (number | undefined)[]>;

const recorded: Recorded = new Map();

function record(
  into: Recorded,
  minute: number,
  { samples }: Pick<Said, 'samples'>,
  { instance, named }: { readonly instance: string; readonly named?: string },
): void {
  for (const [key, value] of samples) {
    const [family, labels] = JSON.parse(key) as [string, [string, string][]];
    if (!WATCHED.has(family)) continue;
    const own = labels.map(
      ([label, text]) => `${label}=${JSON.stringify(/^account(_id)?$/.test(label) ? (named ?? text) : text)}`,
    );
    const series = `${family}{${[...own, 'job="edge-exporter"', `instance=${JSON.stringify(instance)}`].join(', ')}}`;
    const values = into.get(series) ?? [];
    into.set(series, values);
    values[minute] = value;
  }
}

async function seeAllWell(
  simulation: Simulation,
  keep: (minute: number, said: Said) => void,
  state: AccountState,
): Promise<void> {
  for (let minute = 0; minute <= BEFORE; minute += 1) {
    await simulation.minutes(1);
    const before = await said(simulation);
    expectAgreement(before);
    expect([before.status.judgement.state, before.up, before.notReady]).toEqual([state, 1, []]);
    keep(minute, before);
  }
}

function expectTruth(known: Case, minute: number, now: Said): void {
  const { cause, follows, from, says, served, fresh = false, within = 2 } = known;
  const context = `minute ${minute}: ${now.sentence}`;
  const { causes, state } = now.status.judgement;
  if (minute < within) return;
  if (cause === undefined)
    expect([now.troubles.filter((kind) => kind !== follows), context]).toEqual([[], context]);
  else {
    expect([[cause].flat().includes(causes[0]?.kind ?? 'first_polls'), context]).toEqual([true, context]);
    expect(causes[0]?.next, context).not.toBe('');
  }
  expect([now.sentence, context]).toEqual([expect.stringMatching(says), context]);
  if (cause !== undefined && !fresh) expect(state, context).not.toBe('well');
  if (from === 0) expect([now.notReady.length > 0, context]).toEqual([!served, context]);
  // Settings are read every ten minutes. Before that, their last poll succeeded.
  if (minute > 12) expect([now.up, context]).toEqual([Number(served), context]);
  // The expected age of this platform's data is up to 12 min.
  if (fresh || (cause !== undefined && minute > 15))
    expect([now.hasData ?? 0, context]).toEqual([Number(fresh), context]);
}

/**
 * Plays a case, and checks all texts each minute.
 * @param keep receives the content that Prometheus would have scraped
 */
async function play(known: Case, keep: (minute: number, said: Said) => void): Promise<void> {
  const { begin, ends: [endsAt, end] = [Number.POSITIVE_INFINITY], from } = known;
  const { stage, start } = await setStage(known);
  if (from === 0) await begin(stage);
  const simulation = await start();
  if (from > 0) {
    await simulation.minutes(from - BEFORE - 0.5);
    await seeAllWell(simulation, keep, known.size?.lacksDomains ? 'partly_failing' : 'well');
    await begin(stage);
  }
  let minutesTooOld = 0;
  let caughtUp = false;
  for (let minute = 1; minute <= 75; minute += 1) {
    await simulation.minutes(1);
    const now = await said(simulation, stage.disk);
    keep(BEFORE + minute, now);
    expectAgreement(now);
    const context = `minute ${minute}: ${now.sentence}`;
    // While the account is down, its last gauges remain for a while. Otherwise they disappear one poll
    // interval after they become late. If the quota does not allow more polls, they remain but are reported
    // as old.
    const isLate = now.hasData === 0 && now.age > now.expectedAge + TOLERATED_SECONDS + 60;
    const isShort = now.status.judgement.causes[0]?.kind === 'quota';
    minutesTooOld = now.up === 1 && isLate && now.gauges > 0 && !isShort ? minutesTooOld + 1 : 0;
    expect([minutesTooOld <= 1, context]).toEqual([true, context]);
    caughtUp ||= minute > endsAt && now.catchesUp === 1;
    if (minute <= endsAt) expectTruth(known, minute, now);
    else if (minute >= endsAt + 10)
      expect([now.status.judgement.state, now.troubles, now.up, context]).toEqual(['well', [], 1, context]);
    if (minute === endsAt) await end?.(stage);
    if (minute === 75 && known.inTheEnd !== undefined)
      expect([now.status.judgement.state, context]).toEqual([known.inTheEnd, context]);
  }
  expect(caughtUp).toBe(end !== undefined);
}

it.each(Object.entries(CASES))(
  '%s: everything that is said agrees with the truth, and the cause comes first within two polls',
  (name, known) =>
    play(known, (minute, now) => record(recorded, minute, now, { instance: name, named: name })),
);

const SIZES = inLongSuite([8, 60], [8]);

const AT_ANY_SIZE = [
  'metrics 403',
  'all 404',
  'token refused after an hour',
  'every answer 503',
  'late by half an hour',
];

it.each(SIZES.flatMap((configurations) => AT_ANY_SIZE.map((name) => [configurations, name] as const)))(
  'so it is in an account of %d configurations: %s',
  async (configurations, name) => {
    const known = CASES[name];
    if (known === undefined) throw new Error(`no case ${name}`);
    await play({ ...known, size: { configurations } }, () => undefined);
  },
);

it.each(['late by half an hour', 'a web page after an hour', 'every answer 503', 'all 429 after an hour'])(
  'so it is where the platform has never had one of the settings: %s',
  async (name) => {
    const known = CASES[name];
    if (known === undefined) throw new Error(`no case ${name}`);
    await play({ ...known, size: { lacksDomains: true } }, () => undefined);
  },
);

it('when the trouble ends, all is well again within ten minutes, and within an hour where a permission was missing', async () => {
  const { stage, start } = await setStage();
  const { platform } = stage;
  const simulation = await start();
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

it('what is in time is said to be late within a second of being it, though no poll comes', async () => {
  // With a poll every minute, a poll would coincide with the second in which data becomes late.
  const { stage, start } = await setStage({ schedule: '*/5 * * * *' });
  const simulation = await start();
  await simulation.minutes(60.5);
  stage.platform.late = 30 * 60_000;
  await simulation.minutes(5);
  let secondsBehind = 0;
  const seen = new Set<number>();
  for (let second = 0; second < 180; second += 1) {
    await simulation.minutes(1 / 60);
    const { hasData = 0, status } = await said(simulation);
    seen.add(hasData);
    const isTrue =
      status.judgement.data.some(({ part, has_data: has }) => part === PRODUCT && has) === (hasData === 1);
    secondsBehind = isTrue ? 0 : secondsBehind + 1;
    expect([second, secondsBehind <= 1]).toEqual([second, true]);
  }
  expect([...seen]).toEqual([1, 0]);
});

const IN_TROUBLE: Readonly<Record<string, string>> = {
  a02: 'late by half an hour',
  a05: 'token refused after an hour',
  a08: 'metrics 403',
  a11: 'all 404',
  a12: 'all 404',
  a15: 'every answer 503',
  a16: 'a web page after an hour',
  a19: 'all 429 after an hour',
};
const TWENTY = Array.from({ length: 20 }, (_, index) => `a${String(index + 1).padStart(2, '0')}`);

it('of twenty accounts, eight of them in trouble, each is said to be what it is, the worst first', async () => {
  const casesOf = new Map(
    Object.entries(IN_TROUBLE).map(([account, name]) => {
      const known = CASES[name];
      if (known === undefined) throw new Error(`no case ${name}`);
      return [account, known];
    }),
  );
  const stages = await Promise.all(
    TWENTY.map(async (name) => ({
      name,
      platform: await serveTroubledPlatform(START),
      known: casesOf.get(name),
    })),
  );
  const begin = (isFrom: (minutes: number) => boolean) => {
    for (const { platform, known } of stages) {
      if (known === undefined || !isFrom(known.from)) continue;
      const stage = { platform, simulation: () => simulation, disk: { isFull: false } };
      known.begin(stage);
    }
  };
  begin((from) => from === 0);
  const [first, ...further] = stages.map(({ name, platform }) => ({
    name,
    api_url: platform.url,
    collectors: COLLECTORS,
  }));
  const simulation = await simulate({ start: START, account: first ?? {}, furtherAccounts: further });
  onTestFinished(() => simulation.close());
  for (const { platform } of stages) platform.now = () => simulation.clock.now();
  const scraped: Recorded = new Map();
  const minute = async (at: number) => {
    await simulation.minutes(1);
    const scrape = await simulation.scrape();
    record(scraped, at, scrape, { instance: 'twenty' });
    return scrape.samples;
  };
  await simulation.minutes(HOUR - BEFORE - 0.5);
  for (let at = 0; at <= BEFORE; at += 1) await minute(at);
  begin((from) => from > 0);
  for (let at = BEFORE + 1; at <= LAST; at += 1) {
    const samples = await minute(at);
    if (at < BEFORE + 15) continue;
    const up = stages.map(({ name }) => [name, samples.get(`["edge_up",[["account","${name}"]]]`)]);
    expect(up).toEqual(stages.map(({ name, known }) => [name, Number(known?.served ?? true)]));
  }

  const { markup, sentence, text } = shownPage(simulation);
  const rows = [
    ...markup.matchAll(/<tr><th scope="row">(.*?)<\/th>.*?data-head="Why"[^>]*>(.*?)<\/td>/gs),
  ].map(([, name = '', why = '']) => ({ name: text(name), why: text(why) }));
  const [worst, ...rest] = rows;
  expect(sentence).toContain(`12 of 20 accounts are fresh; ${worst?.name} `);
  expect(casesOf.get(worst?.name ?? '')).toMatchObject({ served: false, says: expect.any(RegExp) });
  expect(sentence).toContain(worst?.why);
  const order = rows.map(({ name }) => {
    const known = casesOf.get(name);
    return known === undefined ? 2 : Number(known.served);
  });
  // The order is: accounts without data, accounts with missing parts, and accounts without trouble.
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect([...order].sort()).toEqual([...Array(6).fill(0), 1, 1, ...Array(12).fill(2)]);
  for (const { name, why } of [worst, ...rest].flatMap((row) => row ?? []))
    expect([name, why]).toEqual([
      name,
      casesOf.has(name) ? expect.stringMatching(casesOf.get(name)?.says ?? /^$/) : '',
    ]);

  await expectTold(
    { scraped, instances: ['twenty'] },
    [...casesOf].flatMap(([name, { told = [] }]) => told.map((words) => [name, words] as const)),
    [...casesOf].flatMap(([name, { alerts = '' }]) =>
      alertsOf(alerts).map((alert) => [name, alert] as const),
    ),
  );
});

it('in each trouble the dashboards’ first row and the alerts say what is so, and nothing else', async () => {
  const told = Object.entries(CASES).flatMap(([name, { told = [] }]) =>
    told.map((words) => [name, words] as const),
  );
  const fired = Object.entries(CASES).flatMap(([name, { alerts = '' }]) =>
    alertsOf(alerts).map((alert) => [name, alert] as const),
  );
  told.push([TWO, 'two exporters poll it: they use the quota twice, and your own sums may be doubled']);
  fired.push([TWO, 'EdgeAccountPolledTwice']);
  const scraped = [...recorded, ...twice('a restart')];
  await expectTold({ scraped, instances: Object.keys(CASES) }, told, fired);
});

function alertsOf(text: string): string[] {
  return text.split(' ').filter((alert) => alert !== '');
}

type SaidOf = readonly (readonly [name: string, words: string])[];

async function expectTold(
  {
    scraped,
    instances,
  }: {
    readonly scraped: Iterable<readonly [string, (number | undefined)[]]>;
    readonly instances: readonly string[];
  },
  told: SaidOf,
  fired: SaidOf,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'account-troubles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const rules = join(folder, 'rules.yml');
  await writeFile(rules, stringify({ groups: GROUPS }, { lineWidth: 0 }));
  const up = instances.map((name) => ({
    series: `up{job="edge-exporter", instance=${JSON.stringify(name)}}`,
    values: `1x${EARLIER + LAST}`,
  }));
  const test = {
    interval: '1m',
    input_series: [
      ...up,
      ...Array.from(scraped, ([series, values]) => ({ series, values: notation(series, values) })),
    ],
    promql_expr_test: [
      {
        expr: `label_replace(max by (account, trouble) (${filledIn(TOLD, { account: '.+' })}) * 0, "account", "$1", "account", "all of (.+)")`,
        eval_time: `${EARLIER + LAST}m`,
        exp_samples: told.map(([name, trouble]) => ({
          labels: `{account=${JSON.stringify(name)}, trouble="${trouble}"}`,
          value: 0,
        })),
      },
      {
        expr: `max by (name, alertname) (label_replace(label_replace(max_over_time(ALERTS{alertstate="firing"}[${LAST}m]), "name", "$1", "instance", "(.+)"), "name", "$1", "account", "(.+)"))`,
        eval_time: `${EARLIER + LAST}m`,
        exp_samples: fired.map(([name, alert]) => ({
          labels: `{name=${JSON.stringify(name)}, alertname="${alert}"}`,
          value: 1,
        })),
      },
    ],
  };
  const file = join(folder, 'test.yml');
  await writeFile(
    file,
    stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }, { lineWidth: 0 }),
  );
  expect(await testRules('promtool', file)).toBe('');
}

function twice(name: string): (readonly [string, (number | undefined)[]])[] {
  return [...recorded]
    .filter(([series]) => series.includes(`instance="${name}"`))
    .flatMap(([series, values]) =>
      ['a', 'b'].map((target) => {
        const renamed = series
          .replace(`account="${name}"`, `account="${TWO}"`)
          .replace(`instance="${name}"`, `instance="${target}"`)
          .replace(`account_id="${name}"`, `account_id="${TWO}"`);
        return [renamed, values] as const;
      }),
    );
}

/**
 * Returns values in promtool's notation, whose time begins in 1970. Initial values last for an hour, and
 * series that disappear get a stale marker.
 */
function notation(series: string, values: readonly (number | undefined)[]): string {
  const isTime = /^\w+_timestamp_seconds\{/.test(series);
  const texts = Array.from({ length: EARLIER + LAST + 1 }, (_, index) => {
    const minute = index - EARLIER;
    const value = values[Math.max(0, minute)];
    if (value === undefined) return minute > 0 && values[minute - 1] !== undefined ? 'stale' : '_';
    if (!isTime) return value;
    // Recorded cases begin an hour after the start, minus the minutes before the case.
    const began = START / 1_000 + 60 * (60 - BEFORE);
    return value - began + 60 * (EARLIER + Math.min(0, minute));
  });
  return texts.join(' ');
}
