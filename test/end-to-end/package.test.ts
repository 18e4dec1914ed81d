import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../eventually.ts';
import { runToEnd, startProcess } from './child-process.ts';
import { listeningAddress } from './exporter-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const CHART = readFileSync(join(ROOT, 'config/helm/edge-exporter/Chart.yaml'), 'utf8');

function output(command: string, ...args: readonly string[]) {
  return JSON.parse(
    execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

describe('the package', () => {
  const [packed] = output('npm', 'pack', '--dry-run', '--json', '--ignore-scripts');
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path);

  it('holds the program, the examples, the rules and the dashboards', () => {
    for (const path of [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'],
      ...['config/exporter.yaml', 'config/exporter.schema.json', 'config/systemd/edge-exporter.service'],
      ...['config/prometheus/alerts.rules.yml', 'config/prometheus/recording.rules.yml'],
      ...['grafana/dashboards/overview.json', 'config/kubernetes/edge-exporter.yaml'],
    ])
      expect(paths).toContain(path);
  });

  it('holds nothing else: no sources, no tests, no secrets, no chart without the files that it links to', () => {
    const tops = new Set(paths.map((path) => path.split('/')[0]));
    expect([...tops].sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'config',
        'dist',
        'docs',
        'grafana',
        'package.json',
      ].filter((top) => top !== 'dist' || existsSync(join(ROOT, 'dist'))),
    );
    const unwanted = /\.(tsx?|map|key|pem|tgz)$|tsconfig|\.test\.|^config\/helm\//;
    expect(paths.filter((path) => unwanted.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  });

  it("resolves README's pictures and links to files", () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)#]+)/g)].map(([, path]) => path);
    expect(pictures.length).toBeGreaterThan(0);
    expect(pictures.filter((path) => !paths.includes(path ?? ''))).toEqual([]);
  });
});

it('installs in an empty folder and runs there, without a build and without install scripts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = async (path: string, cwd: string, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await runToEnd({ path, cwd, args });
    expect(code, `${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  await run('npm', ROOT, 'pack', '--ignore-scripts', `--pack-destination=${folder}`);
  const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', folder, ...install, `./edge-exporter-${MANIFEST.version}.tgz`);
  const program = join(folder, 'node_modules/.bin/edge-exporter');
  expect(await run(program, folder, '--version')).toContain(MANIFEST.version);
  expect(await run(program, folder, 'rules')).toContain('alert: ');

  const args = ['serve', '--sandbox', '--state.dir=state', '--web.listen-address=127.0.0.1:0'];
  const exporter = await startProcess({ path: program, cwd: folder, args });
  onTestFinished(async () => void (await exporter.stop()));
  const evidence = { evidence: exporter.output };
  const url = await eventually('it listens', () => listeningAddress(exporter.output()), evidence);
  await eventually('it is ready', async () => (await fetch(`${url}/-/ready`)).ok, evidence);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^edge_up\{account="[^"]+"\} 1$/m);
});

it('an SBOM names what is installed with it: every dependency, none for development', () => {
  const sbom = output(join(ROOT, '.ci/sbom'));
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'edge-exporter', version: MANIFEST.version } },
  });
  const named: string[] = sbom.components.map((component: { 'bom-ref': string }) =>
    component['bom-ref'].replace(/@[^@]+$/, ''),
  );
  expect(named).toEqual(expect.arrayContaining(Object.keys(MANIFEST.dependencies)));
  for (const name of ['vitest', 'typescript', 'kubernetes-models']) expect(named).not.toContain(name);
});

it('the version is semantic, and the changelog has it, or what is not released yet', () => {
  expect(MANIFEST.version).toMatch(/^\d+\.\d+\.\d+$/);
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const headings = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '');
  expect(headings[0]).toMatch(
    new RegExp(`^Unreleased$|^\\[?${MANIFEST.version.replaceAll('.', '\\.')}\\]?\\b`),
  );
});

it('every dependency that is built for machines has a build for each that is supported', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const native = Object.keys(MANIFEST.dependencies).filter((name) => {
    const optional = Object.keys(packages[`node_modules/${name}`]?.optionalDependencies ?? {});
    return optional.some((other) => packages[`node_modules/${other}`]?.cpu !== undefined);
  });
  for (const name of native) {
    const builds = Object.keys(packages[`node_modules/${name}`].optionalDependencies).join(' ');
    for (const machine of [/linux-x64-gnu/, /linux-arm64-gnu/, /darwin-x64/, /darwin-arm64/])
      expect(builds, name).toMatch(machine);
  }
  expect(native.length).toBeGreaterThan(0);
});

describe('the release', () => {
  const text = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const { jobs, permissions } = parse(text);

  it('publishes only what was tested, and signs it', () => {
    expect(jobs.package.needs).toEqual(['test', 'night', 'nodes']);
    expect(jobs.image.needs).toEqual(['test', 'night', 'nodes']);
    expect(text).toContain('npm publish --provenance');
    expect(text.match(/actions\/attest-build-provenance@/g)).toHaveLength(2);
    expect(permissions).toEqual({});
  });

  it('keeps the package and the chart apart, to which npm and Helm give the same file name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    try {
      const tool = (name: string, script: string) =>
        writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      for (const name of ['bin', '.ci']) mkdirSync(join(folder, name));
      const { name, version } = MANIFEST;
      tool('npm', `[ "$1" != pack ] || echo package > ${name}-${version}.tgz; echo npm "$@" >> calls`);
      const packed = `"\${4:-.}/${parse(CHART).name}-${parse(CHART).version}.tgz"`;
      tool(
        'helm',
        `echo helm "$@" >> calls; [ "$1" != package ] || { mkdir -p "\${4:-.}" && echo chart > ${packed}; }`,
      );
      tool('gh', 'echo gh "$@" >> calls');
      writeFileSync(join(folder, '.ci/sbom'), '#!/bin/sh\necho sbom', { mode: 0o755 });
      const env = {
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        GITHUB_REF_NAME: `v${version}`,
        GITHUB_REPOSITORY_OWNER: 'edge-exporter',
      };
      for (const { run } of jobs.package.steps) {
        if (run !== undefined) execFileSync('bash', ['-ec', run], { cwd: folder, env });
      }
      const files = [`${name}-${version}.tgz`, `${name}-chart-${version}.tgz`, 'edge-exporter.cdx.json'];
      const holds = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      expect(holds).toEqual(['package', 'chart', 'sbom']);
      const calls = readFileSync(join(folder, 'calls'), 'utf8');
      for (const file of files) expect(calls).toMatch(new RegExp(`^gh release create .*\\b${file}\\b`, 'm'));
      expect(calls).toMatch(new RegExp(`^npm publish .* \\./${files[0]}$`, 'm'));
      const chart = /oci:\/\/\S+/.exec(
        readFileSync(join(ROOT, 'config/helm/edge-exporter/values.yaml'), 'utf8'),
      );
      expect(`${chart}`).toMatch(new RegExp(`/${parse(CHART).name}$`));
      expect(calls).toContain(`helm push ${files[1]} ${`${chart}`.replace(/\/[^/]*$/, '')}\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['the latest', ['v0.0.9'], true],
    ['one that mends an older version', ['v99.0.0'], false],
  ])('pushes the image that chart and manifests name: %s', (_, otherTags, isLatest) => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    try {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
      const { version, repository } = MANIFEST;
      git('init', '--quiet');
      git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '--quiet', '--allow-empty', '-m', 'a');
      for (const tag of [...otherTags, `v${version}`]) git('tag', tag);
      const image = text
        .match(/IMAGE: (.*)/)?.[1]
        ?.replace(/\$\{\{ github\.repository \}\}/, repository.split('.com/')[1]);
      const env = {
        ...process.env,
        IMAGE: image,
        GITHUB_REF_NAME: `v${version}`,
        GITHUB_OUTPUT: join(folder, 'output'),
      };
      const named = (id: string) => jobs.image.steps.find((step: { id?: string }) => step.id === id);
      execFileSync('bash', ['-ec', named('tags').run], { cwd: folder, env });
      const output = readFileSync(env.GITHUB_OUTPUT, 'utf8').trimEnd().split('\n');
      expect([output[0], output.at(-1)]).toEqual(['tags<<end', 'end']);
      expect(named('build').with.tags).toContain('steps.tags.outputs.tags');
      const values = parse(readFileSync(join(ROOT, 'config/helm/edge-exporter/values.yaml'), 'utf8'));
      const ofChart = `${values.image.repository}:${values.image.tag || parse(CHART).appVersion}`;
      expect(output.slice(1, -1)).toEqual([
        ofChart,
        ...(isLatest ? [`${values.image.repository}:latest`] : []),
      ]);
      expect(readFileSync(join(ROOT, 'config/kubernetes/edge-exporter.yaml'), 'utf8')).toContain(
        `image: ${ofChart}\n`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('tests each pull request by .ci/run', () => {
    const { on, jobs } = parse(readFileSync(join(ROOT, '.github/workflows/tests.yml'), 'utf8'));
    expect(on).toHaveProperty('pull_request');
    expect(jobs.test.steps).toContainEqual(expect.objectContaining({ run: 'bash .ci/run' }));
  });

  it('tests every supported Node, on arm64 and macOS too', () => {
    const script = readFileSync(join(ROOT, 'test/nodes.mjs'), 'utf8');
    const supported = [...(/SUPPORTED = \[(.*)\]/.exec(script)?.[1] ?? '').matchAll(/\d+/g)].map(([v]) =>
      Number(v),
    );
    const matrix: { node: number; runner: string }[] = jobs.nodes.strategy.matrix.include;
    const tested = new Set([24, ...matrix.map(({ node }) => node)]);
    expect([...tested].sort()).toEqual(supported);
    expect(matrix.map(({ runner }) => runner)).toEqual(
      expect.arrayContaining(['ubuntu-24.04-arm', 'macos-15']),
    );
  });
});
