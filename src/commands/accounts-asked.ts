import { isOfShard, type Shard } from '../exporter/cluster/shard.ts';
import { loadConfig } from '../exporter/configuration/config.ts';
import type { Environment } from '../exporter/configuration/environment.ts';
import { formatIssue } from '../exporter/configuration/issue.ts';
import type { Receiver } from '../exporter/configuration/push-settings.ts';
import type { AccountConfig, Config } from '../exporter/configuration/schema.ts';
import { didYouMean } from '../exporter/text/suggestion.ts';

export interface AccountsAsked {
  readonly accounts: readonly AccountConfig[];
  readonly receivers: readonly Receiver[];
  readonly limits: Config['limits'];
  readonly source: string;
}

export interface AskingFor {
  readonly flags: ShardFlags & {
    readonly 'config.file': string | undefined;
    readonly account: string | undefined;
  };
  readonly env: Environment;
  readonly complain: (text: string) => void;
  readonly warn: (text: string) => void;
}

export interface ShardFlags {
  readonly shard?: Shard | undefined;
  readonly 'shard.configurations'?: Shard | undefined;
}

/** Returns the accounts, or the configurations of each, that this process polls as one of several shards. */
export function inShard(accounts: readonly AccountConfig[], flags: ShardFlags): AccountConfig[] {
  const { shard, 'shard.configurations': part } = flags;
  const own = accounts.filter(({ name }) => shard === undefined || isOfShard(name, shard));
  return part === undefined ? own : own.map((account) => ({ ...account, shard: part }));
}

/** Placeholder for a missing token in commands that send no request. */
const NO_TOKEN: Environment = { EDGE_TOKEN: 'none' };

/**
 * Returns the selected accounts; undefined with a message on stderr if there is none.
 * @param isAsked true if the accounts need a token
 */
export async function accountsAsked(
  { flags, env, complain, warn }: AskingFor,
  isAsked = true,
): Promise<AccountsAsked | undefined> {
  const { 'config.file': file, account: name } = flags;
  const isMissing = !isAsked && !hasToken(env) && (file !== undefined || env['EDGE_API_URL'] !== undefined);
  const access = isMissing ? { ...env, ...NO_TOKEN } : env;
  const loaded = await loadConfig(file === undefined ? { env: access } : { file, env: access });
  if (!loaded.ok) {
    for (const issue of loaded.issues) complain(formatIssue(issue));
    return undefined;
  }
  for (const issue of loaded.warnings) warn(formatIssue(issue));
  const { source } = loaded;
  const { push: receivers, limits } = loaded.config;
  const accounts = inShard(loaded.config.accounts, flags);
  const asked = accounts.filter((account) => name === undefined || account.name === name);
  if (asked.length > 0) return { accounts: asked, receivers, limits, source };
  if (name === undefined) {
    complain(`${source}: no account falls to this shard`);
    return undefined;
  }
  const names = accounts.map((account) => account.name);
  complain(`${source}: there is no account "${name}"${didYouMean(name, names)}`);
  return undefined;
}

function hasToken(env: Environment): boolean {
  return ['EDGE_TOKEN', 'EDGE_TOKEN_FILE', 'EDGE_USERNAME'].some((name) => (env[name] ?? '') !== '');
}
