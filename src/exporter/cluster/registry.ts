import { z } from 'zod';
import type { PostgresConnections } from '../state/postgres-connections.ts';
import { migrate } from '../state/postgres-schema.ts';
import { type BeatAnswer, type BeatRequest, type Demand, LEASE_MS } from './lease.ts';

const answerShape = z
  .object({
    mine: z.array(z.tuple([z.string(), z.string(), z.number()])),
    free: z.array(z.tuple([z.string(), z.number()])),
    replicas: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        digest: z.string(),
        ageMs: z.number(),
        renewedMs: z.number(),
        accounts: z.number(),
        load: z.number(),
      }),
    ),
  })
  .nullable();

/** Maximum numbers of accounts and moves in a status. */
const MOST_SHOWN = 1_000;
const MOVES_SHOWN = 50;

/** Tables of the database through which replicas share accounts. */
export class Registry {
  readonly #connections: PostgresConnections;
  readonly #forPictures: Pick<PostgresConnections, 'query'>;
  #isMigrated = false;

  /** @param forPictures connections for reads of the status, separate so that no renewal waits for them */
  constructor(
    connections: PostgresConnections,
    forPictures: Pick<PostgresConnections, 'query'> = connections,
  ) {
    this.#connections = connections;
    this.#forPictures = forPictures;
  }

  /** Creates or migrates the tables, once. @throws NewerSchema, and the connections' errors */
  async migrate(): Promise<void> {
    if (this.#isMigrated) return;
    await migrate(this.#connections);
    this.#isMigrated = true;
  }

  /** Runs a renewal as one transaction. @throws the connections' errors, after which the transaction may still take effect */
  async beat(request: BeatRequest, replica: string, demands: readonly Demand[]): Promise<BeatAnswer> {
    await this.migrate();
    const { session, digest, joins, buries, wanted, released, acquired } = request;
    const [row] = await this.#connections.query(
      'SELECT exporter_state.beat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS answer',
      [
        session,
        replica,
        digest,
        joins,
        buries,
        LEASE_MS,
        wanted,
        demands.map(({ account }) => account),
        demands.map(({ demand }) => demand),
        released.map(({ account }) => account),
        released.map(({ token }) => token),
        released.map(({ reason }) => reason),
        acquired,
      ],
    );
    const answer = answerShape.parse(row?.['answer']);
    if (answer === null) return undefined;
    return {
      mine: answer.mine.map(([account, token, demand]) => ({ account, token, demand })),
      free: answer.free.map(([account, demand]) => ({ account, demand })),
      replicas: answer.replicas,
    };
  }

  /** Returns the session's accounts and ends the session. @throws the connections' errors */
  async leave(session: string): Promise<void> {
    await this.#connections.query('SELECT exporter_state.leave($1)', [session]);
  }

  /** Returns all accounts that the database has ever had. @throws the connections' errors */
  async names(): Promise<readonly string[]> {
    const rows = await this.#connections.query('SELECT name FROM exporter_state.accounts ORDER BY name');
    return rows.map(({ name }) => String(name));
  }

  /** Returns the owners of accounts and the last moves, newest first. @throws the connections' errors */
  async ownership() {
    const accounts = await this.#forPictures.query(
      `SELECT a.name, r.name AS owner, extract(epoch FROM a.since) * 1000 AS since, a.token
         FROM exporter_state.accounts a LEFT JOIN exporter_state.replicas r ON r.id = a.owner
         ORDER BY a.name LIMIT ${MOST_SHOWN}`,
    );
    const moves = await this.#forPictures.query(
      `SELECT extract(epoch FROM at) * 1000 AS at, account, former, owner, reason
         FROM exporter_state.moves ORDER BY id DESC LIMIT ${MOVES_SHOWN}`,
    );
    return {
      accounts: accounts.map(({ name, owner, since, token }) => ({
        account: String(name),
        /** Name of the owning replica, and the time (ms, database's clock) since which it owns the account; null without one. */
        owner: textOf(owner),
        since: owner === null ? null : Number(since),
        token: String(token),
      })),
      moves: moves.map(({ at, account, former, owner, reason }) => ({
        at: Number(at),
        account: String(account),
        from: textOf(former),
        to: String(owner),
        reason: String(reason),
      })),
    };
  }
}

function textOf(value: unknown): string | null {
  return value === null ? null : String(value);
}
