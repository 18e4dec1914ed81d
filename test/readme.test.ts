import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/commands.ts';
import { COLLECTORS } from '../src/exporter/collectors.ts';
import { FLAGS, type FlagName, flagVariable } from '../src/exporter/command-line/flags.ts';
import { ACCOUNT_VARIABLES } from '../src/exporter/configuration/environment.ts';
import { figuresIn, readmeFigures, withFigures } from './bench/readme-figures.ts';
import { knownMetrics } from './dashboards/known-metrics.ts';
import { startWeb } from './exporter/web/server-at-hand.ts';
import { permissionOf } from './reference/collectors-table.ts';
import { configurationKeys } from './reference/configuration-keys.ts';
import { ownFamilies } from './reference/exported-families.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
};

it('scrapes by the job name that the alerts know', () => {
  const [, job] = /job_name: (\S+)/.exec(README) ?? [];
  const alerts = readFileSync(join(ROOT, 'config/prometheus/alerts.rules.yml'), 'utf8');
  expect(alerts).toContain(`up{job="${job}"}`);
});

const PAGES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md', 'grafana/README.md']
  .concat(['docs', 'config/prometheus'].flatMap((folder) => pagesIn(folder)))
  .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);

function pagesIn(folder: string): string[] {
  const pages = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return pages.map((name) => `${folder}/${name}`);
}

const FLAGS_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  promtool: ['max-block-duration'],
  prometheus: [
    'storage.tsdb.retention.time',
    'storage.tsdb.allow-overlapping-blocks',
    'web.enable-remote-write-receiver',
  ],
  amtool: ['alertmanager.url', 'comment', 'duration', 'start'],
  vitest: ['project'],
  npm: ['global', 'ignore-scripts'],
  docker: ['build'],
  helm: ['values'],
  gh: ['repo'],
};

it.each(PAGES)('%s links to what exists, and names no path that does not', (page, text) => {
  const links = [...text.matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, target = '']) => target);
  const missing = links.filter((target) => !existsSync(join(ROOT, dirname(page), target)));
  expect(missing).toEqual([]);
  if (page === 'README.md') expect(links.length).toBeGreaterThan(10);
  const paths = text.match(/(?<![\w./-])(?:src|test|config)\/[\w./-]*[\w/]/g) ?? [];
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it.each(PAGES)('%s names only flags and variables that exist', (_, text) => {
  const known = [...Object.keys(FLAGS), 'help', 'version', ...Object.values(FLAGS_OF_OTHERS).flat()];
  const flags = [...text.matchAll(/(?<![\w-])--([a-z][\w.-]*\w)/g)].map(([, name = '']) => name);
  expect(flags.filter((name) => !known.includes(name))).toEqual([]);
  const variables = [
    ...ACCOUNT_VARIABLES.map(({ name }) => name),
    ...(Object.keys(FLAGS) as FlagName[]).map(flagVariable),
  ];
  const named = text.match(/\bEDGE_[A-Z_]*[A-Z]\b/g) ?? [];
  expect(named.filter((name) => !variables.includes(name))).toEqual([]);
});

it('keeps no flag of another program that no page names', () => {
  const text = PAGES.map(([, page]) => page).join('\n');
  const unused = Object.values(FLAGS_OF_OTHERS)
    .flat()
    .filter((flag) => !text.includes(`--${flag}`));
  expect(unused).toEqual([]);
});

function packagesNamed(page: string): string[] {
  const section = page.slice(page.indexOf('## Dependencies'));
  const names = [...section.matchAll(/^\| ([a-z\d@/, -]+) \|/gm)].flatMap(([, some = '']) =>
    some.split(', '),
  );
  return names.filter((name) => name !== 'package').sort();
}

it('gives a reason for every dependency, and for no other', () => {
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  expect(packagesNamed(README)).toEqual(Object.keys(MANIFEST.dependencies).sort());
  expect(packagesNamed(contributing)).toEqual(Object.keys(MANIFEST.devDependencies).sort());
});

it('no page names a script that does not exist', () => {
  const others = JSON.parse(
    readFileSync(join(ROOT, 'grafana/pictures/package.json'), 'utf8'),
  ) as typeof MANIFEST;
  const known = { ...MANIFEST.scripts, ...others.scripts };
  const text = PAGES.map(([, page]) => page).join('\n');
  const scripts = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
  expect(scripts.length).toBeGreaterThan(3);
  expect(scripts.filter((name) => !(name in known))).toEqual([]);
});

it.each(PAGES)('%s links to headings that exist', (page, text) => {
  const missing = [...text.matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].filter(([, target = '', anchor = '']) => {
    const path = target === '' ? join(ROOT, page) : join(ROOT, dirname(page), target);
    return !anchorsOf(readFileSync(path, 'utf8')).includes(anchor);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(PAGES)('%s names only metrics that exist', (_, text) => {
  const known = new Set([...knownMetrics(), ...ownFamilies().map(({ name }) => name)]);
  const named = text.match(/(?<![\w./-])edge_[a-z0-9_]+[a-z0-9](?![\w]*[…*{])/g) ?? [];
  expect(new Set(named.filter((name) => !known.has(name) && !NO_METRICS.includes(name)))).toEqual(new Set());
});

const NO_METRICS = [
  'edge_applications',
  'edge_application',
  'edge_application_id',
  'edge_functions',
  'edge_firewalls',
  'edge_exporter_backfill_probe',
];

it.each(PAGES)('%s calls only commands that exist', (_, text) => {
  const called = [...text.matchAll(/(?:`|^\$? ?)(?:edge-exporter|node dist\/main\.js) ([a-z][a-z-]*)/gm)];
  const known = [...Object.keys(COMMANDS), 'help'];
  expect(called.map(([, command]) => command).filter((command) => !known.includes(command ?? ''))).toEqual(
    [],
  );
});

it('README takes five minutes: under 150 lines, and every page of docs/ is linked from it', () => {
  expect(README.split('\n').length).toBeLessThan(150);
  expect(pagesIn('docs').filter((page) => !README.includes(`(${page})`))).toEqual([]);
});

it('docs/operations.md has every endpoint', async () => {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const documented = [...text.matchAll(/^\| `(\/[^`]*)` \|/gm)].map(([, path]) => path);
  expect(documented.sort()).toEqual((await endpoints()).sort());
});

async function endpoints(): Promise<string[]> {
  const { url } = await startWeb();
  const list = await (await fetch(`${url}/other`)).text();
  return list.split('\n').filter((line) => line.startsWith('/'));
}

it('docs/getting-started.md names every permission', () => {
  const text = readFileSync(join(ROOT, 'docs/getting-started.md'), 'utf8');
  const permissions = new Set([...Object.values(COLLECTORS).map(permissionOf), 'Analytics']);
  const named = [...text.matchAll(/\| ([A-Z][A-Za-z ,]+) \|$/gm)].map(([, permission]) => permission);
  expect(new Set(named)).toEqual(permissions);
});

it.each(PAGES)('%s names only keys of the configuration that exist', (_, text) => {
  const keys = configurationKeys().map(({ path }) => path);
  const named = [...text.matchAll(/`((?:quota|request|limits)\.[a-z_.]+)`/g)].map(([, key = '']) => key);
  expect(named.filter((key) => !keys.some((path) => path.endsWith(key)))).toEqual([]);
});

const RESULTS = join(ROOT, 'test/bench/RESULTS.md');

it('README has the figures that the benchmark measured, and none where it did not', () => {
  const results = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  expect(figuresIn(README)).toBe(readmeFigures(results));
});

it('the benchmark puts its figures of 100,000 series into README in place of earlier ones', () => {
  const results = (ms: string) => `# Scrapes

2026-01-05, Node v20, polls every 20 s.

| series | accounts | floor p50 | quiet p50 | x floor | prom-client p50 | Pushgateway p50 |
| --: | --: | --: | --: | --: | --: | --: |
| 1000 | 1 | 0.40 | 0.50 | 1.2 | 5.43 | 6.42 |
| 100000 | 1 | 0.80 | ${ms} | 1.3 | 483.12 | – |
`;
  const first = withFigures(README, results('1.04'));
  expect(figuresIn(first)).toContain('takes 1.0 ms, a static file of the same bytes 0.8 ms; for the same');
  expect(figuresIn(first)).toContain('prom-client behind express 483 ms\n(medians of 2026-01-05');
  const second = withFigures(first, results('1.26'));
  expect(second).toBe(first.replace('1.0 ms', '1.3 ms'));
  expect(withFigures(second, '# nothing')).toBe(withFigures(README, ''));
});
