import type { ClientConfig, Pool, PoolClient, QueryResultRow } from 'pg';
import type { PostgresAddress } from './postgres-address.ts';

/** Time limits (ms) of opening a connection, and of a statement with its response. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 4_000;

/** Error because the database refused a statement, so that it had no effect. */
export class PostgresRefusal extends Error {
  override readonly name = 'PostgresRefusal';
}

/** Error for a lost response, so that the statement's effect is unknown. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** Classes of errors that end a connection: an operator's shutdown, or a broken connection. */
const BROKEN = /^(57P|08)/;

type Parameter = string | number | boolean | null | readonly string[] | readonly Buffer[] | readonly number[];

/**
 * Connections to a PostgreSQL server, each for one statement at a time. Closes a connection that fails or times out, and opens
 * another for the next statement.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #most: number;
  #pool: Promise<Pool> | undefined;
  #closed = false;
  /** Configuration of the next connection. */
  #config: ClientConfig = {};
  /** Time limit of a statement. PgBouncer refuses this parameter; behind it, the database role limits statements. */
  #limit: ClientConfig = { statement_timeout: ANSWER_MS };

  /** @param most maximum number of connections */
  constructor(address: PostgresAddress, most: number) {
    this.#address = address;
    this.#most = most;
  }

  /** Address without a password. */
  get shown(): string {
    return this.#address.shown;
  }

  /** Runs one statement as a transaction. @throws PostgresRefusal if it had no effect, AnswerLost if its effect is unknown */
  async query(text: string, values: readonly Parameter[] = []): Promise<readonly QueryResultRow[]> {
    const client = await this.#connected();
    try {
      const { rows } = await client.query(text, [...values]);
      client.release();
      return rows;
    } catch (error) {
      const { message, isAnswer } = databaseError(error);
      client.release(!isAnswer);
      throw new (isAnswer ? PostgresRefusal : AnswerLost)(message, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#pool)?.end();
  }

  async #connected(): Promise<PoolClient> {
    try {
      if (this.#closed) throw new Error('the connections are closed');
      this.#pool ??= this.#newPool();
      const pool = await this.#pool;
      // Reads the files for each new connection, so that renewed certificates take effect.
      if (pool.idleCount === 0) this.#config = this.#configOfNext();
      return await pool.connect();
    } catch (error) {
      if ('statement_timeout' in this.#limit && /unsupported startup parameter/.test(String(error))) {
        this.#limit = {};
        return this.#connected();
      }
      throw new PostgresRefusal(databaseError(error).message, { cause: error });
    }
  }

  async #newPool(): Promise<Pool> {
    const { default: pg } = await import('pg');
    const next = () => this.#config;
    class Client extends pg.Client {
      constructor() {
        super(next());
      }
    }
    const pool = new pg.Pool({ Client, max: this.#most, idleTimeoutMillis: 0 });
    // The pool discards a broken connection, and its statement fails. Nothing else is needed.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  #configOfNext(): ClientConfig {
    const { host, port, database, user, password, tls } = this.#address;
    return {
      host,
      port,
      database,
      user,
      ...(password !== undefined && { password }),
      ssl: tls(),
      application_name: 'edge-exporter',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      ...this.#limit,
    };
  }
}

/** Describes an error; `isAnswer` is true if the database refused the statement. */
function databaseError(error: unknown): { readonly message: string; readonly isAnswer: boolean } {
  if (!(error instanceof Error)) return { message: String(error), isAnswer: false };
  // If no address of a name answers, the message is empty.
  const message = error.message || (error instanceof AggregateError ? String(error.errors[0]) : error.name);
  const code = 'severity' in error && 'code' in error ? String(error.code) : '08000';
  return { message, isAnswer: !BROKEN.test(code) };
}
