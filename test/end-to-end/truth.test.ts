import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import { decimal } from '../../src/exporter/series/decimals.ts';
import { eventually } from '../eventually.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import type { QueriedSample } from './prometheus-api.ts';
import { promtool } from './promtool.ts';

const MINUTE = 60_000;

const ACCEPT_OF_PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
  'application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,' +
  'text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

const QUERIES = [
  ['edge_requests_per_minute', 'cdn_requests', 'total', 1],
  ['edge_requests_by_cache_per_minute{cache="missed"}', 'cdn_requests', 'missed', 1],
  ['edge_requests_by_scheme_per_minute{scheme="https"}', 'cdn_requests', 'https', 1],
  ['edge_responses_per_minute{code="404"}', 'status_code', '404', 1],
  ['edge_responses_per_minute{class="5xx", code="other"}', 'status_code', '5xx', 1],
  ['edge_waf_threats_by_family_per_minute{family="sql"}', 'waf', 'sql', 1],
  ['edge_waf_blocked_per_minute', 'waf', 'blocked', 1],
  ['edge_requests_by_method_per_minute{method="POST"}', 'http_method', 'post', 1],
  ['edge_requests_per_second', 'requests_per_second', 'total', 1],
  ['edge_data_transferred_bytes_per_minute', 'data_transferred_total', 'total', 1_000_000],
  ['edge_bandwidth_bytes_per_second', 'bandwidth', 'total', 1 / 8],
  ['edge_requests_offload_ratio', 'requests_offloaded', 'offload', 1 / 100],
] as const;

describe('an exporter between the platform and a real Prometheus', () => {
  let sandbox: ServedSandbox;
  let exporter: ExporterProcess;
  let prometheus: Prometheus;

  beforeEach(async () => {
    // Buckets are final at the age at which they are exposed.
    sandbox = await serveSandbox({ settleMs: MINUTE });
    exporter = await startExporter({ env: sandbox.env });
    onTestFinished(async () => void (await exporter.stop()));
    await everyJobPolled(exporter);
    prometheus = await startPrometheus({ jobs: { edge: exporter.target } });
    onTestFinished(() => prometheus.stop());
    await prometheus.scraped('edge');
  });

  it('lets every series of a metric have the true value of the bucket that it names', async () => {
    // Prometheus may still store a scrape in progress, which would change later answers.
    const now = 1_000 * (await prometheus.value('timestamp(up{job="edge"})'));
    const shown = await prometheus.query(
      '{__name__=~"edge_.+", product!="", __name__!~"edge_exporter_.+|.+_total"}',
      now,
    );
    const expected = trueSeries(sandbox, shown);
    const found = new Map(shown.filter(hasTruth).map((sample) => [keyOf(sample), sample.value]));
    expect(expected.size).toBeGreaterThan(300);
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [key, value] of expected) expect(found.get(key), key).toBeCloseTo(value, 6);
    await compareQueries({ sandbox, prometheus, now });
  });

  it('speaks formats in which promtool finds nothing and Prometheus takes every line', async () => {
    const text = await exporter.scrape('text');
    expect(await promtool(['check', 'metrics'], text.body)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    await expectTaken(prometheus, exporter);
    const modern = await fetch(`${exporter.url}/metrics`, { headers: { Accept: ACCEPT_OF_PROMETHEUS_3 } });
    expect(modern.headers.get('content-type')).toMatch(/^application\/openmetrics-text; ?version=1\.0\.0/);
    expect(await modern.text()).toMatch(/\n# EOF\n$/);
  });
});

async function everyJobPolled({ url, process }: ExporterProcess): Promise<void> {
  type Jobs = { accounts: { jobs: { last_outcome: string | null }[] }[] };
  const polled = async () => {
    const { accounts } = (await (await fetch(`${url}/api/v1/status`)).json()) as Jobs;
    const jobs = accounts.flatMap((account) => account.jobs);
    return jobs.length > 100 && jobs.every((job) => job.last_outcome !== null);
  };
  await eventually('every job has polled', polled, { evidence: process.output });
}

/**
 * Returns every series of a platform's metric that must exist, according to the buckets that the exporter
 * reports as exposed.
 */
function trueSeries(sandbox: ServedSandbox, shown: readonly QueriedSample[]): Map<string, number> {
  const expected = new Map<string, number>();
  for (const { labels, value } of shown) {
    if (labels['__name__'] !== 'edge_data_until_timestamp_seconds') continue;
    const { account, product: slug, configuration_id, configuration, metric = '' } = labels;
    const bucket = value * 1_000 - MINUTE;
    expect(Date.now() - bucket).toBeLessThan(5 * MINUTE);
    for (const [dimension, points] of Object.entries(truthAt(sandbox, labels, metric, bucket))) {
      const { gauge, labels: own } = facesOf(metric, dimension, { scope: 'configuration' });
      const common = { account, product: slug, configuration_id, configuration };
      const key = seriesKey(gauge.family.name, { ...common, ...own });
      expected.set(key, decimal((points[0]?.[1] ?? Number.NaN) * gauge.scale));
    }
  }
  return expected;
}

function truthAt(
  sandbox: ServedSandbox,
  labels: QueriedSample['labels'],
  metric: string,
  bucket: number,
): Readonly<Record<string, readonly (readonly [number, number])[]>> {
  // The analytics and metrics APIs use different names for the same product.
  const product = PRODUCTS.find(({ slug }) => slug === labels['product']);
  if (product === undefined) throw new Error(`no product ${labels['product']}`);
  const configuration = Number(labels['configuration_id']);
  const range = { from: bucket, to: bucket + MINUTE };
  return sandbox.truth({ api: product.api, product: product.id, configuration, metric, ...range });
}

function hasTruth({ labels }: QueriedSample): boolean {
  return !/_(info|timestamp_seconds|active|cache_seconds|configurations|age_seconds|data_available|catching_up|missing_buckets_ratio)$/.test(
    labels['__name__'] ?? '',
  );
}

function keyOf({ labels }: QueriedSample): string {
  const { __name__: name = '', job: _job, instance: _instance, ...own } = labels;
  return seriesKey(name, own);
}

async function compareQueries({
  sandbox,
  prometheus,
  now,
}: {
  readonly sandbox: ServedSandbox;
  readonly prometheus: Prometheus;
  readonly now: number;
}): Promise<void> {
  for (const [query, metric, dimension, factor] of QUERIES) {
    const product = 'product="edge_applications"';
    const ofProduct = query.includes('{') ? query.replace('{', `{${product}, `) : `${query}{${product}}`;
    const samples = await prometheus.query(ofProduct, now);
    expect(samples, query).toHaveLength([...sandbox.account.domains].length);
    for (const { labels, value } of samples) {
      const { configuration_id } = labels;
      const selector = `{${product}, metric="${metric}", configuration_id="${configuration_id}"}`;
      const until = await prometheus.value(`edge_data_until_timestamp_seconds${selector}`, now);
      const bucket = 1_000 * until - MINUTE;
      const truth = truthAt(sandbox, labels, metric, bucket)[dimension]?.[0]?.[1] ?? Number.NaN;
      expect(value, `${query} of ${configuration_id}`).toBeCloseTo(truth * factor, 6);
    }
  }
}

async function expectTaken(prometheus: Prometheus, exporter: ExporterProcess): Promise<void> {
  // On a busy machine, one scrape may exceed its timeout of one second.
  await eventually('Prometheus has scraped without an error', async () =>
    (await prometheus.targets()).every(({ health, lastError }) => health === 'up' && lastError === ''),
  );
  // The exporter's own metrics appear with their first value, so scrapes may differ by a few lines. If a
  // minute begins between two scrapes, polls may have changed hundreds of lines.
  await eventually('Prometheus has taken every line', async () => {
    const { body } = await exporter.scrape('text');
    const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    await prometheus.scraped('edge');
    const taken = await prometheus.value('scrape_samples_scraped{job="edge"}');
    return Math.abs(taken - lines.length) < 50;
  });
  expect(await prometheus.value('max_over_time(scrape_series_added{job="edge"}[1m])')).toBeGreaterThan(300);
  // Only OpenMetrics uses the name of a counter's family without _total.
  const metadata = await fetch(`${prometheus.url}/api/v1/metadata?metric=edge_requests`);
  expect(await metadata.json()).toMatchObject({ data: { edge_requests: [{ type: 'counter' }] } });
}
