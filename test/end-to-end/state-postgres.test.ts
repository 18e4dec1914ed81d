import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../src/exporter/cluster/registry.ts';
import type { PushedSample } from '../../src/exporter/push/protocol.ts';
import { Fenced, openAccountState } from '../../src/exporter/state/postgres-account.ts';
import { postgresAddress } from '../../src/exporter/state/postgres-address.ts';
import { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import { migrate, NewerSchema } from '../../src/exporter/state/postgres-schema.ts';
import { QUEUE, StateWriteFailure } from '../../src/exporter/state/state.ts';
import { type Fate, ModelReceiver } from '../exporter/push/model-receiver.ts';
import { outboxBed, sample } from '../exporter/push/outbox-bed.ts';
import { describeState } from '../exporter/state/state-suite.ts';
import { CERTIFICATES, type PostgresServer, startPostgres } from './postgres.ts';

let server: PostgresServer;
let connections: PostgresConnections;
let stop = async () => {};

beforeAll(async () => {
  server = await startPostgres((ends) => {
    stop = ends;
  });
});

afterAll(() => stop());

beforeEach(async () => {
  connections = server.connections();
  await connections.query('DROP SCHEMA IF EXISTS exporter_state CASCADE');
  await migrate(connections);
});

async function handOver(token: number): Promise<{ account: string; token: string }> {
  await connections.query(
    `INSERT INTO exporter_state.accounts (name, token) VALUES ('acme', $1)
       ON CONFLICT (name) DO UPDATE SET token = excluded.token, written = 0`,
    [token],
  );
  return { account: 'acme', token: `${token}` };
}

describeState('in PostgreSQL', true, async () => openAccountState(connections, await handOver(1)));

describe('an outbox in PostgreSQL', () => {
  it('passes on to the next owner what its receiver lacks, and the former one removes nothing', async () => {
    const receiver = new ModelReceiver();
    let fate: Fate = 'taken';
    const send = (samples: readonly PushedSample[]) => receiver.take(samples, fate);
    const former = await openAccountState(connections, await handOver(1));
    // Simulated time passes while the database is away. Without a limit, refused entries do not become too
    // old.
    const before = outboxBed({ send, state: former, maxAge: Number.POSITIVE_INFINITY });
    const jobAt = (at: number) => before.commit(`job ${at % 3}`, [sample(`s${at % 3}`, at)]);
    for (let at = 1; at <= 10; at++) await jobAt(at);
    fate = 'stored, answer lost';
    for (let at = 11; at <= 20; at++) await jobAt(at);
    const next = await openAccountState(connections, await handOver(2));
    expect([...next.keys([QUEUE])]).toEqual([]);
    const [waits] = await next.range([QUEUE], { limit: 1 });
    await expect(former.commit([{ key: waits?.key ?? [], value: undefined }])).rejects.toThrow(
      StateWriteFailure,
    );
    await expect(before.commit('job 0', [sample('s0', 99)])).rejects.toThrow(StateWriteFailure);
    await before.stop();
    fate = 'taken';
    const after = outboxBed({ send, state: next, maxAge: Number.POSITIVE_INFINITY });
    await after.commit('job 0', [sample('s0', 21)]);
    await after.empty();
    await after.stop();
    expect(await next.range([QUEUE], { limit: 1 })).toEqual([]);
    const times = [...receiver.stored.values()].flatMap((samples) => samples.map(([at]) => at));
    expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
  });
});

describe("an account's state in PostgreSQL", () => {
  it('is what was committed when it is opened again, by whoever owns it then', async () => {
    const state = await openAccountState(connections, await handOver(1));
    await state.commit([
      { key: ['series', 'acme', 'x'], value: { total: 0.1, watermark: 1_760_000_000_000 } },
    ]);
    await state.close();
    const again = await openAccountState(connections, await handOver(2));
    expect(again.get(['series', 'acme', 'x'])).toEqual({ total: 0.1, watermark: 1_760_000_000_000 });
  });

  it('takes nothing from an owner that lost it, and nothing of theirs is in it', async () => {
    const former = await openAccountState(connections, await handOver(1));
    const owner = await openAccountState(connections, await handOver(2));
    await owner.commit([{ key: ['n'], value: 'new' }]);
    const late = former.commit([
      { key: ['n'], value: 'old' },
      { key: ['m'], value: 'old' },
    ]);
    await expect(late).rejects.toThrow(StateWriteFailure);
    await expect(openAccountState(connections, { account: 'acme', token: '1' })).rejects.toThrow(Fenced);
    const again = await openAccountState(connections, { account: 'acme', token: '2' });
    expect([again.get(['n']), again.get(['m'])]).toEqual(['new', undefined]);
  });

  it('takes a write that arrives after a later one for nothing', async () => {
    await openAccountState(connections, await handOver(1));
    const write = async (number: number, value: string) => {
      const [row] = await connections.query(
        'SELECT exporter_state.write_records($1, $2, $3, $4, $5, $6) AS done',
        ['acme', '1', number, [], ['n/'], [Buffer.from(value)]],
      );
      return row?.['done'];
    };
    expect(await write(1_000_002, 'later')).toBe(true);
    expect(await write(1_000_001, 'earlier')).toBe(false);
  });

  it('changes nothing in a database that takes no writes, as a standby, and says why', async () => {
    const owned = await handOver(1);
    await connections.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    const standby = server.connections(1);
    const joining = { session: 's', digest: 'd', joins: true, buries: false };
    const request = { ...joining, wanted: ['acme'], released: [], acquired: [] };
    try {
      await expect(openAccountState(standby, owned)).rejects.toThrow('read-only transaction');
      const renewal = new Registry(standby).beat(request, 'replica', []);
      await expect(renewal).rejects.toThrow('read-only transaction');
    } finally {
      await connections.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    }
  });

  it('has the database end a statement of which no answer is awaited any more', async () => {
    expect(await connections.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '4s' }]);
  });

  it('refuses commits while the database is away, and goes on when it is back', async () => {
    const state = await openAccountState(connections, await handOver(1));
    await state.commit([{ key: ['n'], value: 1 }]);
    await server.kill('SIGQUIT');
    await expect(state.commit([{ key: ['n'], value: 2 }])).rejects.toThrow(StateWriteFailure);
    expect(state.get(['n'])).toBe(1);
    await server.start();
    await state.commit([{ key: ['m'], value: 3 }]);
    const again = await openAccountState(connections, { account: 'acme', token: '1' });
    expect([again.get(['n']), again.get(['m'])]).toEqual([1, 3]);
  });
});

describe('a connection', () => {
  const root = join(CERTIFICATES, 'ca.pem');
  const isEncrypted = async (host: string, parameters: string) => {
    const url = `postgres://edge@${host}:${server.port}/postgres?${parameters}`;
    const one = new PostgresConnections(postgresAddress({ url, passwordFile: undefined, env: {} }), 1);
    try {
      const [row] = await one.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return row?.['ssl'];
    } finally {
      await one.close();
    }
  };

  it('is encrypted as sslmode asks for it', async () => {
    expect(await isEncrypted('localhost', 'sslmode=disable')).toBe(false);
    expect(await isEncrypted('localhost', 'sslmode=require')).toBe(true);
    expect(await isEncrypted('localhost', `sslmode=verify-full&sslrootcert=${root}`)).toBe(true);
  });

  it('is refused where the certificate does not prove what sslmode wants proven', async () => {
    await expect(isEncrypted('localhost', 'sslmode=verify-full')).rejects.toThrow(/certificate/);
    const foreign = join(CERTIFICATES, 'self-signed.crt');
    await expect(isEncrypted('localhost', `sslmode=verify-ca&sslrootcert=${foreign}`)).rejects.toThrow(
      /certificate/,
    );
  });
});

describe('the schema', () => {
  it('is created once by any number that start at the same time', async () => {
    await connections.query('DROP SCHEMA exporter_state CASCADE');
    await Promise.all(Array.from({ length: 8 }, () => migrate(server.connections(1))));
    const [found] = await connections.query(
      'SELECT count(*) AS rows, max(version) FROM exporter_state.schema_version',
    );
    expect(found).toEqual({ rows: '1', max: 2 });
  });

  it('of the version before is migrated: its records had checksums', async () => {
    const owned = await handOver(1);
    await (await openAccountState(connections, owned)).commit([{ key: ['n'], value: [1] }]);
    for (const statement of [
      'ALTER FUNCTION exporter_state.write_records RENAME TO write',
      "UPDATE exporter_state.records SET value = '\\x00000000'::bytea || value",
      'UPDATE exporter_state.schema_version SET version = 1',
    ])
      await connections.query(statement);
    await migrate(connections);
    const state = await openAccountState(connections, owned);
    expect([state.get(['n']), state.note]).toEqual([[1], undefined]);
  });

  it('of a newer program is left alone', async () => {
    await connections.query('UPDATE exporter_state.schema_version SET version = 9');
    await expect(migrate(connections)).rejects.toThrow(NewerSchema);
  });
});
