import {
  type BeatAnswer,
  type BeatRequest,
  type Demand,
  LEASE_MS,
} from '../../../src/exporter/cluster/lease.ts';

/** Error for a broken promise of the protocol. */
export class Violation extends Error {}

interface Session {
  readonly name: string;
  readonly joinedAt: number;
  digest: string;
  renewedAt: number;
  expiresAt: number;
}

interface Row {
  owner: string | undefined;
  token: number;
  written: number;
  demand: number;
  value: number;
  writer: number;
  acknowledged: number;
  /** Lease token of the last request to the platform. */
  requested: number;
}

/** Database with the semantics of the schema's SQL. It detects forbidden states. */
export class ModelDatabase {
  readonly sessions = new Map<string, Session>();
  readonly accounts = new Map<string, Row>();
  moves = 0;

  beat(request: BeatRequest, name: string, now: number): BeatAnswer {
    const { session, digest, joins, buries, wanted, released, acquired } = request;
    const known = this.sessions.get(session);
    if (known === undefined && !joins) return undefined;
    this.sessions.set(session, {
      name,
      digest,
      joinedAt: known?.joinedAt ?? now,
      renewedAt: now,
      expiresAt: now + LEASE_MS,
    });
    for (const account of wanted) {
      if (!this.accounts.has(account)) this.accounts.set(account, emptyRow());
    }
    if (buries) this.#bury(now);
    for (const { account, token } of released) {
      const row = this.row(account);
      if (row.owner === session && row.token === Number(token)) row.owner = undefined;
    }
    for (const account of acquired) {
      const row = this.row(account);
      if (row.owner !== undefined) continue;
      Object.assign(row, { owner: session, token: row.token + 1, written: 0 });
      this.moves += 1;
    }
    return this.#answer(session, now);
  }

  /**
   * Writes a value under a lease token and write number.
   * @returns true if the write took effect
   */
  write(account: string, token: number, number: number, value: number | undefined): boolean {
    const row = this.row(account);
    if (row.token !== token || row.written >= number) return false;
    row.written = number;
    if (value === undefined) return true;
    if (value <= row.acknowledged)
      throw new Violation(`lost update of ${account}: ${value} over ${row.acknowledged}`);
    Object.assign(row, { value, writer: token });
    return true;
  }

  leave(session: string): void {
    this.sessions.delete(session);
    this.#free(session);
  }

  row(account: string): Row {
    const row = this.accounts.get(account);
    if (row === undefined) throw new Violation(`no account ${account}`);
    return row;
  }

  #bury(now: number): void {
    for (const [id, { expiresAt }] of this.sessions) {
      if (expiresAt < now) this.leave(id);
    }
  }

  #free(session: string): void {
    for (const row of this.accounts.values()) {
      if (row.owner === session) row.owner = undefined;
    }
  }

  #answer(session: string, now: number): NonNullable<BeatAnswer> {
    const owned = new Map<string | undefined, [string, Row][]>();
    for (const one of this.accounts) {
      const [, { owner }] = one;
      const others = owned.get(owner);
      if (others === undefined) owned.set(owner, [one]);
      else others.push(one);
    }
    const of = (owner: string | undefined) => owned.get(owner) ?? [];
    const demandOf = ([account, { demand }]: readonly [string, Row]): Demand => ({ account, demand });
    return {
      mine: of(session).map((one) => ({ ...demandOf(one), token: `${one[1].token}` })),
      free: of(undefined).map(demandOf),
      replicas: [...this.sessions].map(([id, { name, digest, joinedAt, renewedAt }]) => ({
        id,
        name,
        digest,
        ageMs: now - joinedAt,
        renewedMs: now - renewedAt,
        accounts: of(id).length,
        load: of(id).reduce((sum, [, { demand }]) => sum + demand, 0),
      })),
    };
  }
}

function emptyRow(): Row {
  return {
    owner: undefined,
    token: 0,
    written: 0,
    demand: 1,
    value: 0,
    writer: 0,
    acknowledged: 0,
    requested: 0,
  };
}
