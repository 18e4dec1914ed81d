import { chmod, open as openFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedState, type Database } from './database.ts';
import { DatabaseThread, databaseOf, type RecordTally, rethrow } from './database-requests.ts';
import { codeOf, LOCK_FILE, StateInUse, syncDirectory } from './directory.ts';

/** The files of the database in a state directory; SQLite adds a log beside the first. */
const DATABASE = 'state.db';
const LAST_COMMIT = 'last-commit';

/**
 * Holds `directory` for this process, until it is released or the process ends, however that ends. The thread that holds it opens
 * its database. @throws StateInUse
 */
export async function lockDirectory(directory: string): Promise<DatabaseThread> {
  const path = join(directory, LOCK_FILE);
  // Only where it is missing: a file that is closed takes with it all locks of this process on it.
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // Of a file that can only be read SQLite gives everybody who asks what it calls exclusive.
  await chmod(path, 0o600);
  const thread = new DatabaseThread();
  try {
    await thread.ask('lock', path);
    return thread;
  } catch (error) {
    await thread.end();
    if (codeOf(error) === 'SQLITE_BUSY') throw new StateInUse(directory);
    throw new Error(`the lock ${path} cannot be taken: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Opens the database in `directory`, or creates it, readable for its owner alone; `tally` is what all its records should come to.
 * @throws DamagedState where it is not to be trusted, and another Error where the disk refuses
 */
export async function openDatabase(
  thread: Pick<DatabaseThread, 'ask'>,
  directory: string,
): Promise<{ readonly database: Database; readonly tally: RecordTally }> {
  const files = { database: join(directory, DATABASE), lastCommit: join(directory, LAST_COMMIT) };
  // SQLite gives its other files the rights of this one.
  await (await openFile(files.database, 'a', 0o600)).close();
  await chmod(files.database, 0o600);
  const { held, promised, tally } = await thread.ask('open', files).catch(rethrow);
  const database = databaseOf(thread);
  try {
    if (Number.isNaN(promised)) throw new DamagedState('the number of its last commit is damaged');
    if (!(held >= promised)) throw new DamagedState(`it ends with commit ${held} of ${promised}`);
    await syncDirectory(directory);
    return { database, tally };
  } catch (error) {
    // Why it is not opened says more than why it is not closed.
    await database.close().catch(() => undefined);
    throw error;
  }
}
