import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stateStep } from '../../../src/exporter/doctor/state-step.ts';

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'doctor-state-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

it('writes into the state directory as a commit would, and leaves nothing there', async () => {
  const path = await directory();
  expect(await stateStep(path)).toMatchObject({ status: 'ok', text: `${path} can be written` });
  expect(await readdir(path)).toEqual([]);
});

it('tells that counters would be withheld where it is a file', async () => {
  const file = join(await directory(), 'file');
  await writeFile(file, '');
  expect(await stateStep(file)).toMatchObject({
    status: 'problem',
    text: `counters would be withheld: ${file} cannot be used: it is no directory`,
  });
});

it('tells that it is created at the start where it is not there', async () => {
  const path = join(await directory(), 'absent');
  expect(await stateStep(path)).toMatchObject({ status: 'warning' });
});

it('tells why it cannot be used where nothing can be made in it', async () => {
  // No user can create files in /proc, not even root.
  expect(await stateStep('/proc')).toMatchObject({
    status: 'problem',
    text: expect.stringMatching(/^counters would be withheld: \/proc cannot be used: /),
  });
  const path = await directory();
  await chmod(path, 0o500);
  if (process.getuid?.() !== 0) expect(await stateStep(path)).toMatchObject({ status: 'problem' });
});
