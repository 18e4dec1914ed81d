import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NATIVE_PACKAGES } from '../../rolldown.config.js';
import { eventually } from '../eventually.ts';
import { listeningAddress } from './exporter-process.ts';
import { buildImage, type Container, runImage } from './image.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MEBIBYTE = 2 ** 20;

const root = process.getuid?.() === 0;

let image: string;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-image-'));
  image = join(folder, 'image');
  await buildImage(image);
  return () => rmSync(folder, { recursive: true, force: true });
});

describe('what the Dockerfile puts into the image', () => {
  it('is the program, its dependencies, and nothing that is only for development', async () => {
    expect((await readdir(join(image, 'app'))).sort()).toEqual([
      'LICENSE',
      'dist',
      'node_modules',
      'package.json',
    ]);
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const installed = await readdir(join(image, 'app/node_modules'));
    for (const name of Object.keys(manifest.dependencies))
      expect(existsSync(join(image, 'app/node_modules', name)), name).toBe(true);
    for (const name of ['typescript', 'vitest', 'kubernetes-models', 'playwright-core'])
      expect(installed).not.toContain(name);
    const ours = await readdir(join(image, 'app/dist'), { recursive: true });
    expect(ours.filter((name) => name.endsWith('.ts'))).toEqual([]);
  });

  it('has what is built for machines, and no second copy of what the program holds', () => {
    const installed = (folder: string, name: string) => {
      try {
        return createRequire(join(folder, 'index.js')).resolve(name) !== '';
      } catch {
        return false;
      }
    };
    const native = NATIVE_PACKAGES.filter((name) => installed(ROOT, name));
    expect(native).toEqual(expect.arrayContaining(['libsql', '@node-rs/bcrypt']));
    expect(native.filter((name) => !installed(join(image, 'app'), name))).toEqual([]);
    expect(installed(join(image, 'app'), 'express')).toBe(false);
  });

  it('is small: less than 20 MiB beside Node', async () => {
    const files = await readdir(join(image, 'app'), { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async (file) => (await stat(join(file.parentPath, file.name))).size),
    );
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    expect(size / MEBIBYTE).toBeLessThan(20);
  });
});

async function started(volume?: string): Promise<Container & { readonly url: string }> {
  const container = await runImage(image, ['serve', '--sandbox', '--web.listen-address=127.0.0.1:0'], volume);
  onTestFinished(container.stop);
  const url = await eventually('it listens', () => listeningAddress(container.process.output()), {
    evidence: container.process.output,
  });
  await eventually('it is ready', async () => (await fetch(`${url}/-/ready`)).ok, {
    evidence: container.process.output,
  });
  return { ...container, url };
}

async function durable(url: string): Promise<string | undefined> {
  return /^edge_exporter_state_durable(?:\{.*\})? (\d)$/m.exec(
    await (await fetch(`${url}/metrics`)).text(),
  )?.[1];
}

describe.runIf(root)('the container', () => {
  it('runs as process 1, without root and without privileges, on a read-only root', async () => {
    const volume = join(image, '..', 'volume');
    await mkdir(volume, { recursive: true });
    await chown(volume, 1000, 1000);
    const { url, pid, process: running } = await started(volume);
    const status = await readFile(`/proc/${await pid()}/status`, 'utf8');
    expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^CapEff:\t0{16}$/m);
    expect(await durable(url)).toBe('1');
    expect(await readdir(volume)).not.toEqual([]);
    process.kill(await pid(), 'SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it('starts without a volume as well, and says that its counters will not last', async () => {
    const { url, pid, process: running } = await started();
    expect(await durable(url)).toBe('0');
    process.kill(await pid(), 'SIGINT');
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});
