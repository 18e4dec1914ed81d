import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { madeInSlices } from '../slices.ts';
import { isGlob, matchesAny } from '../text/glob.ts';
import { type CheckedAccounts, checkAccounts } from './checked-accounts.ts';
import { digestOf, readConfigFile } from './file.ts';
import { findings } from './findings.ts';
import type { Environment } from './interpolation.ts';
import { ACCOUNTS_OUTLINE, configJsonSchema } from './schema.ts';
import { besides, written } from './written.ts';

/** More would take minutes to look through. */
const MOST_FILES = 10_000;

/** The files that an entry of `accounts_from` stands for, or why it stands for none. */
export type FoundFiles = { readonly paths: readonly string[] } | { readonly problem: string };

/**
 * Looks up a file, a folder (its `*.yaml` and `*.yml`), or a pattern in the last part of a path, from `directory`. Names that
 * begin with a dot are left out, as Kubernetes' own links in a mounted folder are.
 */
export async function findAccountFiles(given: string, directory: string): Promise<FoundFiles> {
  const path = isAbsolute(given) ? given : join(directory, given);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) return filesIn(path, '*.{yaml,yml}');
  if (entry !== undefined) return { paths: [path] };
  const [folder, pattern] = [dirname(path), basename(path)];
  if (/[*?[{]/.test(folder)) return { problem: 'expected a pattern in the last part of the path only' };
  if (!/[*?[{]/.test(pattern)) return { problem: 'there is no such file or folder' };
  if (!isGlob(pattern)) return { problem: 'the brackets of the pattern are not balanced' };
  return filesIn(folder, pattern);
}

async function filesIn(folder: string, pattern: string): Promise<FoundFiles> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return { problem: 'there is no such folder, or it cannot be read' };
  const matches = matchesAny([pattern]);
  const found = names.filter((name) => !name.startsWith('.') && matches(name)).sort();
  if (found.length > MOST_FILES)
    return { problem: `expected at most ${MOST_FILES} files, found ${found.length}` };
  return { paths: found.map((name) => join(folder, name)) };
}

/** Whether a file is one that an entry of `accounts_from` stands for, there or not. */
export function standsFor(given: string, directory: string, file: string): boolean {
  const path = isAbsolute(given) ? given : join(directory, given);
  if (file === path || dirname(file) === path) return true;
  return (
    dirname(file) === dirname(path) && isGlob(basename(path)) && matchesAny([basename(path)])(basename(file))
  );
}

/** A file of accounts as it was read last. */
export interface AccountFile {
  readonly path: string;
  readonly digest: string;
  readonly checked: CheckedAccounts;
}

/** Reads a file of accounts, and checks it unless it holds what it held before. */
export async function readAccountFile(
  path: string,
  env: Environment,
  before: AccountFile | undefined,
): Promise<AccountFile> {
  const read = await readConfigFile(path);
  const digest = digestOf(read);
  if (before?.digest === digest) return before;
  const from = await written(path, read, env);
  if (from.value === undefined)
    return { path, digest, checked: { accounts: [], mistakes: from.issues, warnings: [], files: [] } };
  const outline = ACCOUNTS_OUTLINE.safeParse(from.value, { reportInput: true });
  const found = outline.success ? [] : findings(outline.error, accountsJsonSchema()).map(from.place);
  const checked = await madeInSlices(checkAccounts(from, env));
  const mistakes = [...from.issues, ...besides(from.issues, found), ...checked.mistakes];
  return { path, digest, checked: { ...checked, mistakes } };
}

/** The part of the schema that a file of accounts has. */
function accountsJsonSchema() {
  const { accounts = {} } = configJsonSchema().properties ?? {};
  return { properties: { accounts } };
}
