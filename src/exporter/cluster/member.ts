import { createHash } from 'node:crypto';
import { type Clock, Timer, wallAt } from '../clock.ts';
import type { OwnedAccount, State } from '../state/state.ts';
import {
  beginning,
  type Demand,
  LEASE_MS,
  type LeaseAction,
  type LeaseEvent,
  type LeaseView,
  mayAct,
  nextAt,
  type Replica,
  step,
} from './lease.ts';
import type { Registry } from './registry.ts';

/** Runs the accounts that this replica owns. */
export interface AccountsOfReplica {
  own(account: string, ownership: { readonly state: State; readonly mayAct: () => boolean }): void;
  /** Stops an account. Removes its samples at once; resolves when nothing of it runs. */
  disown(account: string, signal: AbortSignal): Promise<void>;
  /** Returns the known demands of accounts. */
  demands(): readonly Demand[];
}

interface MemberOptions {
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'beat' | 'leave' | 'ownership'>;
  readonly openState: (owned: OwnedAccount) => Promise<State>;
  readonly name: string;
  readonly newSession: () => string;
  readonly log: {
    info(facts: object, message: string): void;
    warn(facts: object, message: string): void;
  };
}

interface ClusterPicture extends Awaited<ReturnType<Registry['ownership']>> {
  /** Local time (ms) at which the picture was read. */
  readonly at: number;
}

/** Time (ms) in which a moving account can finish its polls. */
const ORDERLY_MS = 2_000;

/** Time (ms) within which an aborted request may still reach the platform. */
const IN_FLIGHT_MS = 500;

/** Interval (ms) at which the owners of all accounts are read again for the status. */
const PICTURE_MS = 10_000;

/** Relative change of a demand from which on the member writes it for other replicas. */
const DEMAND_CHANGE = 0.2;

/** Step (ms) of a clock above which the machine may have slept. */
const SLEPT_MS = 500;

/** Replica that shares accounts with others. Only this class acts on the results of `step`. */
export class Member {
  readonly name: string;
  readonly #options: MemberOptions;
  readonly #timer: Timer;
  readonly #states = new Map<string, State>();
  /** Latest opening of each account: an account may be opened twice with one token. */
  readonly #openings = new Map<string, object>();
  /** Reasons why accounts could not be loaded. Such an account is not polled until it is loaded or moves. */
  readonly #unloaded = new Map<string, string>();
  #accounts: AccountsOfReplica | undefined;
  #view: LeaseView;
  replicas: readonly Replica[] = [];
  /** Local ms. */
  replicasAt = 0;
  /** Local time (ms) of the database's last response, or of the start. */
  #answeredAt: number;
  /** Demands that the database has, by account. */
  #known: ReadonlyMap<string, number> = new Map();
  picture: ClusterPicture | undefined;
  #isTakingPicture = false;
  #trouble: string | undefined;
  #closed: (() => void) | undefined;
  /** Lead (ms) of the machine's clock over monotonic time, and the time (ms) that the machine has slept. */
  #ahead: number;
  #sleptMs = 0;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#ahead = options.clock.wall() - options.clock.now();
    this.#answeredAt = options.clock.now();
    this.name = options.name;
    this.#view = beginning(options.newSession());
    this.#timer = new Timer(options.clock, () => this.#dispatch({ kind: 'time' }));
  }

  /** Sets the configured accounts. @param accounts runs the accounts that this replica owns */
  share(names: readonly string[], accounts: AccountsOfReplica): void {
    this.#accounts = accounts;
    const digest = createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex');
    this.#dispatch({ kind: 'wanted', accounts: new Set(names), digest });
    this.#dispatch({ kind: 'time' });
  }

  /** Checks the lease before anything is exposed: after a pause of the process, accounts may belong to another replica. */
  enforce(): void {
    this.#dispatch({ kind: 'time' });
  }

  /** Reason why this replica does not serve all its accounts; undefined if it does. */
  get trouble(): string | undefined {
    if (this.leaseLeftMs === 0)
      return `this replica holds no lease: ${this.#trouble ?? 'the database has not answered yet'}`;
    const [first, ...others] = [...this.#unloaded].filter(([account]) => this.#view.holds.has(account));
    if (first === undefined) return undefined;
    const [account, reason] = first;
    const which = others.length === 0 ? account : `${account} and others (${others.length + 1} in all)`;
    return `${which} cannot be polled, since what is remembered cannot be loaded: ${reason}`;
  }

  /** Local time (ms) since which the database has not responded; undefined while it responds. */
  get silentSince(): number | undefined {
    return this.#trouble === undefined ? undefined : this.#answeredAt;
  }

  /** Returns the accounts that this replica owns and may poll now. */
  owned(): string[] {
    const now = this.#now();
    return [...this.#view.holds].flatMap(([account, { token }]) =>
      mayAct(this.#view, account, token, now) ? [account] : [],
    );
  }

  /** Time (ms) until the lease ends, in local time; 0 without a lease. */
  get leaseLeftMs(): number {
    return Math.max(0, this.#view.until - this.#now());
  }

  /** Returns all accounts to the database, so that other replicas take them at once. */
  async leave(): Promise<void> {
    const isClosed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#dispatch({ kind: 'leave' });
    this.#checkClosed();
    await isClosed;
    this.#timer.set(Number.POSITIVE_INFINITY);
    if (!this.#view.isJoined) return;
    await this.#options.registry.leave(this.#view.session).catch((error: unknown) => {
      this.#options.log.warn(
        { reason: reasonOf(error) },
        'could not give back the accounts: others take them when the lease is over',
      );
    });
  }

  /** Returns local time (ms) that continues while the machine sleeps, when some clocks stop. */
  #now(): number {
    const now = this.#options.clock.now();
    const ahead = this.#options.clock.wall() - now;
    if (ahead > this.#ahead + SLEPT_MS) this.#sleptMs += ahead - this.#ahead;
    this.#ahead = ahead;
    return now + this.#sleptMs;
  }

  #dispatch(event: LeaseEvent): void {
    const [view, actions] = step(this.#view, event, this.#now());
    this.#view = view;
    for (const action of actions) this.#perform(action);
    this.#report(actions);
    if (this.#closed === undefined || this.#hasHolds()) this.#timer.set(nextAt(this.#view) - this.#sleptMs);
  }

  #perform(action: LeaseAction): void {
    if (action.kind === 'beat') void this.#beat(action);
    else if (action.kind === 'open') void this.#open(action);
    else void this.#close(action);
  }

  async #beat({ number, request }: LeaseAction & { readonly kind: 'beat' }): Promise<void> {
    const { registry, newSession } = this.#options;
    try {
      const answer = await registry.beat(request, this.name, this.#changedDemands());
      this.#answeredAt = this.#options.clock.now();
      if (answer !== undefined) {
        this.replicas = answer.replicas;
        this.replicasAt = this.#answeredAt;
        this.#known = new Map(answer.mine.map(({ account, demand }) => [account, demand]));
      }
      this.#tell(undefined);
      this.#dispatch({ kind: 'answered', number, answer, nextSession: newSession() });
      await this.#takePicture();
    } catch (error) {
      this.#tell(reasonOf(error));
      this.#dispatch({ kind: 'unanswered', number });
    }
  }

  async #open({ account, token }: LeaseAction & { readonly kind: 'open' }): Promise<void> {
    const opening = {};
    this.#openings.set(account, opening);
    const isNewest = () => this.#openings.get(account) === opening;
    const isOpen = () => isNewest() && mayAct(this.#view, account, token, this.#now());
    try {
      const state = await this.#options.openState({ account, token });
      // The account was closed meanwhile, and perhaps opened again.
      if (!isNewest()) return await state.close();
      this.#states.set(account, state);
      if (this.#unloaded.delete(account))
        this.#options.log.info({ account }, 'what is remembered is loaded: the account is polled here now');
      this.#accounts?.own(account, { state, mayAct: isOpen });
    } catch (error) {
      if (!isNewest()) return;
      this.#openings.delete(account);
      const reason = reasonOf(error);
      if (this.#unloaded.get(account) !== reason)
        this.#options.log.warn({ account, reason }, 'could not load what is remembered');
      this.#unloaded.set(account, reason);
      this.#dispatch({ kind: 'closed', account, token });
    }
  }

  async #close({ account, token, orderly }: LeaseAction & { readonly kind: 'close' }): Promise<void> {
    this.#openings.delete(account);
    const signal = orderly ? AbortSignal.timeout(ORDERLY_MS) : AbortSignal.abort();
    await this.#accounts?.disown(account, signal);
    const state = this.#states.get(account);
    this.#states.delete(account);
    await state?.close();
    // Waits for requests just sent, so that they arrive before those of the next owner.
    if (orderly) await this.#options.clock.sleep(IN_FLIGHT_MS);
    this.#dispatch({ kind: 'closed', account, token });
    this.#checkClosed();
  }

  #hasHolds(): boolean {
    return [...this.#view.holds.values()].some(({ phase }) => phase !== 'closed');
  }

  #checkClosed(): void {
    if (!this.#hasHolds()) this.#closed?.();
  }

  #changedDemands(): readonly Demand[] {
    return (this.#accounts?.demands() ?? []).filter(({ account, demand }) => {
      const known = this.#known.get(account);
      return known !== undefined && Math.abs(demand - known) > DEMAND_CHANGE * known;
    });
  }

  async #takePicture(): Promise<void> {
    const { clock, registry } = this.#options;
    if (clock.now() - (this.picture?.at ?? Number.NEGATIVE_INFINITY) < PICTURE_MS) return;
    // Reads of the picture share connections with commits and loading, so at most one waits at a time.
    if (this.#isTakingPicture) return;
    this.#isTakingPicture = true;
    const ownership = await registry.ownership().catch(() => undefined);
    this.#isTakingPicture = false;
    if (ownership !== undefined) this.picture = { at: clock.now(), ...ownership };
  }

  #tell(trouble: string | undefined): void {
    const { log } = this.#options;
    if (trouble !== undefined && this.#trouble === undefined)
      log.warn({ reason: trouble }, 'the lease could not be renewed: it is tried again');
    if (trouble === undefined && this.#trouble !== undefined) log.info({}, 'the lease is renewed again');
    this.#trouble = trouble;
  }

  #report(actions: readonly LeaseAction[]): void {
    const tell = (level: 'info' | 'warn', message: string, concerns: (action: LeaseAction) => boolean) => {
      const accounts = actions.flatMap((action) =>
        'account' in action && concerns(action) ? [action.account] : [],
      );
      if (accounts.length === 0) return;
      const facts = { count: accounts.length, accounts: accounts.slice(0, 5).join(', ') };
      this.#options.log[level](facts, message);
    };
    const opens = (one: LeaseAction) => one.kind === 'open' && !this.#unloaded.has(one.account);
    tell('info', 'accounts are polled here now', opens);
    tell('info', 'accounts are given to others', (one) => one.kind === 'close' && one.orderly);
    const lost = 'accounts are no longer polled here: the lease is over';
    tell('warn', lost, (one) => one.kind === 'close' && !one.orderly);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Status of the replicas that share the accounts: owners, since when, and the last moves. Times are ISO 8601 in UTC. */
export type ClusterStatus = ReturnType<typeof clusterStatus>;

export function clusterStatus(
  member: Pick<
    Member,
    'name' | 'leaseLeftMs' | 'trouble' | 'silentSince' | 'replicas' | 'replicasAt' | 'picture'
  >,
  clock: Clock,
) {
  const { picture, silentSince } = member;
  const passedMs = clock.now() - member.replicasAt;
  const isOver = ({ renewedMs }: Replica) => renewedMs + passedMs > LEASE_MS;
  const owning = new Set(member.replicas.filter((replica) => !isOver(replica)).map(({ name }) => name));
  return {
    replica: member.name,
    /** Time until the replica's own lease ends; 0 if nothing is polled or exposed. */
    lease_left_seconds: member.leaseLeftMs / 1_000,
    /** Reason why the replica does not serve all its accounts; empty if it does. */
    note: member.trouble ?? '',
    /** Time since which the database has not responded; null while it responds. The fields below are of that time. */
    database_silent_since: silentSince === undefined ? null : timeOf(wallAt(clock, silentSince)),
    replicas: member.replicas.map((replica) => ({
      name: replica.name,
      joined_seconds_ago: (replica.ageMs + passedMs) / 1_000,
      /** Time since the replica's last known request to the database. */
      lease_age_seconds: (replica.renewedMs + passedMs) / 1_000,
      /** True if the replica's lease has expired, as far as known. */
      lease_over: isOver(replica),
      accounts: replica.accounts,
      demand: replica.load,
    })),
    /**
     * Time at which the lists below were read from the database; null before the first read. They have at most 1,000 accounts and
     * 50 moves, the newest first.
     */
    as_of: picture === undefined ? null : timeOf(wallAt(clock, picture.at)),
    accounts: (picture?.accounts ?? []).map(({ since, owner, ...one }) =>
      owner === null || since === null || !owning.has(owner)
        ? { ...one, owner: null, since: null }
        : { ...one, owner, since: timeOf(since) },
    ),
    moves: (picture?.moves ?? []).map(({ at, ...move }) => ({ at: timeOf(at), ...move })),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
