import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { rebuildDatabase } from './database.ts';
import {
  ensureDirectory,
  ForeignDirectory,
  refuseForeign,
  setAside,
  unreadable,
  writeMarker,
} from './directory.ts';
import { DurableState } from './durable.ts';
import { lockDirectory, StateInUse } from './lock.ts';
import { DamagedState } from './probe.ts';
import { type Restored, restoreRecords } from './restore.ts';
import { memoryState, type State } from './state.ts';

export interface StateLog {
  info(message: string): void;
  warn(message: string): void;
}

const DATABASE = 'counters.mdb';
const NOTHING: Restored = { records: [], dropped: 0 };

/**
 * Opens the state in `directory`, for this process alone. A damaged state is set aside with a warning, and where the
 * directory cannot be used at all the state is kept in memory, with a warning too.
 * @throws StateInUse, or ForeignDirectory when it holds files that are not ours
 */
export async function openState(directory: string, log: StateLog, now = Date.now): Promise<State> {
  try {
    return await openDurable(directory, log, now);
  } catch (error) {
    if (error instanceof StateInUse || error instanceof ForeignDirectory) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const note = `the state directory ${directory} cannot be used: ${reason}; counters start from zero and end with the process`;
    log.warn(note);
    return memoryState(note, directory);
  }
}

async function openDurable(directory: string, log: StateLog, now: () => number): Promise<State> {
  const place = await ensureDirectory(directory);
  await refuseForeign(place);
  const lock = await lockDirectory(place);
  try {
    const { restored, warning } = await restoreOrSetAside(place, now);
    if (warning) log.warn(warning);
    const database = await rebuildDatabase(join(place, DATABASE), restored.records);
    log.info(`state opened in ${place}: ${restored.records.length} records`);
    return new DurableState(place, warning, database, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * What the directory holds that can be trusted, with a warning where that is not all. Afterwards the
 * directory is ours.
 */
async function restoreOrSetAside(place: string, now: () => number) {
  const found = await restore(place);
  if (typeof found === 'string') {
    const aside = await setAside(place, now());
    await writeMarker(place);
    const warning = `the content of the state directory ${place} was not used, ${found}; it was moved to ${aside}, and counters start from zero`;
    return { restored: NOTHING, warning };
  }
  await writeMarker(place);
  const { dropped, records } = found;
  if (dropped === 0) return { restored: found, warning: undefined };
  const warning = `${dropped} of ${records.length + dropped} records in the state directory ${place} were damaged and dropped; their counters start from zero`;
  return { restored: found, warning };
}

/** The records, or why there are none to be had from what the directory holds. */
async function restore(place: string): Promise<Restored | string> {
  const why = await unreadable(place);
  if (why) return why;
  const path = join(place, DATABASE);
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return NOTHING;
    throw error;
  }
  if (!(await stat(path)).isFile()) return `its ${DATABASE} is no file`;
  try {
    return await restoreRecords(path);
  } catch (error) {
    if (error instanceof DamagedState) return error.message;
    throw error;
  }
}
