import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const PAGE = join(import.meta.dirname, '../../docs/joins.md');

interface Example {
  readonly query: string;
  /** Labels of the series in the answer. */
  readonly gives: readonly string[];
}

async function examples(): Promise<Example[]> {
  const blocks = (await readFile(PAGE, 'utf8')).matchAll(/```promql\n# gives: ([^\n]*)\n(.*?)```/gs);
  return [...blocks].map(([, gives = '', query = '']) => ({ query, gives: gives.split(', ') }));
}

interface Run {
  readonly config: string;
  readonly state: string;
}

async function prepare(sandbox: ServedSandbox): Promise<Run> {
  const settings = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));
  const { path } = await configFile({
    accounts: [
      {
        name: 'production',
        api_url: sandbox.url,
        token: DEFAULT_TOKEN.token,
        collectors: {
          ...settings,
          metrics: { products: { edge_applications: {}, intelligent_dns: {} } },
          analytics: { products: { content_delivery: { metrics: ['status_code'] } } },
        },
      },
    ],
  });
  return { config: path, state: await temporaryFolder() };
}

async function startReading({ config, state }: Run): Promise<ExporterProcess> {
  const args = ['serve', `--config.file=${config}`, `--state.dir=${state}`];
  const exporter = await startExporter({ args });
  onTestFinished(async () => void (await exporter.stop()));
  return exporter;
}

async function scraping({ target }: ExporterProcess): Promise<Prometheus> {
  const prometheus = await startPrometheus({ jobs: { edge: target } });
  onTestFinished(() => prometheus.stop());
  return prometheus;
}

async function shows({ process, scrape }: ExporterProcess, text: string | RegExp): Promise<void> {
  await eventually(`/metrics shows ${text}`, async () => (await scrape()).body.search(text) >= 0, {
    evidence: process.output,
  });
}

it('joins settings to traffic as docs/joins.md says', async () => {
  const sandbox = await serveSandbox({ laterFields: 'present' });
  const run = await prepare(sandbox);
  const first = await startReading(run);
  await shows(first, /edge_application_module_enabled/);
  await first.kill('SIGTERM');
  for (const { id, caching } of sandbox.account.applications)
    sandbox.account.applications.update(id, { caching: !caching });
  const exporter = await startReading(run);
  await shows(exporter, /edge_responses_per_minute\{.*content_delivery/);
  await shows(exporter, /edge_responses_per_minute\{.*edge_applications/);
  await shows(exporter, /edge_requests_per_minute/);
  await shows(exporter, /edge_dns_queries_per_minute/);
  await shows(exporter, /edge_waf_threats_per_minute/);
  for (const name of [
    'domain_info',
    'zone_info',
    'firewall_domain_info',
    'certificate_expiry',
    'error_response_cache',
  ])
    await shows(exporter, new RegExp(`^edge_${name}\\S*\\{`, 'm'));
  await shows(exporter, /edge_application_changed_timestamp_seconds\{/);
  const prometheus = await scraping(exporter);
  await prometheus.scraped('edge');
  const found = await examples();
  expect(found.length).toBeGreaterThan(8);
  for (const { query, gives } of found) {
    // Several collectors read the settings, each at its own time.
    await eventually(`${gives.join(', ')}: ${query}`, async () => {
      const series = await prometheus.query(query);
      return series.length > 0 && gives.every((label) => series.some(({ labels }) => labels[label]));
    });
  }
});

it('tells that the WAF was set to counting while nobody was looking', async () => {
  const sandbox = await serveSandbox();
  const run = await prepare(sandbox);
  const first = await startReading(run);
  await shows(first, /edge_waf_ruleset_info\{.*mode="blocking"/);
  await first.kill('SIGKILL');
  const [ruleset] = sandbox.account.wafRulesets;
  const response = await fetch(`${sandbox.url}/_sandbox/waf/rulesets/${ruleset?.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode: 'counting' }),
  });
  expect(response.status).toBe(200);
  const before = Date.now() / 1_000;
  const exporter = await startReading(run);
  await shows(exporter, /edge_waf_ruleset_changed_timestamp_seconds\{/);
  const prometheus = await scraping(exporter);
  await prometheus.scraped('edge');
  const labels = `account="production", waf_ruleset_id="${ruleset?.id}"`;
  expect(await prometheus.value(`edge_waf_ruleset_blocking{${labels}}`)).toBe(0);
  expect(await prometheus.value(`edge_waf_ruleset_info{${labels}, mode="counting"}`)).toBe(1);
  const changedAt = await prometheus.value(`edge_waf_ruleset_changed_timestamp_seconds{${labels}}`);
  // The platform's timestamps have whole seconds.
  expect(changedAt).toBeGreaterThan(before - 2);
  const line = exporter.process
    .stderr()
    .split('\n')
    .find((text) => text.includes('setting changed'));
  expect(line).toContain('collector=waf_rulesets');
  expect(line).toContain('fields=mode');
});
