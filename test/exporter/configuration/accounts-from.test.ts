import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigInUse } from '../../../src/exporter/configuration/config.ts';
import { formatIssue } from '../../../src/exporter/configuration/issue.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const account = (name: string, more = '') =>
  `  - { name: ${name}, api_url: "https://${name}.example.net", token: token-of-${name}${more} }\n`;
const accounts = (...names: string[]) => `accounts:\n${names.map((name) => account(name)).join('')}`;

function configuration(files: Record<string, string>, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-from-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const inUse = new ConfigInUse({ file: join(folder, 'exporter.yaml'), env }, new SimulatedClock());
  const load = async () => {
    const loaded = await inUse.load();
    return {
      ok: loaded.ok,
      accounts: loaded.ok ? loaded.config.accounts : [],
      names: loaded.ok ? loaded.config.accounts.map(({ name }) => name) : [],
      issues: (loaded.ok ? [] : loaded.issues).map((issue) =>
        formatIssue(issue).replaceAll(`${folder}/`, ''),
      ),
      warnings: loaded.ok
        ? loaded.warnings.map((issue) => formatIssue(issue).replaceAll(`${folder}/`, ''))
        : [],
    };
  };
  return { folder, write, load, inUse };
}

test.each([
  ['a folder', 'accounts.d'],
  ['a pattern', 'accounts.d/*.{yaml,yml}'],
  ['files', '[accounts.d/a.yaml, accounts.d/b.yml]'],
])('accounts of %s follow those of the file itself, in the order of the files', async (_, given) => {
  const { load } = configuration({
    'exporter.yaml': `accounts_from: "${given}"\n${accounts('own')}`.replace(/"(\[.*\])"/, '$1'),
    'accounts.d/b.yml': accounts('b1', 'b2'),
    'accounts.d/a.yaml': accounts('a'),
    'accounts.d/.hidden.yaml': 'no account',
    'accounts.d/README': 'no account',
  });
  expect(await load()).toMatchObject({ ok: true, names: ['own', 'a', 'b1', 'b2'], issues: [], warnings: [] });
});

test('the file itself needs no accounts then', async () => {
  const { load } = configuration({ 'exporter.yaml': 'accounts_from: a.yaml', 'a.yaml': accounts('a') });
  expect((await load()).names).toEqual(['a']);
});

test('paths are relative to the file that names them, and variables are filled in', async () => {
  const { load, folder } = configuration(
    {
      'exporter.yaml': 'accounts_from: teams/*.yaml',
      'teams/a.yaml': `accounts: [{ name: "$\{NAME}", api_url: https://a.example, token_file: token }]`,
    },
    { NAME: 'shop' },
  );
  expect((await load()).accounts).toMatchObject([
    { name: 'shop', credentials: { path: join(folder, 'teams', 'token') } },
  ]);
});

test('every mistake of every file is told at once, with file, path and line', async () => {
  const { load } = configuration({
    'exporter.yaml': `limits: { series: none }\naccounts_from: [accounts.d, absent, "a*/b.yaml", "c.d/[x"]\n${accounts('own')}`,
    'accounts.d/a.yaml': `accounts:\n${account('a', ', settle_delay: soon')}${account('own')}`,
    'accounts.d/b.yaml': `limits: {}\n${accounts('b')}${account('a', ', quota: { reserve: 2 }')}`,
    'accounts.d/c.yaml': 'accounts: [',
    'accounts.d/d.yaml': '',
  });
  expect((await load()).issues).toEqual([
    'exporter.yaml:1:19: limits.series: expected a number, found text',
    'exporter.yaml:2:29: accounts_from[1]: there is no such file or folder',
    'exporter.yaml:2:37: accounts_from[2]: expected a pattern in the last part of the path only',
    'exporter.yaml:2:50: accounts_from[3]: the brackets of the pattern are not balanced',
    expect.stringMatching(/^accounts.d\/a.yaml:2:\d+: accounts\[0\].settle_delay: expected a duration/),
    'accounts.d/a.yaml:3:13: accounts[1].name: must be unique; accounts[0] of exporter.yaml has this name',
    'accounts.d/b.yaml:1:1: limits: unknown key; expected one of: accounts',
    'accounts.d/b.yaml:4:13: accounts[1].name: must be unique; accounts[0] of accounts.d/a.yaml has this name',
    expect.stringMatching(/^accounts.d\/b.yaml:4:\d+: accounts\[1\].quota.reserve: expected at most 0.95$/),
    expect.stringMatching(/^accounts.d\/c.yaml:1:12: /),
    expect.stringMatching(/^accounts.d\/d.yaml:1:1: expected a mapping/),
  ]);
});

test('one account in two files is told', async () => {
  const { load } = configuration({
    'exporter.yaml': 'accounts_from: [a.yaml, b.yaml]',
    'a.yaml': accounts('a'),
    'b.yaml': accounts('b').replace('https://b.', 'https://a.').replace('token-of-b', 'token-of-a'),
  });
  expect((await load()).warnings).toEqual([
    expect.stringMatching(
      /^b.yaml:2:\d+: accounts\[0\].token: has the address and the token of accounts\[0\] of a.yaml/,
    ),
  ]);
});

test.each([
  ['no file at all', {}, 'exporter.yaml:1:1: accounts_from[0]: no file is found by this'],
  [
    'another type',
    { type: 'accounts_from: { a: b }' },
    'exporter.yaml:1:16: accounts_from: expected a file, folder or pattern, or a list of them',
  ],
])('%s is a mistake', async (_, { type = 'accounts_from: "*.d"' }: { type?: string }, issue) => {
  const { load } = configuration({ 'exporter.yaml': type });
  expect(await load()).toMatchObject({ ok: false, issues: [issue] });
});

test('one file with mistakes keeps the whole of what is in use', async () => {
  const { write, load, inUse } = configuration({
    'exporter.yaml': 'accounts_from: accounts.d',
    'accounts.d/a.yaml': accounts('a1', 'a2'),
    'accounts.d/b.yaml': accounts('b'),
  });
  expect((await load()).names).toEqual(['a1', 'a2', 'b']);
  write('accounts.d/a.yaml', `${accounts('a1')}  - { name: a3 }\n`);
  write('accounts.d/b.yaml', accounts('b', 'b2'));
  expect(await load()).toMatchObject({
    ok: false,
    issues: [
      'accounts.d/a.yaml:3:5: accounts[1].api_url: is required',
      expect.stringMatching(/^accounts.d\/a.yaml:3:5: accounts\[1\]: expected exactly one of token/),
    ],
  });
  expect(inUse.status()).toMatchObject({ last_reload_successful: false });
  write('accounts.d/a.yaml', accounts('a3'));
  expect(await load()).toMatchObject({ names: ['a3', 'b', 'b2'], issues: [] });
});

test('an entry that has lost all of its files keeps what is in use, as where a volume is not mounted', async () => {
  const { folder, write, load } = configuration({
    'exporter.yaml': 'accounts_from: [accounts.d, "more-*.yaml"]',
    'accounts.d/a.yaml': accounts('a'),
    'accounts.d/c.yaml': accounts('c'),
    'more-b.yaml': accounts('b'),
  });
  await load();
  unlinkSync(join(folder, 'accounts.d/a.yaml'));
  expect((await load()).names).toEqual(['c', 'b']);
  unlinkSync(join(folder, 'accounts.d/c.yaml'));
  expect(await load()).toMatchObject({
    ok: false,
    issues: ['exporter.yaml:1:17: accounts_from[0]: no file is found by this'],
  });
  write('exporter.yaml', 'accounts_from: "more-*.yaml"');
  expect(await load()).toMatchObject({ ok: true, names: ['b'] });
});

test('anything that changes in any of the files is noticed until it is loaded, also by links', async () => {
  const { folder, write, load, inUse } = configuration({
    'exporter.yaml': 'accounts_from: accounts.d',
    'accounts.d/a.yaml': accounts('a'),
    'other.yaml': accounts('other'),
  });
  await load();
  const noticed = async (change: () => void) => {
    expect(await inUse.hasChanged()).toBe(false);
    change();
    expect(await inUse.hasChanged()).toBe(true);
    await load();
  };
  await noticed(() => write('accounts.d/a.yaml', accounts('a', 'b')));
  await noticed(() => write('accounts.d/c.yaml', accounts('c')));
  await noticed(() => write('accounts.d/c.yaml', 'accounts: ['));
  await noticed(() => unlinkSync(join(folder, 'accounts.d/c.yaml')));
  await noticed(() => {
    symlinkSync('../other.yaml', join(folder, 'accounts.d/link'));
    renameSync(join(folder, 'accounts.d/link'), join(folder, 'accounts.d/a.yaml'));
  });
  await noticed(() => write('exporter.yaml', `${accounts('own')}accounts_from: accounts.d`));
  await noticed(() => write('exporter.yaml', 'accounts_from: ['));
  await noticed(() => unlinkSync(join(folder, 'exporter.yaml')));
});
