import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rememberConfigFile, watch } from '../../src/configuration/watch.ts';
import { SimulatedClock } from '../simulated-clock.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a file has changed when it holds something else, once', async () => {
  const file = join(temporaryFolder(), 'exporter.yaml');
  writeFileSync(file, 'one');
  const hasChanged = await rememberConfigFile(file);
  expect(await hasChanged()).toBe(false);
  writeFileSync(file, 'two');
  expect([await hasChanged(), await hasChanged()]).toEqual([true, false]);
  writeFileSync(file, 'two');
  expect(await hasChanged()).toBe(false);
  unlinkSync(file);
  expect([await hasChanged(), await hasChanged()]).toEqual([true, false]);
});

test('a link that leads elsewhere is a change, as Kubernetes mounts a ConfigMap', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'exporter.yaml');
  writeFileSync(join(folder, 'old'), 'one');
  writeFileSync(join(folder, 'new'), 'two');
  symlinkSync('old', file);
  const hasChanged = await rememberConfigFile(file);
  symlinkSync('new', join(folder, 'link'));
  renameSync(join(folder, 'link'), file);
  expect(await hasChanged()).toBe(true);
});

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
