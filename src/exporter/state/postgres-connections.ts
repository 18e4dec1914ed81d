import type { Client, QueryResultRow } from 'pg';
import { inTime } from './durable.ts';
import { type PostgresAddress, tlsAttempts } from './postgres-address.ts';

/** How long (ms) a connection, or a statement with its answer, may take. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 4_000;

/** What the database refused: nothing of the statement took effect. */
export class PostgresRefusal extends Error {
  override readonly name = 'PostgresRefusal';
}

/** The answer was lost: whether the statement took effect is not known. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** Classes of errors with which a connection ends: shut down by an operator, or broken. */
const BROKEN = /^(57P|08)/;

type Parameter = string | number | boolean | null | readonly string[] | readonly Buffer[] | readonly number[];

/**
 * Connections to a PostgreSQL, each for one statement at a time. One that fails or does not answer in time is closed, and
 * the next statement gets another. The pool of `pg` makes all of its connections alike: it would read certificates once,
 * and not try again without TLS where `sslmode` allows that.
 */
export class PostgresConnections {
  readonly #address: PostgresAddress;
  readonly #most: number;
  readonly #free: Client[] = [];
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #closed = false;

  /** @param most connections at once */
  constructor(address: PostgresAddress, most: number) {
    this.#address = address;
    this.#most = most;
  }

  /** Where it is, without a password. */
  get shown(): string {
    return this.#address.shown;
  }

  /**
   * Runs one statement, which is a transaction of its own.
   * @throws PostgresRefusal where nothing took effect, and AnswerLost where that is not known
   */
  async query(text: string, values: readonly Parameter[] = []): Promise<readonly QueryResultRow[]> {
    await this.#turn();
    let client: Client | undefined;
    try {
      client = this.#free.pop() ?? (await this.#connect());
      const { rows } = await inTime(client.query(text, [...values]), ANSWER_MS, noAnswer);
      this.#free.push(client);
      client = undefined;
      return rows;
    } catch (error) {
      throw await this.#meaning(error, client);
    } finally {
      this.#open -= 1;
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#free.splice(0).map((client) => client.end().catch(() => undefined)));
  }

  async #turn(): Promise<void> {
    if (this.#open >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#open += 1;
  }

  /** An error with a code of PostgreSQL's came as its answer, and the connection may go on unless it is fatal. */
  async #meaning(error: unknown, client: Client | undefined): Promise<Error> {
    if (error instanceof PostgresRefusal) return error;
    const { message, isAnswer } = databaseError(error);
    if (client !== undefined) {
      if (isAnswer && !this.#closed) this.#free.push(client);
      else discard(client);
    }
    if (isAnswer || client === undefined) return new PostgresRefusal(message, { cause: error });
    return new AnswerLost(message, { cause: error });
  }

  async #connect(): Promise<Client> {
    if (this.#closed) throw new PostgresRefusal('the connections are closed');
    const { host, port, database, user, password } = this.#address;
    const { default: pg } = await import('pg');
    let failure: unknown;
    for (const ssl of await tlsAttempts(this.#address)) {
      // PgBouncer refuses the parameter; where it stands between, the role of the database limits statements.
      for (const limit of [{ statement_timeout: ANSWER_MS }, {}]) {
        const client = new pg.Client({
          host,
          port,
          database,
          user,
          ...(password !== undefined && { password }),
          ssl,
          application_name: 'edge-exporter',
          connectionTimeoutMillis: CONNECT_MS,
          keepAlive: true,
          ...limit,
        });
        // A connection that breaks while it is idle is noticed by the next statement.
        client.on('error', () => this.#drop(client));
        try {
          await client.connect();
          return client;
        } catch (error) {
          discard(client);
          failure = error;
          if (!/unsupported startup parameter/.test(String(error))) break;
        }
      }
    }
    throw failure;
  }

  #drop(client: Client): void {
    const at = this.#free.indexOf(client);
    if (at >= 0) this.#free.splice(at, 1);
  }
}

/** Closes the socket at once: nothing that still arrives on it is of use. */
function discard(client: Client): void {
  client.on('error', () => undefined);
  void client.end().catch(() => undefined);
  client.connection.stream.destroy();
}

function noAnswer(): Error {
  return new Error(`no answer within ${ANSWER_MS / 1_000} s`);
}

/** What went wrong, and whether the database itself says that it refused the statement. */
function databaseError(error: unknown): { readonly message: string; readonly isAnswer: boolean } {
  if (!(error instanceof Error)) return { message: String(error), isAnswer: false };
  // Where a name has several addresses, and none answers, the message is empty.
  const message = error.message || (error instanceof AggregateError ? String(error.errors[0]) : error.name);
  const code = 'severity' in error && 'code' in error ? String(error.code) : '08000';
  return { message, isAnswer: !BROKEN.test(code) };
}
