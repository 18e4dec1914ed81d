import type { PostgresConnections } from './postgres-connections.ts';

/** Version of the schema that this program reads and writes. */
const VERSION = 2;

/** Number of an advisory lock, the same in all replicas, so that only one of several starting replicas migrates. */
const MIGRATION_LOCK = 0x65_64_67_65;

/** Error because the database's schema is newer than this program. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';

  constructor(shown: string, version: number) {
    super(
      `the state in ${shown} has version ${version}, and this program knows versions up to ${VERSION}: run the newer program, or choose another database`,
    );
  }
}

/**
 * Statements from each version to the next; the first creates everything. The row of an account guards its records: a writer locks
 * it first, so that no write coincides with a change of owner.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE exporter_state.replicas (
    id text PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    renewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE exporter_state.accounts (
    name text COLLATE "C" PRIMARY KEY,
    owner text REFERENCES exporter_state.replicas (id) ON DELETE SET NULL,
    token bigint NOT NULL DEFAULT 0,
    written bigint NOT NULL DEFAULT 0,
    demand double precision NOT NULL DEFAULT 1,
    since timestamptz,
    last_owner text,
    freed text
  );
  CREATE INDEX accounts_of_owner ON exporter_state.accounts (owner);
  CREATE TABLE exporter_state.records (
    account text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (account, name)
  );
  CREATE TABLE exporter_state.moves (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    account text NOT NULL,
    former text,
    owner text NOT NULL,
    reason text NOT NULL
  );

  CREATE FUNCTION exporter_state.write(
    of_account text, with_token bigint, number bigint, gone text[], names text[], contents bytea[]
  ) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE exporter_state.accounts SET written = number
      WHERE name = of_account AND token = with_token AND written < number;
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM exporter_state.records r WHERE r.account = of_account AND r.name = ANY (gone);
    INSERT INTO exporter_state.records AS r (account, name, value)
      SELECT of_account, n, v FROM unnest(names, contents) AS t (n, v)
      ON CONFLICT (account, name) DO UPDATE SET value = excluded.value;
    RETURN true;
  END $$;

  CREATE FUNCTION exporter_state.beat(
    session text, replica text, accounts_digest text, joins boolean, buries boolean, ttl_ms double precision,
    wanted text[], demanding text[], demands double precision[],
    released text[], released_tokens bigint[], reasons text[], acquired text[]
  ) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    answer jsonb;
  BEGIN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK}, 1);
    UPDATE exporter_state.replicas SET digest = accounts_digest, renewed_at = clock_timestamp(),
        expires_at = clock_timestamp() + ttl_ms * interval '1 ms'
      WHERE id = session;
    IF NOT FOUND THEN
      IF NOT joins THEN RETURN NULL; END IF;
      INSERT INTO exporter_state.replicas (id, name, digest, expires_at)
        VALUES (session, replica, accounts_digest, clock_timestamp() + ttl_ms * interval '1 ms');
    END IF;
    INSERT INTO exporter_state.accounts (name) SELECT unnest(wanted) ON CONFLICT DO NOTHING;
    IF buries THEN
      DELETE FROM exporter_state.replicas WHERE expires_at < clock_timestamp();
    END IF;
    UPDATE exporter_state.accounts a SET owner = NULL, freed = t.reason
      FROM unnest(released, released_tokens, reasons) AS t (name, token, reason)
      WHERE a.name = t.name AND a.token = t.token AND a.owner = session;
    WITH taken AS (
      UPDATE exporter_state.accounts a SET owner = session, token = a.token + 1, written = 0,
          since = clock_timestamp(), last_owner = replica, freed = NULL
        FROM exporter_state.accounts former
        WHERE a.name = ANY (acquired) AND a.owner IS NULL AND former.name = a.name
        RETURNING a.name, former.last_owner, former.freed
    )
    INSERT INTO exporter_state.moves (account, former, owner, reason)
      SELECT name, last_owner, replica,
        CASE WHEN last_owner IS NULL THEN 'first' ELSE coalesce(freed, 'lease expired') END FROM taken;
    UPDATE exporter_state.accounts a SET demand = t.demand
      FROM unnest(demanding, demands) AS t (name, demand)
      WHERE a.name = t.name AND a.owner = session AND a.demand <> t.demand;
    DELETE FROM exporter_state.moves WHERE id <= (SELECT max(id) - 1000 FROM exporter_state.moves);
    SELECT jsonb_build_object(
      'mine', (SELECT coalesce(jsonb_agg(jsonb_build_array(name, token::text, demand) ORDER BY name), '[]')
        FROM exporter_state.accounts WHERE owner = session),
      'free', (SELECT coalesce(jsonb_agg(jsonb_build_array(name, demand) ORDER BY name), '[]')
        FROM exporter_state.accounts WHERE owner IS NULL),
      'replicas', (SELECT jsonb_agg(jsonb_build_object(
          'id', r.id, 'name', r.name, 'digest', r.digest,
          'ageMs', extract(epoch FROM clock_timestamp() - r.started_at) * 1000,
          'renewedMs', extract(epoch FROM clock_timestamp() - r.renewed_at) * 1000,
          'accounts', (SELECT count(*) FROM exporter_state.accounts WHERE owner = r.id),
          'load', (SELECT coalesce(sum(demand), 0) FROM exporter_state.accounts WHERE owner = r.id)
        ) ORDER BY r.id) FROM exporter_state.replicas r)
    ) INTO answer;
    RETURN answer;
  END $$;

  CREATE FUNCTION exporter_state.leave(session text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK}, 1);
    UPDATE exporter_state.accounts SET owner = NULL, freed = 'replica stopped' WHERE owner = session;
    DELETE FROM exporter_state.replicas WHERE id = session;
  END $$;
  `,
  // Older versions wrote records with a checksum of four bytes. Their writes are refused.
  `
  ALTER FUNCTION exporter_state.write RENAME TO write_records;
  UPDATE exporter_state.records SET value = substring(value FROM 5);
  `,
];

/** Creates or migrates the schema `exporter_state` to this version. @throws NewerSchema, and the connections' errors */
export async function migrate(connections: PostgresConnections): Promise<void> {
  const version = await versionOf(connections);
  if (version > VERSION) throw new NewerSchema(connections.shown, version);
  if (version === VERSION) return;
  // One statement is one transaction. A second caller finds nothing to do.
  const steps = MIGRATIONS.map(
    (text, before) =>
      `IF (SELECT version FROM exporter_state.schema_version) = ${before} THEN
         EXECUTE $migration$${text}$migration$;
         UPDATE exporter_state.schema_version SET version = ${before + 1};
       END IF;`,
  );
  await connections.query(
    `DO $do$ BEGIN
       PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK}, 0);
       IF to_regnamespace('exporter_state') IS NULL THEN CREATE SCHEMA exporter_state; END IF;
       CREATE TABLE IF NOT EXISTS exporter_state.schema_version (version integer NOT NULL);
       INSERT INTO exporter_state.schema_version
         SELECT 0 WHERE NOT EXISTS (SELECT FROM exporter_state.schema_version);
       ${steps.join('\n')}
     END $do$`,
  );
}

async function versionOf(connections: PostgresConnections): Promise<number> {
  const [there] = await connections.query(
    "SELECT to_regclass('exporter_state.schema_version') IS NOT NULL AS there",
  );
  if (there?.['there'] !== true) return 0;
  const [found] = await connections.query('SELECT version FROM exporter_state.schema_version');
  return Number(found?.['version'] ?? 0);
}
