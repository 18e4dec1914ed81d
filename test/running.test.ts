import { expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { ConfigInUse } from '../src/configuration/in-use.ts';
import { CONFIG } from '../src/configuration/schema.ts';
import type { Exporter } from '../src/exporter.ts';
import { Running } from '../src/running.ts';
import { createSelfMetrics } from '../src/self/metrics.ts';
import { memoryState } from '../src/state/state.ts';

test('a reload tells of what is odd about the configuration, as the start does', async () => {
  const account = { name: 'a', api_url: 'http://127.0.0.1:9', token: 'x' };
  const loaded = {
    ok: true,
    source: 'exporter.yaml',
    config: CONFIG.parse({ accounts: [account] }),
    warnings: [{ source: 'exporter.yaml', path: 'accounts', message: 'this is odd' }],
  } as const;
  const lines: string[] = [];
  const note = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
  const running = new Running({
    exporter: { apply: async () => undefined } as unknown as Exporter,
    inUse: new ConfigInUse({ env: {} }, systemClock, async () => loaded),
    state: memoryState(),
    metrics: createSelfMetrics(),
    clock: systemClock,
    log: { info: () => undefined, warn: note },
    guard: () => undefined,
  });
  expect(await running.reload()).toEqual({ ok: true });
  expect(lines).toEqual([expect.stringMatching(/^configuration \{"issue":".*this is odd"\}$/)]);
});
