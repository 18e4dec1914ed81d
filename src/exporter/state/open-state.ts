import { type Clock, systemClock } from '../clock.ts';
import { DamagedState, damageNote, type LoadedDatabase, load } from './database.ts';
import { ensureDirectory, StateInUse, setAside } from './directory.ts';
import { DurableState, type OpeningAttempt } from './durable.ts';
import { packEntry, Records } from './records.ts';
import { LockedDirectory, OtherFormat } from './sqlite.ts';
import { QUEUE, type State } from './state.ts';

export interface StateLog {
  info(message: string): void;
  warn(message: string): void;
}

/** Error because the directory cannot be used and the exporter must not start without it. */
export class StateRequired extends Error {
  override readonly name = 'StateRequired';
}

export interface OpenOptions {
  readonly clock?: Clock;
  /** True if the caller cannot work without the directory. */
  readonly required?: boolean;
}

/** Time (ms) that a start waits for a slow disk. The start then continues, and the state is used once it is open. */
const OPEN_TIMEOUT_MS = 10_000;

/** Delay (ms) before the directory is tried again. */
const RETRY_MS = 10_000;

/**
 * Opens the state in `directory` for this process alone. Renames a damaged state, with a warning. If the directory cannot be used,
 * retries and meanwhile returns an `unavailable` state.
 * @throws StateInUse, OtherFormat and StateRequired
 */
export async function openState(
  directory: string,
  log: StateLog,
  { clock = systemClock, required = false }: OpenOptions = {},
): Promise<State> {
  const open = () => openDirectory(directory, log, () => clock.now());
  const first = open();
  const outcome = await Promise.race([
    first.catch((error: unknown) => {
      if (error instanceof StateInUse || error instanceof OtherFormat) throw error;
      return { trouble: reasonOf(error) };
    }),
    ...(required ? [] : [timedOut(clock, first)]),
  ]);
  if (!('trouble' in outcome)) return new DurableState(outcome.location, outcome);
  if (required)
    throw new StateRequired(`the state directory ${directory} cannot be used: ${outcome.trouble}`);
  const trouble = withheld(directory, outcome.trouble);
  log.warn(trouble);
  const state = new DurableState(directory, { trouble });
  state.openBy(async function* (signal): AsyncGenerator<OpeningAttempt, void> {
    let reason = outcome.trouble;
    for (let attempt = first; ; attempt = open()) {
      const found = await attempt.catch((error: unknown) => ({ trouble: reasonOf(error) }));
      if ('loaded' in found) {
        log.info(`the state directory ${directory} can be used: counters continue`);
        return yield found;
      }
      const trouble = withheld(directory, found.trouble);
      if (found.trouble !== reason) log.warn(trouble);
      reason = found.trouble;
      yield { trouble };
      await clock.sleep(RETRY_MS, signal);
    }
  });
  return state;
}

function withheld(directory: string, reason: string): string {
  return `the state directory ${directory} cannot be used: ${reason}; counters are withheld until then, gauges are served`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves if the attempt takes too long; never, if it ends before. */
async function timedOut(clock: Clock, attempt: Promise<unknown>): Promise<{ readonly trouble: string }> {
  const ended = new AbortController();
  const end = () => ended.abort();
  attempt.then(end, end);
  await clock.sleep(OPEN_TIMEOUT_MS, ended.signal).catch(() => new Promise(() => undefined));
  return { trouble: 'it has not responded yet' };
}

interface OpenedDirectory {
  readonly location: string;
  readonly loaded: LoadedDatabase;
  readonly note: string | undefined;
}

async function openDirectory(directory: string, log: StateLog, now: () => number): Promise<OpenedDirectory> {
  const location = await ensureDirectory(directory);
  let note: string | undefined;
  const loaded = await loadFrom(location)
    // A single failed read of the disk looks like damage, too.
    .catch(unlessDamaged(() => loadFrom(location)))
    .catch(
      unlessDamaged(async ({ message }) => {
        const aside = await setAside(location, now());
        note = `the state in ${location} was not used, ${message}; it was moved to ${aside}, and counters start from zero`;
        return loadFrom(location);
      }),
    );
  note ??= damageNote(loaded, location);
  if (note !== undefined) log.warn(note);
  log.info(`state opened in ${location}: ${loaded.records.size} records`);
  return { location, loaded, note };
}

/** Returns a handler for damage. It throws all other errors again. */
function unlessDamaged<T>(handle: (damage: DamagedState) => Promise<T>): (error: unknown) => Promise<T> {
  return async (error) => {
    if (error instanceof DamagedState) return handle(error);
    throw error;
  };
}

/** Loads the database in a directory, which stays locked until the database is closed. */
async function loadFrom(location: string): Promise<LoadedDatabase> {
  const lock = await LockedDirectory.lock(location);
  try {
    return await load(await lock.openDatabase());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns a state that ends with the process. It encodes values as the durable state does, so that both behave alike. */
export function memoryState(note?: string): State {
  const records = new Records();
  return {
    kind: 'memory',
    directory: undefined,
    note,
    get: (key) => (key[0] === QUEUE ? undefined : records.get(key)),
    keys: (prefix) => [...records.keys(prefix)].filter(([first]) => first !== QUEUE),
    range: async (prefix, options) => records.range(prefix, options),
    read: async (keys) =>
      keys.map((key) => ({ key, value: records.get(key) })).filter(({ value }) => value !== undefined),
    commit: async (entries) => records.apply(entries.map(packEntry)),
    close: async () => undefined,
  };
}
