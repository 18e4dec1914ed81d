import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { AwaitedState } from './awaited-state.ts';
import { DATABASE_FILES, DamagedState, type Database, openDatabase, type StoredRecord } from './database.ts';
import {
  ensureDirectory,
  FORMAT,
  ForeignDirectory,
  formatOf,
  refuseForeign,
  setAside,
  writeMarker,
} from './directory.ts';
import { DurableState, QUEUE_NAMES } from './durable.ts';
import { FORMAT_1_DATABASE, readFormat1 } from './format-1/read-format-1.ts';
import { lockDirectory, StateInUse } from './lock.ts';
import { endOfPrefix, isIntact, Records, storedChecksum } from './records.ts';
import type { State } from './state.ts';

export interface StateLog {
  info(message: string): void;
  warn(message: string): void;
}

/** How many records are read at once: a few milliseconds' work. */
const BATCH = 1_000;

/** The state was written by a later version, which alone knows what it means; it is left as it is. */
export class NewerState extends Error {
  override readonly name = 'NewerState';

  constructor(directory: string, format: number) {
    super(
      `the state in ${directory} has format ${format}, and this version reads formats up to ${FORMAT}: run the newer version, or choose another --state.dir`,
    );
  }
}

/** The directory cannot be used, and the exporter was told not to start without it. */
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
 * @throws StateInUse, NewerState, ForeignDirectory when it holds files that are not ours, and StateRequired
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
  if ([StateInUse, ForeignDirectory, NewerState].some((kind) => error instanceof kind)) throw error;
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
  const lock = await lockDirectory(place);
  try {
    const { note, ...opened } = await openOrSetAside(place, log, now);
    log.info(`state opened in ${place}: ${opened.records.size} records`);
    return new DurableState({ directory: place, note, lock, ...opened });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openOrSetAside(place: string, log: StateLog, now: () => number) {
  try {
    return { ...(await openTrusted(place, log)), note: undefined };
  } catch (error) {
    if (!(error instanceof DamagedState)) throw error;
    const aside = await setAside(place, now());
    const note = `the state in ${place} was not used, ${error.message}; it was moved to ${aside}, and counters start from zero`;
    log.warn(note);
    return { ...(await openTrusted(place, log)), note };
  }
}

/** The state in `place`, migrated where it has an older format, begun where there is none. */
async function openTrusted(place: string, log: StateLog) {
  const format = await formatOf(place);
  if (format === undefined) await writeMarker(place);
  else if (format > FORMAT) throw new NewerState(place, format);
  else if (format === 1) await migrateFormat1(place, log);
  else if (format !== FORMAT) throw new DamagedState('its marker is damaged');
  const database = await openDatabase(place);
  try {
    return { database, records: await readAll(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Writes the new database beside the old; the marker then changes in one step what a start finds. */
async function migrateFormat1(place: string, log: StateLog): Promise<void> {
  const records = await readFormat1(place);
  for (const name of DATABASE_FILES) await rm(join(place, name), { force: true });
  const database = await openDatabase(place);
  try {
    await database.write(records.map(({ name, bytes }) => [name, bytes]));
  } finally {
    await database.close();
  }
  await writeMarker(place);
  log.info(
    `state in ${place} migrated from format 1: ${records.length} records; ${FORMAT_1_DATABASE} is no longer used and can be removed`,
  );
}

/** Holds all records but those of queues, once they are as the last commit left them. */
async function readAll(database: Database): Promise<Records> {
  const held = new Records();
  let records = 0;
  let sum = 0;
  for await (const { name, bytes } of everyRecord(database)) {
    if (!isIntact(name, bytes)) throw new DamagedState(`the record ${name} is damaged`);
    records += 1;
    sum = (sum + storedChecksum(bytes)) >>> 0;
    if (!name.startsWith(QUEUE_NAMES)) held.apply([[name, bytes]]);
  }
  const { tally } = database;
  if (records !== tally.records || sum !== tally.sum) {
    throw new DamagedState('its records are not those of its last commit');
  }
  return held;
}

async function* everyRecord(database: Database): AsyncGenerator<StoredRecord> {
  let batch: readonly StoredRecord[] = [];
  do {
    const last = batch.at(-1);
    const from = last ? `${last.name}\0` : '';
    batch = await database.read({ from, until: endOfPrefix(''), limit: BATCH });
    yield* batch;
  } while (batch.length === BATCH);
}
