import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COLLECTORS } from '../../src/collectors.ts';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { configFile } from './config-file.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const PAGE = join(import.meta.dirname, '../../config/joins.md');

interface Example {
  readonly query: string;
  /** Labels that its answer has. */
  readonly gives: readonly string[];
}

/** The queries of the page, each with what its first line promises. */
async function examples(): Promise<Example[]> {
  const blocks = (await readFile(PAGE, 'utf8')).matchAll(/```promql\n# gives: (.*)\n(.*?)```/gs);
  return [...blocks].map(([, gives = '', query = '']) => ({ query, gives: gives.split(', ') }));
}

async function startReading(sandbox: ServedSandbox): Promise<ExporterProcess> {
  const often = Object.fromEntries(
    Object.keys(COLLECTORS).map((name) => [name, { schedule: '*/2 * * * * *' }]),
  );
  const config = await configFile({
    accounts: [
      {
        name: 'production',
        api_url: sandbox.url,
        token: DEFAULT_TOKEN.token,
        discovery: '*/2 * * * * *',
        collectors: {
          ...often,
          metrics: { products: { edge_applications: {}, intelligent_dns: {} } },
          analytics: { products: { content_delivery: { metrics: ['status_code'] } } },
        },
      },
    ],
  });
  const exporter = await startExporter({ args: ['serve', `--config.file=${config.path}`] });
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

it('joins settings to traffic as config/joins.md says', async () => {
  const sandbox = await serveSandbox({ laterFields: 'present' });
  const exporter = await startReading(sandbox);
  await shows(exporter, /edge_responses_per_minute\{.*content_delivery/);
  await shows(exporter, /edge_dns_queries_per_minute/);
  await shows(exporter, /edge_waf_threats_per_minute/);
  await shows(exporter, /edge_application_module_enabled/);
  const [application] = sandbox.account.applications;
  if (application === undefined) throw new Error('the sandbox has no application');
  sandbox.account.applications.update(application.id, { caching: !application.caching });
  await shows(exporter, /edge_application_changed_timestamp_seconds\{/);
  const prometheus = await scraping(exporter);
  await prometheus.scraped('edge');
  const found = await examples();
  expect(found.length).toBeGreaterThan(8);
  for (const { query, gives } of found) {
    const series = await prometheus.query(query);
    expect(series.length, query).toBeGreaterThan(0);
    for (const label of gives)
      expect(
        series.some(({ labels }) => labels[label]),
        `${label}: ${query}`,
      ).toBe(true);
  }
});

it('tells within one read that the WAF only counts, as a rehearsal does it', async () => {
  const sandbox = await serveSandbox();
  const exporter = await startReading(sandbox);
  await shows(exporter, /edge_waf_ruleset_info\{.*mode="blocking"/);
  const [ruleset] = sandbox.account.wafRulesets;
  const before = Date.now() / 1_000;
  const response = await fetch(`${sandbox.url}/_sandbox/waf/rulesets/${ruleset?.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode: 'counting' }),
  });
  expect(response.status).toBe(200);
  await shows(exporter, /edge_waf_ruleset_changed_timestamp_seconds\{/);
  const prometheus = await scraping(exporter);
  await prometheus.scraped('edge');
  const labels = `account="production", waf_ruleset_id="${ruleset?.id}"`;
  expect(await prometheus.value(`edge_waf_ruleset_blocking{${labels}}`)).toBe(0);
  expect(await prometheus.value(`edge_waf_ruleset_info{${labels}, mode="counting"}`)).toBe(1);
  const changedAt = await prometheus.value(`edge_waf_ruleset_changed_timestamp_seconds{${labels}}`);
  expect(changedAt).toBeGreaterThanOrEqual(Math.floor(before) - 1);
  expect(exporter.process.stderr()).toMatch(
    /a setting has changed.*fields=mode|fields=mode.*a setting has changed/,
  );
});
