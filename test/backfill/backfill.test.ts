import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type BackfillOptions, backfill } from '../../src/backfill/backfill.ts';
import { CONFIG } from '../../src/configuration/config-schema.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/clock.ts';

it('x', async () => {
  const now = Date.UTC(2026, 0, 5, 10, 20);
  const sandbox = createSandbox({ rateLimit: { reads: 20000, writes: 2, purges: 2 } , now: () => now});
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const folder = await mkdtemp(join(tmpdir(), 'backfill-'));
  const config = CONFIG.parse({
    accounts: [
      {
        name: 'test',
        api_url: platform.url,
        token: DEFAULT_TOKEN.token,
        collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } },
      },
    ],
  });
  const output = join(folder, 'h.om');
  const t = performance.now();
  await backfill({
    accounts: config.accounts,
    from: now - 10 * 3600_000,
    to: undefined,
    labels: { job: 'x' },
    output,
    mode: 'continue',
    clock: {...systemClock, now: () => now},
    signal: new AbortController().signal,
    guard: () => undefined,
    observer: { planned: (...a) => console.log(a[0], a[1]), exchanged() {}, advanced() {}, retried() {}, vanished() {}, stumbled() {}, notice() {}, writing() {} },
  });
  console.log(performance.now() - t, await readdir(folder), [...sandbox.requests.byStatus]);
  const text = await readFile(output, 'utf8');
  console.log(text.length, text.slice(0, 1500), text.split('\n').filter((l) => l.startsWith('#')));
  const { promtool } = await import('../end-to-end/promtool.ts');
  console.log(await promtool(['tsdb', 'create-blocks-from', 'openmetrics', output, join(folder, 'data')]));
  console.log(await promtool(['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=24h', output, join(folder, 'data2')]));
}, 100000);
