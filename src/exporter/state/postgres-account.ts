import { type Database, damageNote, load, type NameRange, OutcomeUnknown } from './database.ts';
import { DurableState } from './durable.ts';
import { AnswerLost, type PostgresConnections } from './postgres-connections.ts';
import type { Change, StoredRecord } from './records.ts';
import type { OwnedAccount, State } from './state.ts';

type Queried = Pick<PostgresConnections, 'query' | 'shown'>;

/** Error because another replica owns the account: writes of this one have no effect. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** Number of the last write of this process. The database refuses a write that arrives after one with a higher number. */
let written = 0;

/**
 * Opens the memory of an account for its owner. Every commit is one transaction, which requires the owner's fencing token.
 * @throws Fenced, and the connections' errors
 */
export async function openAccountState(connections: Queried, owned: OwnedAccount): Promise<State> {
  const { account } = owned;
  const select = async (condition: string, values: readonly (string | number | readonly string[])[]) => {
    const records = `SELECT name, value FROM exporter_state.records WHERE account = $1 AND ${condition}`;
    const rows = await connections.query(records, [account, ...values]);
    return rows.map(({ name, value }): StoredRecord => ({ name: String(name), bytes: value }));
  };
  const database: Database = {
    range: ({ from, until, limit }: NameRange) =>
      select('name >= $2 AND name < $3 ORDER BY name LIMIT $4', [from, until, limit]),
    read: (names) => select('name = ANY ($2)', [names]),
    write: (changes) => write(connections, owned, changes),
    close: async () => undefined,
  };
  // Invalidates unfinished writes of an earlier opening.
  await database.write([]);
  const loaded = await load(database);
  const location = connections.shown;
  return new DurableState(location, { loaded, note: damageNote(loaded, `${account} in ${location}`) });
}

async function write(
  connections: Queried,
  { account, token }: OwnedAccount,
  changes: readonly Change[],
): Promise<void> {
  written += 1;
  const gone = changes.flatMap(([name, bytes]) => (bytes === undefined ? [name] : []));
  const put = changes.flatMap(([name, bytes]) => (bytes === undefined ? [] : [{ name, bytes }]));
  const parameters = [
    account,
    token,
    written,
    gone,
    put.map(({ name }) => name),
    put.map(({ bytes }) => Buffer.from(bytes)),
  ];
  const [row] = await connections
    .query('SELECT exporter_state.write_records($1, $2, $3, $4, $5, $6) AS done', parameters)
    .catch((error: unknown) => {
      throw error instanceof AnswerLost ? new OutcomeUnknown(error.message, { cause: error }) : error;
    });
  if (row?.['done'] !== true) throw new Fenced(`another replica owns ${account}`);
}
