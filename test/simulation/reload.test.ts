import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT } from '../../src/exporter/configuration/schema.ts';
import { DEFAULT_TOKEN, DEFAULT_USER } from '../../src/sandbox/sandbox.ts';
import { type Simulation, simulate } from './simulation.ts';

type Keys = Record<string, unknown>;

const SCRAPES = 72;
const EVERY_MINUTES = 1 / 60;

const DIRECTORY = mkdtempSync(join(tmpdir(), 'edge-exporter-reload-'));

const METRICS = ['cdn_requests', 'status_code', 'data_transferred_total'];

function collectors(applications: Keys = {}, others: Keys = { edge_functions: {} }): Keys {
  const edge_applications = { metrics: METRICS, ...applications };
  return {
    metrics: { products: { edge_applications, edge_functions: {} } },
    analytics: { products: { cloud_storage: { metrics: ['used_space'] } } },
    domains: {},
    ...others,
  };
}

interface Change {
  /** Changes of the account, which later cases keep. */
  readonly account?: Keys;
  readonly credentials?: Keys;
  readonly gone?: RegExp;
  readonly late?: RegExp;
}

const FEWER = { metrics: METRICS.slice(0, 2) };
const NO_NEWS = { ...FEWER, configurations: { exclude: ['news'] } };

const OF_ACCOUNT =
  /^\["edge_(up|data_available|expected_age|missing_buckets|trouble|source|product|unmatched|unread|totals_catching|api_ratelimit|exporter_(publish|settle|bucket_completeness|upward))/;

const CHANGES: Readonly<Record<string, Change>> = {
  stale_after: { account: { stale_after: '3h' } },
  allow_http: { account: { allow_http: true } },
  quota: { account: { quota: { reserve: 0.3, assumed_limit: 90 } } },
  request: { account: { request: { timeout: '20s', concurrency: 3, max_response_bytes: 10_000_000 } } },
  publish_delay: { account: { publish_delay: '3m' } },
  settle_delay: { account: { settle_delay: '12m' } },
  reconciliation_share: { account: { reconciliation_share: 0.02 } },
  discovery: { account: { discovery: '*/7 * * * *' } },
  units: { account: { units: { data_transferred_total: 'gigabytes' } } },
  source: { account: { source: 'rest' } },
  // The exporter determines the source again.
  'source, to auto': { account: { source: 'auto' } },
  token_file: { credentials: { token_file: join(DIRECTORY, 'token') } },
  // An account has a different id with a user name than with a token.
  username: {
    credentials: { username: DEFAULT_USER.username, password: DEFAULT_USER.password },
    gone: /edge_account_info/,
  },
  token: {
    credentials: {},
    gone: /^(?!.*operations_total).*"scope","tokens"|edge_token_(expiry|renewal)|edge_account_info/,
  },
  'schedule of a product': { account: { collectors: collectors({ schedule: '*/2 * * * *' }) } },
  'metrics of a product': {
    account: { collectors: collectors(FEWER) },
    gone: /^(?!.*restatements_total).*"data_transferred_total"|edge_data_transferred/,
  },
  'configurations of a product': {
    account: { collectors: collectors(NO_NEWS) },
    // The family is updated every ten seconds.
    late: /edge_totals_catching_up/,
    gone: /^(?!.*configuration_info).*"configuration","news".*"edge_applications"/,
  },
  collectors: {
    account: { collectors: collectors(NO_NEWS, {}) },
    gone: /^\["edge_functions?_(?!inv)|last_success.*"collector","edge_functions"/,
    late: /^\["edge_exporter_(jobs|interval_stretch_ratio)".*"edge_functions"/,
  },
};

describe('a reload', () => {
  let simulation: Simulation;
  let account: Keys = { stale_after: '2h', collectors: collectors() };
  let credentials: Keys = {};

  const shown = async () => [...(await simulation.scrape()).samples.keys()];

  beforeAll(async () => {
    await writeFile(join(DIRECTORY, 'token'), DEFAULT_TOKEN.token);
    simulation = await simulate({ account, sandbox: { configurations: 3 } });
    await simulation.minutes(40);
  });

  afterAll(async () => {
    await simulation.close();
    await rm(DIRECTORY, { recursive: true });
  });

  it.each(Object.entries(CHANGES))(
    'of %s removes no series that the new configuration still has, and at once all others',
    async (_, change) => {
      account = { ...account, ...change.account };
      credentials = change.credentials ?? credentials;
      const before = (await shown()).filter((series) => change.late?.test(series) !== true);
      const [gone, kept] = [true, false].map((isGone) =>
        before.filter((series) => (change.gone?.test(series) ?? false) === isGone),
      );
      expect(gone?.length).toBeGreaterThanOrEqual(change.gone === undefined ? 0 : 1);
      await simulation.reload([], { ...account, ...credentials });
      for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
        const now = new Set(await shown());
        expect(kept?.filter((series) => !now.has(series))).toEqual([]);
        // Series are withdrawn in slices, so a scrape at the same moment may precede the last slice.
        const isLate = (series: string) => scrape <= 62 && OF_ACCOUNT.test(series);
        if (scrape > 0) expect(gone?.filter((series) => now.has(series) && !isLate(series))).toEqual([]);
        await simulation.minutes(EVERY_MINUTES);
      }
    },
    60_000,
  );

  it('was tried with every key of an account but those that name it or its platform', () => {
    const keys = Object.keys(ACCOUNT.in.shape);
    const tried = Object.values(CHANGES).flatMap(({ account = {}, credentials = {} }) => [
      ...Object.keys(account),
      ...Object.keys(credentials),
    ]);
    expect(keys.filter((key) => !tried.includes(key))).toEqual([
      'name',
      'labels',
      'api_url',
      'token',
      'password_file',
      'graphql_url',
    ]);
  });

  it('is documented for every key of an account, and by what was tried', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [, table = ''] = page.split('| changed key of an account |');
    const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`.*?`) \| (.*) \|$/gm)];
    const keysOf = (some: typeof rows) =>
      some.flatMap(([, keys]) => (keys ?? '').replaceAll('`', '').split(', '));
    expect(keysOf(rows).sort()).toEqual(Object.keys(ACCOUNT.in.shape).sort());
    const none = keysOf(rows.filter(([, , what]) => what === 'none'));
    const losing = Object.values(CHANGES).flatMap(({ account = {}, gone }) =>
      gone === undefined ? [] : Object.keys(account),
    );
    expect(losing).toContain('collectors');
    expect(none.filter((key) => losing.includes(key))).toEqual([]);
  });
});
