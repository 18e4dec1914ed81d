import { expect, test } from 'vitest';
import { watch } from '../../../src/exporter/configuration/config.ts';
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
    onChange: async () => void at.push((clock.now() - start) / 1_000),
  });
  await clock.advance(300_000);
  ending.abort();
  await watching;
  expect(at).toEqual([60, 120]);
});

test('a change is taken in once, however long that takes', async () => {
  const clock = new SimulatedClock();
  const ending = new AbortController();
  let isChanged = true;
  let reloads = 0;
  const watching = watch({
    hasChanged: async () => isChanged,
    interval: 100,
    clock,
    signal: ending.signal,
    onChange: async () => {
      reloads += 1;
      await clock.sleep(1_000, ending.signal);
      isChanged = false;
    },
  });
  await clock.advance(5_000);
  ending.abort();
  await watching;
  expect(reloads).toBe(1);
});
