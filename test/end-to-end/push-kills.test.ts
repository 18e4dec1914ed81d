import { expect, it, onTestFinished } from 'vitest';
import { openState } from '../../src/exporter/state/open-state.ts';
import { QUEUE } from '../../src/exporter/state/state.ts';
import { fraction, keyOf } from '../../src/sandbox/hash.ts';
import { eventually } from '../eventually.ts';
import { parseExposition } from '../parse-exposition.ts';
import { auditCounters } from '../simulation/true-counters.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { compareSamples, expectedSamples } from './expected-samples.ts';
import { type ExporterOptions, startExporter } from './exporter-process.ts';
import { serveSandbox } from './platform.ts';
import { busyAccount, prepareCounters } from './prepared-counters.ts';
import { prometheusReceiver } from './push-receivers.ts';
import { startTroubledProxy, type Trouble, type TroubledProxy } from './troubled-proxy.ts';

/** Number of kills. With PUSH_KILLS=50, the test takes some minutes and kills each receiver ten times. */
const KILLS = Number(process.env['PUSH_KILLS'] ?? 5);
const SEED = 1;
const MINUTE = 60_000;
const METRICS = ['cdn_requests', 'status_code'];
const TROUBLES: readonly Trouble[] = [
  'none',
  'none',
  'none',
  'hangs',
  'answers 500',
  'answers 429',
  'answers 400',
  'cuts the answer',
  'cuts the answer',
  'cuts the request',
];

const ACCOUNT = busyAccount('killed', METRICS);

const silent = { info: () => undefined, warn: () => undefined };

type Tool = 'prometheus' | 'prometheus3';

async function troubledReceiver(tool: Tool) {
  const storage = await temporaryFolder();
  const start = () => prometheusReceiver(tool, { storage, outOfOrderWindow: '1d' });
  let receiver = await start();
  const proxy = await startTroubledProxy(new URL(receiver.url).origin);
  onTestFinished(async () => {
    await proxy.stop();
    await receiver.stop();
  });
  return {
    name: tool,
    proxy,
    stored: () => receiver.stored(),
    async kill() {
      await receiver.kill();
      receiver = await start();
      proxy.target = new URL(receiver.url).origin;
    },
  };
}

type TroubledReceiver = Awaited<ReturnType<typeof troubledReceiver>>;

it('loses and doubles nothing while the exporter and receivers are killed, hang, refuse and cut connections', async () => {
  const sandbox = await serveSandbox({ settleMs: 20_000 });
  const directory = await temporaryFolder();
  const start = Math.floor(Date.now() / MINUTE) * MINUTE;
  await prepareCounters(directory, {
    sandbox,
    account: ACCOUNT.name,
    metrics: METRICS,
    // The counters are so far behind that a late first read still has buckets to catch up with.
    since: start - 90 * MINUTE,
  });
  const receivers = await Promise.all((['prometheus', 'prometheus3'] as const).map(troubledReceiver));
  const { path } = await configFile({
    accounts: [{ ...ACCOUNT, api_url: sandbox.url }],
    push: receivers.map(({ name, proxy }) => ({
      name,
      kind: 'remote_write',
      url: `${proxy.url}/api/v1/write`,
      request: { timeout: '1s' },
    })),
  });
  const options = { args: ['serve', `--config.file=${path}`, `--state.dir=${directory}`] };

  await killAgainAndAgain(options, receivers);
  // On a busy machine, a receiver may have had too few requests to meet any trouble.
  for (const { proxy } of receivers)
    proxy.trouble = () => (troublesOf(proxy).length === 0 ? 'answers 500' : 'none');
  const names = await liveUntilAllIsPushed(options, receivers.length);

  const state = await openState(directory, silent);
  onTestFinished(() => state.close());
  expect(auditCounters(state, sandbox).wrong).toEqual([]);
  const expected = expectedSamples({ state, sandbox }, names, start, 'earlier');
  expect(await state.range([QUEUE], { limit: 1 })).toEqual([]);
  for (const { name, stored, proxy } of receivers) {
    const { samples, ...difference } = compareSamples(await stored(), expected);
    expect(difference, name).toEqual({ missing: [], doubled: [], wrong: [] });
    expect(samples).toBeGreaterThan(55 * 20 * sandbox.account.domains.size);
    expect(troublesOf(proxy), name).not.toEqual([]);
  }
});

function troublesOf({ met }: TroubledProxy): Trouble[] {
  return [...met.keys()].filter((trouble) => trouble !== 'none');
}

async function killAgainAndAgain(
  options: ExporterOptions,
  receivers: readonly TroubledReceiver[],
): Promise<void> {
  let drawn = 0;
  const draw = () =>
    TROUBLES[Math.floor(TROUBLES.length * fraction(keyOf(SEED, 'trouble'), drawn++))] ?? 'none';
  for (const { proxy } of receivers) proxy.trouble = draw;
  for (let kill = 1; kill <= KILLS; kill++) {
    const exporter = await startExporter(options);
    const restarted = kill % 5 === 0 ? receivers.map((receiver) => receiver.kill()) : [];
    await new Promise((resolve) =>
      setTimeout(resolve, 1_000 + 3_000 * fraction(keyOf(SEED, 'moments'), kill)),
    );
    expect(await exporter.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await Promise.all(restarted);
  }
}

async function liveUntilAllIsPushed(
  options: ExporterOptions,
  receivers: number,
): Promise<Map<string, string>> {
  const exporter = await startExporter(options);
  await exporter.ready();
  let left = '';
  const names = await eventually(
    'all is counted and pushed',
    async () => {
      const { samples } = parseExposition((await exporter.scrape()).body);
      const all = [...samples].map(([key, value]) => ({ ...named(key), value }));
      const waiting = all.filter(({ name }) => name === 'edge_exporter_outbox_samples');
      const counted = all.filter(({ name }) => name === 'edge_counted_until_timestamp_seconds');
      // The test avoids the seconds in which the next bucket may be counted before its end.
      const second = (Date.now() % MINUTE) / 1_000;
      const isDone =
        second > 10 &&
        second < 50 &&
        counted.length > 0 &&
        // The exporter reports nothing for a receiver until it has read the queue of an earlier run.
        waiting.length === receivers &&
        waiting.every(({ value }) => value === 0) &&
        counted.every(({ value }) => value * 1_000 > Date.now() - 3 * MINUTE);
      if (!isDone) {
        const behind = counted.filter(({ value }) => value * 1_000 <= Date.now() - 3 * MINUTE);
        left = [...waiting, ...behind].map((sample) => JSON.stringify(sample)).join('\n');
        return undefined;
      }
      return new Map(
        all.map(({ labels }) => [labels['configuration_id'] ?? '', labels['configuration'] ?? '']),
      );
    },
    { every: 250, evidence: () => `${exporter.process.output()}\n${left}` },
  );
  expect(await exporter.kill('SIGTERM')).toMatchObject({ code: 0 });
  return names;
}

function named(key: string): { readonly name: string; readonly labels: Record<string, string> } {
  const [name, labels] = JSON.parse(key) as [string, [string, string][]];
  return { name, labels: Object.fromEntries(labels) };
}
