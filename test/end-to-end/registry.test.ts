import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Registry } from '../../src/exporter/cluster/registry.ts';
import type { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import { ModelDatabase } from '../exporter/cluster/model-database.ts';
import { startPostgres } from './postgres.ts';

const ACCOUNTS = ['a', 'b', 'c'];
const SESSIONS = ['s0', 's1', 's2'];

let connections: PostgresConnections;
let stop = async () => {};

beforeAll(async () => {
  const server = await startPostgres((ends) => {
    stop = ends;
  });
  connections = server.connections(1);
});

afterAll(() => stop());

const SOME = fc.subarray(ACCOUNTS);
const SESSION = fc.constantFrom(...SESSIONS);
const STATEMENT = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('beat' as const),
      session: SESSION,
      joins: fc.boolean(),
      buries: fc.boolean(),
      wanted: SOME,
      released: SOME,
      acquired: SOME,
      /** Age of the token that releases: 0 for the current one, 1 for the one before. */
      behind: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  fc.record({ kind: fc.constant('expire' as const), session: SESSION }),
  fc.record({ kind: fc.constant('leave' as const), session: SESSION }),
  fc.record({
    kind: fc.constant('write' as const),
    account: fc.constantFrom(...ACCOUNTS),
    number: fc.integer({ min: 1, max: 5 }),
    behind: fc.constantFrom(0, 0, 0, 1),
  }),
);

type Statement = typeof STATEMENT extends fc.Arbitrary<infer T> ? T : never;

const FIRST: Statement = {
  kind: 'beat',
  session: 's0',
  joins: true,
  buries: false,
  wanted: ACCOUNTS,
  released: [],
  acquired: [],
  behind: 0,
};

interface Side {
  readonly perform: (statement: Statement, token: (account: string) => number) => Promise<unknown>;
}

const model = (): Side & { readonly tokenOf: (account: string) => number } => {
  const database = new ModelDatabase();
  const tokenOf = (account: string) => database.accounts.get(account)?.token ?? 0;
  return {
    tokenOf,
    async perform(statement, token) {
      switch (statement.kind) {
        case 'beat':
          return shown(database.beat(requestOf(statement, token), statement.session, 0));
        case 'expire': {
          const session = database.sessions.get(statement.session);
          if (session !== undefined) session.expiresAt = -1;
          return undefined;
        }
        case 'leave':
          return database.leave(statement.session);
        case 'write': {
          const { account, number, behind } = statement;
          return database.write(account, token(account) - behind, number, undefined);
        }
      }
    },
  };
};

const inPostgres = (registry: Registry): Side => ({
  async perform(statement, token) {
    switch (statement.kind) {
      case 'beat': {
        const answer = await registry.beat(requestOf(statement, token), statement.session, []);
        // Only the schedule ends the lease, even on a slow machine.
        await connections.query(
          "UPDATE exporter_state.replicas SET expires_at = expires_at + interval '1 day' WHERE id = $1",
          [statement.session],
        );
        return shown(answer);
      }
      case 'expire':
        await connections.query(
          "UPDATE exporter_state.replicas SET expires_at = clock_timestamp() - interval '1 s' WHERE id = $1",
          [statement.session],
        );
        return undefined;
      case 'leave':
        return registry.leave(statement.session);
      case 'write': {
        const { account, number, behind } = statement;
        const [row] = await connections.query(
          "SELECT exporter_state.write_records($1, $2, $3, '{}', '{}', '{}') AS done",
          [account, `${token(account) - behind}`, number],
        );
        return row?.['done'];
      }
    }
  },
});

function requestOf(
  { session, joins, buries, wanted, released, acquired, behind }: Statement & { readonly kind: 'beat' },
  token: (account: string) => number,
) {
  const given = released.map((account) => ({
    account,
    token: `${token(account) - behind}`,
    reason: 'moved',
  }));
  return { session, digest: 'd', joins, buries, wanted, released: given, acquired };
}

function shown(answer: Awaited<ReturnType<Registry['beat']>>) {
  if (answer === undefined) return undefined;
  const replicas = answer.replicas.map(({ id, accounts, load }) => ({ id, accounts, load }));
  const byName = <T extends { readonly account: string }>(list: readonly T[]) =>
    list.toSorted((a, b) => (a.account < b.account ? -1 : 1));
  return {
    mine: byName(answer.mine),
    free: byName(answer.free),
    replicas: replicas.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

it('the database answers every sequence of statements as the model does by which the lease protocol is tried', async () => {
  const registry = new Registry(connections);
  await fc.assert(
    fc.asyncProperty(fc.array(STATEMENT, { minLength: 5, maxLength: 30 }), async (statements) => {
      await registry.migrate();
      await connections.query('TRUNCATE exporter_state.accounts, exporter_state.replicas CASCADE');
      const [one, other] = [model(), inPostgres(registry)];
      for (const statement of [FIRST, ...statements]) {
        const known = new Map(ACCOUNTS.map((account) => [account, one.tokenOf(account)]));
        const token = (account: string) => known.get(account) ?? 0;
        const expected = await one.perform(statement, token);
        expect(await other.perform(statement, token)).toEqual(expected);
      }
    }),
    { numRuns: 40 },
  );
});

it('the database tells who owns what since when, and what has moved, the newest first', async () => {
  const registry = new Registry(connections);
  await registry.migrate();
  await connections.query(
    'TRUNCATE exporter_state.accounts, exporter_state.replicas, exporter_state.moves CASCADE',
  );
  const request = { digest: 'd', joins: true, buries: false, wanted: [], released: [], acquired: [] };
  await registry.beat({ ...request, session: 's0', wanted: ['a', 'b'] }, 'replica-0', []);
  await registry.beat({ ...request, session: 's0', acquired: ['a'] }, 'replica-0', []);
  await registry.leave('s0');
  await registry.beat({ ...request, session: 's1', acquired: ['a'] }, 'replica-1', []);
  const at = expect.closeTo(Date.now(), -6);
  expect(await registry.ownership()).toEqual({
    accounts: [
      { account: 'a', owner: 'replica-1', since: at, token: '2' },
      { account: 'b', owner: null, since: null, token: '0' },
    ],
    moves: [
      { at, account: 'a', from: 'replica-0', to: 'replica-1', reason: 'replica stopped' },
      { at, account: 'a', from: null, to: 'replica-0', reason: 'first' },
    ],
  });
});
