import { type Clock, systemClock } from '../clock.ts';
import { DamagedState, type Database, everyRecord } from './database.ts';
import type { DatabaseThread, RecordTally } from './database-requests.ts';
import {
  ensureDirectory,
  FORMAT,
  ForeignDirectory,
  formatOf,
  refuseForeign,
  refuseUnreadable,
  StateInUse,
  setAside,
  writeMarker,
} from './directory.ts';
import { DurableState, QUEUE_NAMES } from './durable.ts';
import { isIntact, Records, sealEntry, storedChecksum } from './records.ts';
import { lockDirectory, openDatabase } from './sqlite.ts';
import {
  QUEUE,
  type RangeOptions,
  type State,
  type StateEntry,
  type StateKey,
  StateWriteFailure,
} from './state.ts';

export interface StateLog {
  info(message: string): void;
  warn(message: string): void;
}

/** The state has a format that this version does not read; it is left as it is. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';

  constructor(directory: string, format: number) {
    const cure =
      format > FORMAT
        ? 'run the newer version, or choose another --state.dir'
        : 'it dates from before the first release; choose another --state.dir, or remove its files: counters then start from zero';
    super(
      `the state in ${directory} has format ${format}, and this version reads format ${FORMAT} alone: ${cure}`,
    );
  }
}

/** The directory cannot be used, and the exporter must not start without it. */
export class StateRequired extends Error {
  override readonly name = 'StateRequired';
}

export interface OpenOptions {
  readonly clock?: Clock;
  /** Whether there is nothing to be done without the directory. */
  readonly required?: boolean;
}

/** How long (ms) a start waits for a slow disk. It then goes on without the state, which is taken up once it is open. */
const OPEN_TIMEOUT_MS = 10_000;

/**
 * Opens the state in `directory`, for this process alone. A damaged state is set aside with a warning. Where the
 * directory cannot be used, opening it is tried again and again; until then the state's kind is `unavailable`.
 * @throws StateInUse, OtherFormat, ForeignDirectory when it holds files that are not ours, and StateRequired
 */
export async function openState(
  directory: string,
  log: StateLog,
  { clock = systemClock, required = false }: OpenOptions = {},
): Promise<State> {
  const open = () => openDurable(directory, log, () => clock.now());
  const firstAttempt = open();
  const outcome = await Promise.race([
    firstAttempt.catch((error: unknown) => failureOf(error)),
    ...(required ? [] : [timedOut(clock, firstAttempt)]),
  ]);
  if (outcome !== undefined && !('reason' in outcome)) return outcome;
  if (required)
    throw new StateRequired(`the state directory ${directory} cannot be used: ${outcome?.reason}`);
  return new AwaitedState({ directory, clock, log, open, firstAttempt });
}

/** Why the directory cannot be used. @throws what no later attempt would mend */
function failureOf(error: unknown): { readonly reason: string } {
  if ([StateInUse, ForeignDirectory, OtherFormat].some((kind) => error instanceof kind)) throw error;
  return { reason: error instanceof Error ? error.message : String(error) };
}

/** Resolves once the attempt has taken too long; never, where it has ended before. */
async function timedOut(clock: Clock, attempt: Promise<unknown>): Promise<undefined> {
  const ended = new AbortController();
  const end = () => ended.abort();
  attempt.then(end, end);
  await clock.sleep(OPEN_TIMEOUT_MS, ended.signal).catch(() => new Promise(() => undefined));
}

async function openDurable(directory: string, log: StateLog, now: () => number): Promise<State> {
  const place = await ensureDirectory(directory);
  await refuseForeign(place);
  const opened = await locked(place, (thread) => openTrusted(thread, place)).catch(async (error) => {
    await refuseUnreadable(place);
    if (!(error instanceof DamagedState)) throw error;
    // What a disk did not let be read looks damaged, too; now it does.
    return await locked(place, (thread) => openOrSetAside(thread, place, log, now));
  });
  log.info(`state opened in ${place}: ${opened.records.size} records`);
  return new DurableState({ ...opened, directory: place });
}

interface Opened {
  readonly database: Database;
  readonly records: Records;
  readonly note?: string;
}

/** Opens what is in `place`, which is locked until that is closed. */
async function locked(place: string, open: (thread: DatabaseThread) => Promise<Opened>): Promise<Opened> {
  const lock = await lockDirectory(place);
  try {
    const opened = await open(lock);
    const close = () => opened.database.close().finally(() => lock.release());
    return { ...opened, database: { ...opened.database, close } };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openOrSetAside(
  thread: DatabaseThread,
  place: string,
  log: StateLog,
  now: () => number,
): Promise<Opened> {
  try {
    return await openTrusted(thread, place);
  } catch (error) {
    if (!(error instanceof DamagedState)) throw error;
    const aside = await setAside(place, now());
    const note = `the state in ${place} was not used, ${error.message}; it was moved to ${aside}, and counters start from zero`;
    log.warn(note);
    return { ...(await openTrusted(thread, place)), note };
  }
}

/** The state in `place`, begun where there is none. */
async function openTrusted(thread: DatabaseThread, place: string): Promise<Opened> {
  const format = await formatOf(place);
  if (format === undefined) await writeMarker(place);
  else if (Number.isNaN(format)) throw new DamagedState('its marker is damaged');
  else if (format !== FORMAT) throw new OtherFormat(place, format);
  const { database, tally } = await openDatabase(thread, place);
  try {
    return { database, records: await readAll(database, tally) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Holds all records but those of queues, once they are as the last commit left them. */
async function readAll(database: Database, tally: RecordTally): Promise<Records> {
  const held = new Records();
  let records = 0;
  let sum = 0;
  for await (const { name, bytes } of everyRecord(database)) {
    if (!isIntact(name, bytes)) throw new DamagedState(`the record ${name} is damaged`);
    records += 1;
    sum = (sum + storedChecksum(bytes)) >>> 0;
    if (!name.startsWith(QUEUE_NAMES)) held.apply([[name, bytes]]);
  }
  if (records !== tally.records || sum !== tally.sum) {
    throw new DamagedState('its records are not those of its last commit');
  }
  return held;
}

/** How long (ms) to wait before the directory is tried again. */
const RETRY_MS = 10_000;

export interface AwaitedStateOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly open: () => Promise<State>;
  /** The attempt that has failed, or is still under way. */
  readonly firstAttempt: Promise<State>;
}

/**
 * State whose directory cannot be used yet. Until it can be, it refuses every commit, so that no counter begins that
 * would later jump to what the directory holds; it is tried again and again.
 */
export class AwaitedState implements State {
  readonly directory: string;
  readonly #options: AwaitedStateOptions;
  readonly #opening: Promise<void>;
  readonly #closing = new AbortController();
  #reason = 'it has not responded yet';
  #opened: State | undefined;

  constructor(options: AwaitedStateOptions) {
    this.directory = options.directory;
    this.#options = options;
    this.#opening = this.#openAtLast();
  }

  get kind(): State['kind'] {
    return this.#opened?.kind ?? 'unavailable';
  }

  get note(): string | undefined {
    return this.#opened ? this.#opened.note : this.#trouble();
  }

  get refusal(): string | undefined {
    return this.#opened?.refusal;
  }

  get(key: StateKey): unknown {
    return this.#opened?.get(key);
  }

  keys(prefix: StateKey): Iterable<StateKey> {
    return this.#opened?.keys(prefix) ?? [];
  }

  async range(prefix: StateKey, options: RangeOptions): Promise<readonly StateEntry[]> {
    return (await this.#opened?.range(prefix, options)) ?? [];
  }

  async commit(entries: readonly StateEntry[]): Promise<void> {
    if (this.#opened) return this.#opened.commit(entries);
    if (entries.length > 0) throw new StateWriteFailure(this.#trouble());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening;
    await this.#opened?.close();
  }

  async #openAtLast(): Promise<void> {
    const { firstAttempt, open, clock, log } = this.#options;
    for (let attempt = firstAttempt; ; attempt = open()) {
      try {
        this.#opened = await attempt;
        log.info(`the state directory ${this.directory} can be used: counters continue`);
        return;
      } catch (error) {
        this.#warn(error instanceof Error ? error.message : String(error));
      }
      const waited = clock.sleep(RETRY_MS, this.#closing.signal).then(() => true);
      if (!(await waited.catch(() => false))) return;
    }
  }

  #warn(reason: string): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#options.log.warn(this.#trouble());
  }

  #trouble(): string {
    return `the state directory ${this.directory} cannot be used: ${this.#reason}; counters are withheld until then, gauges are served`;
  }
}

/** State that ends with the process. It stores values as the durable one does, so that both behave alike. */
export function memoryState(note?: string): State {
  const records = new Records();
  return {
    kind: 'memory',
    directory: undefined,
    note,
    get: (key) => (key[0] === QUEUE ? undefined : records.get(key)),
    keys: (prefix) => [...records.keys(prefix)].filter(([first]) => first !== QUEUE),
    range: async (prefix, options) => records.range(prefix, options),
    commit: async (entries) => records.apply(entries.map(sealEntry)),
    close: async () => records.clear(),
  };
}
