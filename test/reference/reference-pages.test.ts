import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FLAGS, type Flag, type FlagName, flagVariable } from '../../src/exporter/command-line/flags.ts';
import { ACCOUNT_VARIABLES } from '../../src/exporter/configuration/environment.ts';
import { configurationKeys } from './configuration-keys.ts';
import {
  accountFamilies,
  type DocumentedFamily,
  ownFamilies,
  processFamilies,
  trafficFamilies,
  unitOf,
} from './exported-families.ts';
import { code, markdownTable, replaceBlock } from './markdown.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const UPDATE = '(npx vitest run --project unit test/reference -u writes it anew)';

async function expectPage(name: string, blocks: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const path = join(DOCS, name);
  const page = await readFile(path, 'utf8');
  const written = Object.entries(blocks).reduce(
    (text, [block, lines]) => replaceBlock(text, block, lines),
    page,
  );
  await expect(written).toMatchFileSnapshot(path);
}

function familyTable(families: readonly DocumentedFamily[]): string[] {
  const rows = families.map((family) => [
    code(family.name),
    family.type,
    unitOf(family),
    family.labels.map(code).join(' '),
    family.help,
  ]);
  return markdownTable(['family', 'type', 'unit', 'labels', 'help'], rows);
}

const COMMON = ['account', 'product', 'configuration_id', 'configuration'];

function trafficTable(families: readonly DocumentedFamily[]): string[] {
  const counters = families.filter(({ type }) => type === 'counter');
  const gauges = families.filter(({ type }) => type !== 'counter');
  const counterOf = new Map(
    counters.map((counter) => [counter.name.replace(/_total$/, '_per_minute'), counter]),
  );
  const rows = gauges.map((family) => {
    const counter = counterOf.get(family.name);
    const labels = family.labels.filter((label) => !COMMON.includes(label)).map(code);
    const names = [family, ...(counter ? [counter] : [])].map(({ name }) => code(name)).join(', ');
    const meaning = (counter ?? family).help.replace(
      /, in (all settled buckets|the newest trusted bucket)/,
      '',
    );
    return [names, unitOf(counter ?? family), labels.join(' '), meaning];
  });
  return markdownTable(['families', 'unit', 'further labels', 'meaning'], rows);
}

it(`docs/metrics.md has every family ${UPDATE}`, async () => {
  const traffic = trafficFamilies().filter(({ name }) => !name.startsWith('edge_product_'));
  await expectPage('metrics.md', {
    traffic: trafficTable(traffic),
    account: familyTable(accountFamilies()),
    own: familyTable(ownFamilies()),
    process: [processFamilies().map(code).join(', ')],
  });
});

it('every family of a whole product has its counterpart of single configurations in docs/metrics.md', () => {
  const families = trafficFamilies();
  const names = new Set(families.map(({ name }) => name));
  const products = families.filter(({ name }) => name.startsWith('edge_product_'));
  expect(products.length).toBeGreaterThan(20);
  expect(products.filter(({ name }) => !names.has(name.replace('edge_product_', 'edge_')))).toEqual([]);
});

it(`docs/configuration.md has every key ${UPDATE}`, async () => {
  const rows = configurationKeys().map((key) => [
    code(key.path),
    key.type,
    key.default === undefined ? '' : code(key.default),
    key.about,
  ]);
  await expectPage('configuration.md', { keys: markdownTable(['key', 'type', 'default', 'meaning'], rows) });
});

it(`docs/flags.md has every flag and variable ${UPDATE}`, async () => {
  const flags = (Object.entries(FLAGS) as [FlagName, Flag][]).map(([name, flag]) => [
    code(flag.value.placeholder === undefined ? `--[no-]${name}` : `--${name}=<${flag.value.placeholder}>`),
    flag.default === undefined ? '' : code(flag.default),
    flag.commands.join(', '),
    `${flag.about} ${code(flagVariable(name))}`,
  ]);
  const variables = ACCOUNT_VARIABLES.map(({ name, about }) => [code(name), about]);
  await expectPage('flags.md', {
    flags: markdownTable(['flag', 'default', 'commands', 'meaning and environment variable'], flags),
    variables: markdownTable(['variable', 'meaning'], variables),
  });
});
