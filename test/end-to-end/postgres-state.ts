import { openAccountState } from '../../src/exporter/state/postgres-account.ts';
import type { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import type { State } from '../../src/exporter/state/state.ts';

export type OpenedBy = Pick<PostgresConnections, 'query' | 'shown'>;

/** Opens the memory of an account as a new owner does. The former owner can then no longer write. */
export async function openedByToken(connections: OpenedBy, account: string): Promise<State> {
  const [row] = await connections.query(
    `INSERT INTO exporter_state.accounts (name, token) VALUES ($1, 1)
       ON CONFLICT (name) DO UPDATE SET token = exporter_state.accounts.token + 1, written = 0 RETURNING token`,
    [account],
  );
  return openAccountState(connections, { account, token: String(row?.['token']) });
}
