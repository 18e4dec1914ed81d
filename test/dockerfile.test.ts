import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FLAGS, flagVariable } from '../src/exporter/command-line/flags.ts';
import { matchesAny } from '../src/exporter/text/glob.ts';
import { runToEnd } from './end-to-end/child-process.ts';

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const port = FLAGS['web.listen-address'].default.replace(':', '');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

const instructions: Instruction[] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', text: line.slice(line.indexOf(' ') + 1) }));

function textsOf(name: string, among = instructions): string[] {
  return among.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

const image = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));

describe('the Dockerfile', () => {
  it('builds and runs on Node 24', () => {
    for (const from of textsOf('FROM')) expect(from).toMatch(/^node:24-slim\b/);
  });

  it('runs as an ordinary user, named by number', () => {
    expect(textsOf('USER', image).at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('copies only what exists and what .dockerignore lets through', () => {
    const lets = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/(?<=^!).+/gm) ?? [];
    const copied = textsOf('COPY').filter((text) => !text.startsWith('--from='));
    for (const source of copied.flatMap((text) => text.split(' ').slice(0, -1))) {
      const path = source.replace(/^\.\//, '');
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      expect(matchesAny(lets)(path), `${path} in .dockerignore`).toBe(true);
    }
  });

  it('takes from its other stages what they make', () => {
    const taken = textsOf('COPY', image).filter((text) => text.startsWith('--from='));
    expect(taken).toEqual([
      '--from=dependencies /app/node_modules ./node_modules',
      '--from=build /app/dist ./dist',
    ]);
    const dependencies = instructions.slice(
      instructions.findIndex(({ text }) => text.endsWith(' AS dependencies')),
    );
    expect(textsOf('RUN', dependencies)[0]).toMatch(/^npm ci --omit=dev --ignore-scripts\b/);
  });

  it('starts the built program itself, so that signals reach it', () => {
    expect(textsOf('WORKDIR', image)).toEqual(['/app']);
    expect(JSON.parse(textsOf('ENTRYPOINT', image)[0] ?? '')).toEqual([
      'node',
      '--no-memory-reducer',
      `/app/${manifest.bin['edge-exporter']}`,
    ]);
    expect(textsOf('CMD', image)).toEqual([]);
  });

  it('exposes the default port, and keeps counters in a volume', () => {
    expect(textsOf('EXPOSE', image)).toEqual([port]);
    expect(textsOf('ENV', image)).toContain(`${flagVariable('state.dir')}=${textsOf('VOLUME', image)[0]}`);
  });

  it('has a health check that follows /-/healthy', async () => {
    const command: string[] = JSON.parse(
      /CMD (\[.*\])$/.exec(textsOf('HEALTHCHECK', image)[0] ?? '')?.[1] ?? '[]',
    );
    const script = command.at(-1) ?? '';
    expect([command[0], command[1]]).toEqual(['node', '-e']);
    expect(script).toContain(`127.0.0.1:${port}/`);

    const paths: (string | undefined)[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const here = script.replace(port, String((server.address() as AddressInfo).port));
    const check = async () => (await runToEnd({ path: process.execPath, args: ['-e', here] })).code;
    expect(await check()).toBe(0);
    status = 503;
    expect(await check()).toBe(1);
    server.close();
    await once(server, 'close');
    expect(await check()).toBe(1);
    expect(paths).toEqual(['/-/healthy', '/-/healthy']);
  });
});

describe('the package', () => {
  it('needs nothing at run time that is installed for development only', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const imported = sources.flatMap((file) => {
      const text = readFileSync(join(ROOT, 'src', file), 'utf8');
      return [...text.matchAll(/^(?:import|export)(?! type)[^;]*? from '([^.'][^']*)'/gm)].map(
        ([, name]) => name,
      );
    });
    const packages = imported.flatMap((name) => (name?.startsWith('node:') ? [] : packageOf(name)));
    expect(packages).toContain('express');
    expect(packages.filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });

  it('lets no dependency run a script at its installation, and none is silently in need of one', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const scripted = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(manifest.allowScripts).toEqual(
      Object.fromEntries([...new Set(scripted)].map((name) => [name, false])),
    );
  });

  it('is locked by content, but for programs of other platforms than that of Linux on x64', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const unchecked = Object.entries<{
      integrity?: string;
      optional?: boolean;
      os?: string[];
      cpu?: string[];
      libc?: string[];
    }>(lock.packages).filter(([path, { integrity }]) => path !== '' && integrity === undefined);
    const needed = unchecked.filter(([, { optional, os, cpu, libc }]) => {
      const isElsewhere =
        os?.includes('linux') === false ||
        cpu?.includes('x64') === false ||
        libc?.includes('glibc') === false;
      return optional !== true || !isElsewhere;
    });
    expect(needed).toEqual([]);
  });

  it('is released by actions that are named by their commits, each with its version beside it', () => {
    const folder = join(ROOT, '.github/workflows');
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
    const used = lines
      .filter((line) => /^\s*(?:- )?uses:/.test(line))
      .map((line) => line.split('uses: ')[1] ?? '');
    expect(used.length).toBeGreaterThan(10);
    for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(new Set(used).size).toBe(new Set(used.map((one) => one.split('@')[0])).size);
  });

  it('is locked for every platform that an optional dependency is made for', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const optional = Object.values<{ optionalDependencies?: object }>(packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}),
    );
    expect(optional.length).toBeGreaterThan(0);
    expect(optional.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([]);
  });
});

function packageOf(specifier = ''): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
}
