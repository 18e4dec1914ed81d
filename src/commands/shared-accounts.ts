import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '../exporter/clock.ts';
import { Member } from '../exporter/cluster/member.ts';
import { Registry } from '../exporter/cluster/registry.ts';
import { isOfShard } from '../exporter/cluster/shard.ts';
import type { Invocation } from '../exporter/command-line/command.ts';
import {
  type ConfigSource,
  examineConfig,
  type LoadedConfig,
  type ReadConfig,
  type ReadFiles,
} from '../exporter/configuration/config.ts';
import { Secret } from '../exporter/secret.ts';
import { openAccountState } from '../exporter/state/postgres-account.ts';
import { BadStateUrl, postgresAddress } from '../exporter/state/postgres-address.ts';
import { PostgresConnections } from '../exporter/state/postgres-connections.ts';
import { NewerSchema } from '../exporter/state/postgres-schema.ts';
import { memoryState, type State } from '../exporter/state/state.ts';

type Serve = Invocation<'serve'>;

/** Connections for commits, loading and the picture of all; the lease has one of its own, for which it waits for nobody. */
const CONNECTIONS = 4;

/** What several replicas on one database need of each. */
export interface SharedAccounts {
  readonly member: Member;
  /** Stands for the states of all accounts, each of which has its own. */
  readonly state: State;
  readonly close: () => Promise<void>;
}

/**
 * Joins the replicas that share a database, where there is one. A database that is away is no failure: it is tried again.
 * @throws BadStateUrl, NewerSchema
 */
export async function shareAccounts(
  flags: Serve['flags'],
  env: Serve['env'],
  { log, guard }: Serve['logging'],
): Promise<SharedAccounts | undefined> {
  const url = flags['state.url'];
  if (url === undefined) return undefined;
  if (flags.shard !== undefined)
    throw new BadStateUrl(['--state.url and --shard: replicas on a database divide the accounts themselves']);
  const address = postgresAddress({ url, passwordFile: flags['state.password-file'], env });
  if (address.secret !== undefined) guard(new Secret(address.secret));
  const forLease = new PostgresConnections(address, 1);
  const forStates = new PostgresConnections(address, CONNECTIONS);
  const registry = new Registry(forLease, forStates);
  try {
    await registry.migrate();
    log.info({ database: address.shown }, 'accounts are shared with other replicas');
  } catch (error) {
    if (error instanceof NewerSchema) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ database: address.shown, reason }, 'the database cannot be used yet: nothing is polled');
  }
  const member = new Member({
    clock: systemClock,
    registry,
    openState: (owned) => openAccountState(forStates, owned),
    name: flags['state.replica'] ?? hostname(),
    newSession: randomUUID,
    log,
  });
  return {
    member,
    state: { ...memoryState(), kind: 'durable', directory: address.shown },
    close: async () => void (await Promise.all([forLease.close(), forStates.close()])),
  };
}

/** Reads the configuration as this process is to use it: its shard of the accounts, and nothing that replicas cannot share. */
export function readShare(
  source: ConfigSource,
  flags: Serve['flags'],
): (before: ReadFiles | undefined) => Promise<ReadConfig> {
  return async (before) => {
    const { loaded, read } = await examineConfig(source, before);
    return { loaded: loaded.ok ? shareOf(loaded, flags) : loaded, read };
  };
}

function shareOf(loaded: LoadedConfig & { readonly ok: true }, flags: Serve['flags']): LoadedConfig {
  const { shard, 'state.url': url } = flags;
  if (url !== undefined && loaded.config.push.length > 0) {
    const message = 'replicas on a database (--state.url) do not push yet: have Prometheus scrape them';
    const issues = [{ source: loaded.source, path: 'push', message }];
    return { ok: false, nothingConfigured: false, issues };
  }
  if (shard === undefined) return loaded;
  const accounts = loaded.config.accounts.filter(({ name }) => isOfShard(name, shard));
  return { ...loaded, config: { ...loaded.config, accounts } };
}
