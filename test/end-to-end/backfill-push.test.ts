import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { seriesOf } from '../exporter/backfill/history-bed.ts';
import { seriesKey } from '../parse-exposition.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { type ExporterOptions, launchExporter, runExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';
import {
  PUSH_RECEIVERS,
  type PushReceiver,
  prometheusReceiver,
  type StoredSamples,
} from './push-receivers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const COLLECTORS = { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } };

type Receivers = Readonly<Record<string, PushReceiver>>;

interface Bed {
  readonly sandbox: ServedSandbox;
  readonly folder: string;
  readonly receivers: Receivers;
  readonly backfill: (...flags: string[]) => ExporterOptions;
}

async function bedOf(started: Readonly<Record<string, Promise<PushReceiver>>>): Promise<Bed> {
  const sandbox = await serveSandbox({ configurations: 1, domainsPerConfiguration: 2 });
  const entries = Object.entries(started).map(async ([name, starting]) => [name, await starting] as const);
  const receivers = Object.fromEntries(await Promise.all(entries));
  for (const { stop } of Object.values(receivers)) onTestFinished(stop);
  const push = Object.entries(receivers).map(([name, { kind, url }]) => ({ name, kind, url }));
  const account = { name: 'test', api_url: sandbox.url, token: DEFAULT_TOKEN.token, collectors: COLLECTORS };
  const { path } = await configFile({ accounts: [account], push });
  const folder = await temporaryFolder();
  return {
    sandbox,
    folder,
    receivers,
    backfill: (...flags) => ({ args: ['backfill', `--config.file=${path}`, ...flags], cwd: folder }),
  };
}

function hoursBefore(hours: number): number {
  return Math.floor(Date.now() / HOUR) * HOUR - HOUR / 2 - hours * HOUR;
}

function flag(name: 'from' | 'to', at: number): string {
  return `--${name}=${new Date(at).toISOString()}`;
}

async function samplesIn(file: string): Promise<StoredSamples> {
  return new Map(
    [...seriesOf(await readFile(file, 'utf8'))].map(([text, samples]) => {
      const [name = '', rest = ''] = text.split('{');
      const labels = [...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
      return [
        seriesKey(name, Object.fromEntries(labels)),
        samples.map(({ at, value }) => [at, value] as const),
      ];
    }),
  );
}

function compared(found: StoredSamples, expected: StoredSamples) {
  let equal = 0;
  const different: string[] = [];
  for (const key of new Set([...found.keys(), ...expected.keys()])) {
    if (key.includes('edge_exporter_backfill_probe')) continue;
    const [has, wanted] = [found.get(key) ?? [], expected.get(key) ?? []];
    if (JSON.stringify(has) === JSON.stringify(wanted)) equal += wanted.length;
    else different.push(`${key}: ${has.length} of ${wanted.length}`);
  }
  return { equal, different: different.slice(0, 3) };
}

function countOf(samples: StoredSamples): number {
  return [...samples.values()].reduce((sum, { length }) => sum + length, 0);
}

async function expectIn(receivers: Receivers, expected: StoredSamples): Promise<void> {
  for (const [name, receiver] of Object.entries(receivers)) {
    const found = compared(await receiver.stored(), expected);
    expect(found, name).toEqual({ equal: countOf(expected), different: [] });
  }
}

describe('a history that is pushed', () => {
  it('is in every receiver, sample by sample what the file has', async () => {
    const window = { outOfOrderWindow: '12h' };
    const { backfill, folder, receivers } = await bedOf({
      old: prometheusReceiver('prometheus', window),
      new: prometheusReceiver('prometheus3', window),
      victoria: PUSH_RECEIVERS.VictoriaMetrics(),
      otlp: PUSH_RECEIVERS['VictoriaMetrics by OTLP'](),
    });
    const range = [flag('from', hoursBefore(6)), flag('to', hoursBefore(0))];
    const labels = '--labels=job=edge-exporter,instance=exporter:9801';
    const ending = await runExporter(backfill('--push', '--output=history.om', labels, ...range));
    expect(ending, ending.stderr).toMatchObject({ code: 0 });
    const expected = await samplesIn(join(folder, 'history.om'));
    expect(countOf(expected)).toBeGreaterThan(2 * 12 * 2 * 6 * 60);
    for (const key of expected.keys()) {
      expect(Object.fromEntries(JSON.parse(key)[1])).toMatchObject({
        job: 'edge-exporter',
        instance: 'exporter:9801',
      });
    }
    await expectIn(receivers, expected);
    for (const name of Object.keys(receivers)) {
      expect(ending.stdout).toMatch(
        new RegExp(`^receiver ${name}: 4 metrics .*, ${countOf(expected)} samples$`, 'm'),
      );
    }
    expect(await readdir(folder)).toEqual(['history.om']);
  });

  it('is whole after kills, and nothing is read twice', async () => {
    const starting = PUSH_RECEIVERS.VictoriaMetrics();
    const { backfill, folder, receivers, sandbox } = await bedOf({ victoria: starting });
    const victoria = await starting;
    const range = [flag('from', hoursBefore(72)), flag('to', hoursBefore(0))];
    const written = await runExporter(backfill('--output=history.om', ...range));
    expect(written, written.stderr).toMatchObject({ code: 0 });
    const operations = sandbox.requests.total;

    const work = join(folder, 'edge-history.partial');
    let kills = 0;
    for (const requests of [8, 20, 32]) {
      const exporter = await launchExporter(backfill('--push=victoria', ...range));
      const isTime = async () => !exporter.running() || (await requestsTo(victoria)) >= requests;
      await eventually('the moment to be killed', isTime, { every: 2, evidence: exporter.output });
      exporter.kill('SIGKILL');
      if ((await exporter.ended).signal === 'SIGKILL') kills += 1;
    }
    expect(kills).toBe(3);
    const ending = await runExporter(backfill('--push=victoria', ...range));
    expect(ending, ending.stderr).toMatchObject({ code: 0 });
    const expected = await samplesIn(join(folder, 'history.om'));
    await expectIn(receivers, expected);
    expect(sandbox.requests.total).toBe(2 * operations);
    expect(await exists(work)).toBe(false);
  });
});

describe('a receiver without an out-of-order window', () => {
  it('is told of before anything is read, with the time from which it takes samples', async () => {
    const { backfill, folder, receivers, sandbox } = await bedOf({ old: prometheusReceiver('prometheus') });
    const to = hoursBefore(0);
    const refused = await runExporter(backfill('--push', flag('from', to - 6 * HOUR), flag('to', to)));
    expect(refused, refused.stderr).toMatchObject({ code: 2 });
    const [, earliest = ''] =
      /receiver old takes nothing before (\S+Z) \(.*out of bounds/.exec(refused.stderr) ?? [];
    expect(Date.parse(earliest)).toBe(to - HOUR);
    expect(sandbox.requests.total).toBeLessThan(5);
    expect(await readdir(folder)).toEqual([]);

    const range = [`--from=${earliest}`, flag('to', to)];
    const taken = await runExporter(backfill('--push', '--output=history.om', ...range));
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
    await expectIn(receivers, await samplesIn(join(folder, 'history.om')));
  });
});

async function requestsTo({ url }: PushReceiver): Promise<number> {
  const metrics = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^vm_http_requests_total\{path="\/api\/v1\/write".* (\d+)$/m.exec(metrics)?.[1]);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
