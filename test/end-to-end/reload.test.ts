import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { type ParsedExposition, parseExposition, seriesKey } from '../parse-exposition.ts';
import { type ConfigFile, configFile } from './config-file.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';

const SELDOM = '0 0 1 1 *';
/** Names of accounts. One is a prefix of another, whose removal must not affect the longer one. */
const NAMES = ['changing', 'leaving', 'leaving/not'];
const SUCCESSFUL = seriesKey('edge_exporter_config_last_reload_successful', {});

describe('the configuration loaded anew', () => {
  let sandbox: ServedSandbox;
  let config: ConfigFile;
  let exporter: ExporterProcess;

  beforeEach(async () => {
    sandbox = await serveSandbox();
    config = await configFile({ accounts: NAMES.map((name) => account(name)) });
    exporter = await startExporter({
      args: ['serve', `--config.file=${config.path}`, '--web.enable-lifecycle'],
    });
    onTestFinished(async () => void (await exporter.stop()));
    await shown(NAMES);
    // An account's availability is updated within a second of its polls.
    const available = NAMES.map((account) =>
      seriesKey('edge_data_available', { account, product: 'edge_applications' }),
    );
    await eventually('all have data', async () => {
      const { samples } = await scrape();
      return available.every((key) => samples.get(key) === 1);
    });
  });

  function account(name: string, metrics: readonly string[] = ['cdn_requests']): object {
    const collectors = { metrics: { schedule: SELDOM, products: { edge_applications: { metrics } } } };
    return { name, api_url: sandbox.url, token: DEFAULT_TOKEN.token, discovery: SELDOM, collectors };
  }

  async function scrape(): Promise<ParsedExposition> {
    return parseExposition((await exporter.scrape()).body);
  }

  /** Waits until exactly these accounts expose all of their requests. */
  async function shown(names: readonly string[], family = 'edge_requests_per_minute'): Promise<void> {
    const domains = [...sandbox.account.domains].length;
    const expected = names.flatMap((name) => new Array(domains).fill(name)).sort();
    await eventually(
      `${family} of ${names.join(', ')}`,
      async () => {
        const found = accountsWith(await scrape(), family);
        return JSON.stringify(found) === JSON.stringify(expected);
      },
      { evidence: exporter.process.output },
    );
  }

  function reload(): Promise<Response> {
    return fetch(`${exporter.url}/-/reload`, { method: 'POST' });
  }

  it('lets accounts come, go and change, and the others go on as they are', async () => {
    const before = await scrape();
    const asked = sandbox.requests.total;
    const changed = account('changing', ['status_code']);
    await config.write({ accounts: [account('leaving/not'), account('new'), changed] });
    expect((await reload()).status).toBe(200);
    // A reload does not poll this account again, so its series never disappear.
    expect(accountsWith(await scrape(), 'edge_requests_per_minute')).toContain('leaving/not');
    await shown(['leaving/not', 'new']);
    await shown(new Array(16).fill('changing'), 'edge_responses_per_minute');
    const after = await scrape();
    expect(seriesOf(after, 'leaving/not')).toEqual(seriesOf(before, 'leaving/not'));
    expect([...after.samples.keys()].filter((key) => key.includes('"leaving"') && isNow(key))).toEqual([]);
    expect(after.samples.get(SUCCESSFUL)).toBe(1);
    // Number of reads for each account: one list, one to find the source, one to find the kind of id, and one
    // for each domain.
    expect(sandbox.requests.total - asked).toBe(2 * (3 + [...sandbox.account.domains].length));
  });

  it('is the same by SIGHUP', async () => {
    await config.write({ accounts: [account('changing')] });
    exporter.process.kill('SIGHUP');
    await shown(['changing']);
    expect(exporter.process.running()).toBe(true);
  });

  it.each([
    ['of no form', 'accounts: [', /exporter\.yaml:\d+:\d+/],
    ['with mistakes', { accounts: [{ name: 'changing' }], limit: 1 }, /api_url[\s\S]*limit/],
    ['empty', '', /empty|nothing/],
  ])('changes nothing where it is %s, and says why', async (_, content, why) => {
    const before = await scrape();
    await config.write(content);
    const answer = await reload();
    expect(answer.status).toBe(422);
    expect(await answer.text()).toMatch(why);
    const after = await scrape();
    const loadedAt = seriesKey('edge_exporter_config_last_reload_success_timestamp_seconds', {});
    expect(after.samples.get(loadedAt)).toBe(before.samples.get(loadedAt));
    for (const name of NAMES) expect(seriesOf(after, name)).toEqual(seriesOf(before, name));
    // The exporter's own metrics are up to a second old.
    await eventually('the failure is shown', async () => (await scrape()).samples.get(SUCCESSFUL) === 0);
    await config.write({ accounts: [account('changing')] });
    expect((await reload()).status).toBe(200);
    expect((await scrape()).samples.get(SUCCESSFUL)).toBe(1);
    await shown(['changing']);
  });

  it('takes in a limit on series', async () => {
    const accounts = [...NAMES, 'new'].map((name) => account(name));
    await config.write({ accounts, limits: { series: 1 } });
    expect((await reload()).status).toBe(200);
    const left = seriesKey('edge_exporter_series_dropped_total', {});
    await eventually('series are left out', async () => Number((await scrape()).samples.get(left)) > 0);
  });
});

it('is loaded anew without being asked where that is enabled, each time that the file has changed', async () => {
  const sandbox = await serveSandbox();
  const account = (name: string) => ({ name, api_url: sandbox.url, token: DEFAULT_TOKEN.token });
  const config = await configFile({ accounts: [account('first')] });
  const auto = ['--config.enable-auto-reload', '--config.auto-reload-interval=100ms'];
  const exporter = await startExporter({ args: ['serve', `--config.file=${config.path}`, ...auto] });
  onTestFinished(async () => void (await exporter.stop()));
  const shows = (name: string) =>
    eventually(
      `${name} is shown`,
      async () => (await exporter.scrape()).body.includes(`edge_up{account="${name}"} 1`),
      { evidence: exporter.process.output },
    );
  await shows('first');
  await config.write({ accounts: [account('second')] });
  await shows('second');
  await config.write('accounts: [');
  const refused = () => exporter.process.stderr().includes('the configuration was not reloaded');
  await eventually('it is refused', async () => refused());
  await config.write({ accounts: [account('third')] });
  await shows('third');
  expect(exporter.process.stderr().split('the configuration was not reloaded')).toHaveLength(2);
  // The lifecycle API has a flag of its own.
  expect((await fetch(`${exporter.url}/-/reload`, { method: 'POST' })).status).toBe(403);
});

it('may be loaded anew while there is none and the embedded platform is shown', async () => {
  const exporter = await startExporter({ args: ['serve', '--sandbox', '--web.enable-lifecycle'] });
  onTestFinished(async () => void (await exporter.stop()));
  const answer = await fetch(`${exporter.url}/-/reload`, { method: 'POST' });
  expect(answer.status).toBe(200);
  await exporter.ready();
  expect(parseExposition((await exporter.scrape()).body).samples.get(SUCCESSFUL)).toBe(1);
});

function accountsWith({ samples }: ParsedExposition, family: string): string[] {
  const keys = [...samples.keys()].map((key) => JSON.parse(key) as [string, [string, string][]]);
  return keys
    .filter(([name]) => name === family)
    .flatMap(([, labels]) => labels.filter(([label]) => label === 'account').map(([, value]) => value))
    .sort();
}

const EVERY_MINUTE = /ratelimit|edge_expected_age_seconds/;

function seriesOf({ samples }: ParsedExposition, account: string): [string, number][] {
  const own = JSON.stringify(['account', account]);
  return [...samples].filter(([key]) => key.includes(own) && isNow(key) && !EVERY_MINUTE.test(key));
}

function isNow(key: string): boolean {
  return !key.startsWith('["edge_exporter_');
}
