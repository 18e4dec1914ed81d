import { expect, test } from 'vitest';
import { watch } from '../../../src/exporter/configuration/watch.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

test('it looks at each interval until it is stopped', async () => {
  const clock = new SimulatedClock();
  const ending = new AbortController();
  const looks = [false, true, false, true];
  const at: number[] = [];
  const start = clock.now();
  const watching = watch({
    hasChanged: async () => looks.shift() ?? false,
    interval: 30_000,
    clock,
    signal: ending.signal,
    onChange: () => at.push((clock.now() - start) / 1_000),
  });
  await clock.advance(300_000);
  ending.abort();
  await watching;
  expect(at).toEqual([60, 120]);
});
