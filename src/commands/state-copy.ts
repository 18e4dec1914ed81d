import { randomUUID } from 'node:crypto';
import { CopyRefused, copyToDatabase, copyToDirectory } from '../exporter/cluster/copy-state.ts';
import { Registry } from '../exporter/cluster/registry.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { openState } from '../exporter/state/open-state.ts';
import { openAccountState } from '../exporter/state/postgres-account.ts';
import { BadStateUrl, postgresAddress } from '../exporter/state/postgres-address.ts';
import { PostgresConnections } from '../exporter/state/postgres-connections.ts';

/** Copies the state from a directory to a database, or back, while no exporter uses either. */
export async function stateCopy({
  flags,
  env,
  stdout,
  complain,
  logging: { log },
}: Invocation<'state-copy'>): Promise<ExitCode> {
  const { 'state.dir': directory, 'state.url': url, 'copy.to': to } = flags;
  const missing = Object.entries({ 'state.dir': directory, 'state.url': url, 'copy.to': to });
  for (const [name, value] of missing) if (value === undefined) complain(`--${name} is missing`);
  if (directory === undefined || url === undefined || to === undefined) return EXIT.misused;
  const stops: (() => Promise<void>)[] = [];
  try {
    const address = postgresAddress({ url, passwordFile: flags['state.password-file'], env });
    // One for the records, and one for the lease.
    const connections = new PostgresConnections(address, 2);
    stops.unshift(() => connections.close());
    const registry = new Registry(connections);
    await registry.migrate();
    const state = await openState(directory, log, { required: true });
    stops.unshift(() => state.close());
    const database = {
      registry,
      session: randomUUID(),
      open: (owned: { account: string; token: string }) => openAccountState(connections, owned),
      accounts: () => registry.names(),
    };
    const copied = await (to === 'database'
      ? copyToDatabase(state, database)
      : copyToDirectory(database, state));
    stdout.write(`copied ${copied.records} records of ${copied.accounts} accounts\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    for (const issue of error instanceof BadStateUrl ? error.issues : [error.message]) complain(issue);
    return error instanceof BadStateUrl || error instanceof CopyRefused ? EXIT.misused : EXIT.failed;
  } finally {
    for (const stop of stops) await stop();
  }
}
