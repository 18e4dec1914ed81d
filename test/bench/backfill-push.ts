/**
 * Benchmark of the speed at which `backfill --push` sends a history to a Prometheus with an out-of-order
 * window: `npm run bench -- backfill-push [--hours=72] [--configurations=4]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backfill } from '../../src/exporter/backfill/backfill.ts';
import { systemClock } from '../../src/exporter/clock.ts';
import { Progress } from '../../src/exporter/command-line/progress.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { cpuOf, stop } from './processes.ts';
import { startReceiver } from './programs.ts';

const HOUR = 3_600_000;

const { values } = parseArgs({
  options: { hours: { type: 'string', default: '72' }, configurations: { type: 'string', default: '4' } },
});
const configurations = Number(values.configurations);

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-backfill-'));
const receiver = await startReceiver(folder, { storage: { tsdb: { out_of_order_time_window: '31d' } } });
const rateLimit = { reads: 1_000_000, writes: 100, purges: 100 };
const platform = await createSandbox({ rateLimit, configurations }).listen(0);
try {
  const { accounts, push } = CONFIG.parse({
    accounts: [
      {
        name: 'bench',
        api_url: platform.url,
        token: DEFAULT_TOKEN.token,
        collectors: {
          metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code', 'waf'] } } },
        },
      },
    ],
    push: [{ name: 'central', kind: 'remote_write', url: `${receiver.url}/api/v1/write` }],
  });
  const usedCpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const beginning = { at: 0, cpu: 0, receiverCpu: 0 };
  const ignore = () => undefined;
  const fail = (facts: object, message: string): never => {
    throw new Error(`${message}: ${JSON.stringify(facts)}`);
  };
  const progress = new Progress(systemClock, { info: ignore, warn: fail });
  Object.defineProperty(progress, 'stage', {
    set(stage: string | undefined) {
      if (stage !== 'pushing') return;
      Object.assign(beginning, { at: performance.now(), cpu: usedCpu(), receiverCpu: cpuOf(receiver) });
    },
  });
  const to = Math.floor(Date.now() / HOUR) * HOUR - HOUR;
  process.chdir(folder);
  const { pushed } = await backfill({
    accounts,
    from: to - Number(values.hours) * HOUR,
    to,
    labels: {},
    output: undefined,
    receivers: push,
    mode: 'restart',
    clock: systemClock,
    signal: new AbortController().signal,
    guard: ignore,
    progress,
  });
  const seconds = (performance.now() - beginning.at) / 1_000;
  const samples = pushed.get('central') ?? 0;
  const perThousand = (ms: number) => ((1_000 * ms) / samples).toFixed(2);
  process.stdout.write(
    [
      `${samples} samples in ${seconds.toFixed(1)} s: ${Math.round(samples / seconds)} a second`,
      `CPU per 1,000 samples: ours ${perThousand(usedCpu() - beginning.cpu)} ms, the receiver's ${perThousand(cpuOf(receiver) - beginning.receiverCpu)} ms`,
      '',
    ].join('\n'),
  );
} finally {
  await platform.close();
  await stop(receiver);
  process.chdir('/');
  rmSync(folder, { recursive: true, force: true });
}
