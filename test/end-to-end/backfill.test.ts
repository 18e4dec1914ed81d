import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { productOf } from '../../src/exporter/catalogue/products.ts';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import type { SeriesByDimension } from '../../src/sandbox/traffic/series.ts';
import { eventually } from '../eventually.ts';
import { type Ending, startProcess } from './child-process.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { runExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import { startPrometheus } from './prometheus.ts';
import { promtool } from './promtool.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const EDGE_APPLICATIONS = productOf('metrics', 'edge_applications');

const METRICS = { metrics: ['cdn_requests', 'waf'], dimensions: ['total', 'threats', 'blocked'] };

async function configured(sandbox: ServedSandbox): Promise<string> {
  const collectors = { metrics: { products: { edge_applications: METRICS } } };
  const account = { name: 'test', api_url: sandbox.url, token: DEFAULT_TOKEN.token, collectors };
  return (await configFile(stringify({ accounts: [account] }))).path;
}

interface Backfill {
  readonly config: string;
  readonly from: number;
  readonly to: number;
  readonly output: string;
}

function argsOf({ config, from, to, output }: Backfill): string[] {
  const range = [`--from=${new Date(from).toISOString()}`, `--to=${new Date(to).toISOString()}`];
  return ['backfill', `--config.file=${config}`, ...range, `--output=${output}`];
}

function truthOf(sandbox: ServedSandbox, metric: string, from: number, to: number): SeriesByDimension {
  const [domain] = sandbox.account.domains;
  if (domain === undefined) throw new Error('the sandbox has no domain');
  const product = EDGE_APPLICATIONS.id;
  return sandbox.truth({ api: 'metrics', product, configuration: domain.id, metric, from, to });
}

describe('a backfill of 30 days', () => {
  it('brings Prometheus every bucket of the platform, in bounded memory and without a 429', async () => {
    const sandbox = await serveSandbox({ configurations: 1, domainsPerConfiguration: 1 });
    const config = await configured(sandbox);
    const folder = await temporaryFolder();
    const output = join(folder, 'history.om');
    const now = Date.now();
    const to = Math.floor(now / HOUR) * HOUR - HOUR;
    // The platform's oldest hour expires during the read, so the range excludes it.
    const from = Math.ceil((now - 30 * DAY) / HOUR + 0.25) * HOUR;
    // V8's first limit includes both halves of the young generation (16 MB each by default). Large halves
    // would leave little memory, and garbage collection would take most of the time.
    const env = { NODE_OPTIONS: '--max-old-space-size=48 --max-semi-space-size=4' };
    const ending = await runExporter({ args: argsOf({ config, from, to, output }), env });
    expect(ending, ending.stderr).toMatchObject({ code: 0 });
    expect([...sandbox.requests.byStatus.keys()]).toEqual([200]);

    const data = join(folder, 'data');
    const made = await promtool([
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      '--max-block-duration=192h',
      output,
      data,
    ]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const prometheus = await startPrometheus({
      storage: data,
      flags: ['--storage.tsdb.retention.time=90d'],
    });
    try {
      const minutes = (to - from) / MINUTE;
      for (const [family, metric, dimension] of [
        ['edge_requests', 'cdn_requests', 'total'],
        ['edge_waf_threats', 'waf', 'threats'],
        ['edge_waf_blocked', 'waf', 'blocked'],
      ] as const) {
        const truth = (truthOf(sandbox, metric, from, to)[dimension] ?? []).map(([, value]) => value);
        const sum = truth.reduce((all, value) => all + value, 0);
        expect(truth).toHaveLength(minutes);
        expect(sum).toBeGreaterThan(0);
        const range = `[${minutes}m]`;
        expect(await prometheus.value(`count_over_time(${family}_per_minute${range})`, to)).toBe(minutes);
        expect(await prometheus.value(`sum_over_time(${family}_per_minute${range})`, to)).toBe(sum);
        // The counter has one more sample: the zero at its start.
        expect(await prometheus.value(`count_over_time(${family}_total${range})`, to)).toBe(minutes + 1);
        expect(await prometheus.value(`${family}_total`, to)).toBe(sum);
        expect(await prometheus.value(`resets(${family}_total${range})`, to)).toBe(0);
      }
    } finally {
      await prometheus.stop();
    }
  });
});

describe('a backfill that is killed', () => {
  it('again and again, at random, and started anew each time writes the same bytes', async () => {
    const sandbox = await serveSandbox({ configurations: 1, domainsPerConfiguration: 2 });
    const config = await configured(sandbox);
    const folder = await temporaryFolder();
    const to = Math.floor(Date.now() / HOUR) * HOUR - 25 * MINUTE;
    const from = to - 5 * DAY;
    const whole = { config, from, to, output: join(folder, 'whole.om') };
    const undisturbed = await runExporter({ args: argsOf(whole) });
    expect(undisturbed, undisturbed.stderr).toMatchObject({ code: 0 });
    expect(await exists(`${whole.output}.partial`)).toBe(false);
    const operations = sandbox.requests.total;

    const output = join(folder, 'killed.om');
    const endings: Ending[] = [];
    const moments = fc.sample(fc.integer({ min: 1, max: Math.floor(operations / 6) }), {
      seed: 3,
      numRuns: 8,
    });
    for (const [index, moment] of moments.entries()) {
      const before = sandbox.requests.total;
      const signal = index % 4 === 3 ? 'SIGTERM' : 'SIGKILL';
      const come = () => sandbox.requests.total - before >= moment;
      endings.push(await ended(argsOf({ ...whole, output }), signal, come));
    }
    const unfinished = join(`${output}.partial`, 'unfinished.om');
    endings.push(await ended(argsOf({ ...whole, output }), 'SIGKILL', () => exists(unfinished)));
    const last = (await exists(output))
      ? undefined
      : await runExporter({ args: argsOf({ ...whole, output }) });
    expect(last?.code ?? 0, last?.stderr).toBe(0);
    expect(endings.filter(({ signal }) => signal === 'SIGKILL').length).toBeGreaterThanOrEqual(6);
    expect(await readFile(output, 'utf8')).toBe(await readFile(whole.output, 'utf8'));
    // A kill can come after the rename of the history and before the removal of the partial folder, which
    // then remains.
    if (last !== undefined) expect(await exists(`${output}.partial`)).toBe(false);
    // A restart repeats only the reads that were in progress.
    expect(sandbox.requests.total).toBeLessThan(2 * operations + endings.length * 20);
    expect([...sandbox.requests.byStatus.keys()]).toEqual([200]);
  });
});

async function ended(
  args: readonly string[],
  signal: NodeJS.Signals,
  moment: () => boolean | Promise<boolean>,
): Promise<Ending> {
  const exporter = await startProcess({ path: process.execPath, args: [MAIN, ...args], env: {} });
  await eventually('the moment to be killed', async () => !exporter.running() || (await moment()), {
    every: 2,
    evidence: exporter.output,
  });
  exporter.kill(signal);
  return exporter.ended;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
