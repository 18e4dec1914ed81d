import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CatalogueRow, describeCatalogue } from '../src/catalogue/table.ts';
import { type CollectorRow, describeCollectors } from '../src/collectors-table.ts';

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

it('has the tables of the catalogue and of the collectors (npx vitest run -u test/readme.test.ts brings it up to date)', async () => {
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

it('links to what exists', () => {
  const links = [...README.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
});

it('gives a reason for every dependency, and for no other', () => {
  const section = README.slice(README.indexOf('## Dependencies'));
  const named = [...section.matchAll(/^\| ([a-z, -]+) \|/gm)].flatMap(([, names = '']) => names.split(', '));
  expect(named.filter((name) => name !== 'package').sort()).toEqual(
    Object.keys(MANIFEST.dependencies).sort(),
  );
});

it('names only scripts that exist', () => {
  const scripts = [...README.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name);
  expect(scripts.filter((name) => !(name in MANIFEST.scripts))).toEqual([]);
});
