import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { FLAGS, type FlagName, flagVariable } from '../src/command-line/flags.ts';
import { ACCOUNT_VARIABLES } from '../src/configuration/environment.ts';
import { type CatalogueRow, describeCatalogue } from './reference/catalogue-table.ts';
import { type CollectorRow, describeCollectors } from './reference/collectors-table.ts';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  scripts: Record<string, string>;
};

const BLOCK = /<!-- metrics:begin -->.*<!-- metrics:end -->/s;
const SETTINGS_BLOCK = /<!-- collectors:begin -->.*<!-- collectors:end -->/s;

function settingsRow({ section, part, collector, exported, permission, operations }: CollectorRow): string {
  const name = collector === undefined || collector === '' ? '' : `\`${collector}\``;
  return `| ${section} ${part} | ${name} | ${exported} | ${permission ?? ''} | ${operations} |`;
}

function row({ metric, dimensions, gauge, counter, labels }: CatalogueRow): string {
  const names = [gauge, ...(counter === undefined ? [] : [counter])].map((name) => `\`${name}\``);
  const shown = dimensions.length > 6 ? [...dimensions.slice(0, 5), '…'] : dimensions;
  return `| ${metric} | ${shown.join(', ')} | ${names.join(', ')} | ${labels.join(', ')} |`;
}

it('has the tables of the catalogue and of the collectors (npx vitest run test/readme.test.ts -u brings it up to date)', async () => {
  const table = [
    '| API metric | dimensions | families | further labels |',
    '|---|---|---|---|',
    ...describeCatalogue().map(row),
  ];
  const settings = [
    '| section | collector | exported | permission | operations |',
    '|---|---|---|---|---|',
    ...describeCollectors().map(settingsRow),
  ];
  const written = README.replace(BLOCK, () =>
    ['<!-- metrics:begin -->', ...table, '<!-- metrics:end -->'].join('\n'),
  ).replace(SETTINGS_BLOCK, () =>
    ['<!-- collectors:begin -->', ...settings, '<!-- collectors:end -->'].join('\n'),
  );
  await expect(written).toMatchFileSnapshot(join(ROOT, 'README.md'));
});

it('scrapes by the job name that the alerts know', () => {
  const [, job] = /job_name: (\S+)/.exec(README) ?? [];
  const alerts = readFileSync(join(ROOT, 'config/prometheus/alerts.rules.yml'), 'utf8');
  expect(alerts).toContain(`up{job="${job}"}`);
});

/** The pages that users read, by their paths from the top. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'grafana/README.md']
  .concat(['config', 'config/prometheus'].flatMap((folder) => pagesIn(folder)))
  .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);

function pagesIn(folder: string): string[] {
  const pages = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return pages.map((name) => `${folder}/${name}`);
}

/** Flags of other programs that the pages call. */
const FLAGS_OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  promtool: ['max-block-duration'],
  prometheus: ['storage.tsdb.retention.time', 'storage.tsdb.allow-overlapping-blocks'],
  amtool: ['comment', 'duration'],
  vitest: ['project'],
  npm: ['ignore-scripts'],
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

it('gives a reason for every dependency, and for no other', () => {
  const section = README.slice(README.indexOf('## Dependencies'));
  const named = [...section.matchAll(/^\| ([a-z@/, -]+) \|/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  expect(named.filter((name) => name !== 'package').sort()).toEqual(
    Object.keys(MANIFEST.dependencies).sort(),
  );
});

it('names only scripts that exist', () => {
  const scripts = [...README.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name);
  expect(scripts.filter((name) => !(name in MANIFEST.scripts))).toEqual([]);
});
