import { type Database, everyRecord, type NameRange, OutcomeUnknown } from './database.ts';
import { DurableState, QUEUE_NAMES } from './durable.ts';
import { AnswerLost, type PostgresConnections } from './postgres-connections.ts';
import { type Change, endOfPrefix, isIntact, Records, type StoredRecord } from './records.ts';
import type { OwnedAccount, State } from './state.ts';

type Queried = Pick<PostgresConnections, 'query' | 'shown'>;

/** Another replica owns the account now: nothing that this one writes takes effect. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** Numbers the writes of this process: one that arrives late, after a later one, is refused. */
let written = 0;

/**
 * Opens what an account remembers, for its owner. Every commit is one transaction, conditional on the token.
 * @throws Fenced, and what the connections throw
 */
export async function openAccountState(connections: Queried, owned: OwnedAccount): Promise<State> {
  // Whatever an earlier opening has left under way is refused from now on.
  await write(connections, owned, []);
  const database: Database = {
    read: (range) => read(connections, owned, range),
    write: (changes) => write(connections, owned, changes),
    close: async () => undefined,
  };
  const records = new Records();
  // What waits to be pushed may be much more than all else: it is read when it is sent.
  const [queues, behind] = [QUEUE_NAMES, endOfPrefix(QUEUE_NAMES)];
  for (const range of [
    { from: '', until: queues },
    { from: behind, until: endOfPrefix('') },
  ])
    for await (const { name, bytes } of everyRecord(database, range)) {
      if (!isIntact(name, bytes)) throw new Error(`the state record ${name} of ${owned.account} is damaged`);
      records.apply([[name, bytes]]);
    }
  return new DurableState({ directory: connections.shown, note: undefined, database, records });
}

async function read(
  connections: Queried,
  { account }: OwnedAccount,
  { from, until, limit }: NameRange,
): Promise<readonly StoredRecord[]> {
  const rows = await connections.query(
    `SELECT name, value FROM exporter_state.records
       WHERE account = $1 AND name >= $2 AND name < $3 ORDER BY name LIMIT $4`,
    // No name has a blank, which comes before all that one may have; PostgreSQL knows no zero.
    [account, from.replace('\0', ' '), until, limit],
  );
  return rows.map(({ name, value }) => ({ name: String(name), bytes: value }));
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
    .query('SELECT exporter_state.write($1, $2, $3, $4, $5, $6) AS done', parameters)
    .catch((error: unknown) => {
      throw error instanceof AnswerLost ? new OutcomeUnknown(error.message, { cause: error }) : error;
    });
  if (row?.['done'] !== true) throw new Fenced(`another replica owns ${account}`);
}
