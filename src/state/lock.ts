import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Another running process uses the state directory; two of them would count every bucket twice. */
export class StateInUse extends Error {
  override readonly name = 'StateInUse';
  readonly directory: string;

  constructor(directory: string) {
    super(`the state directory ${directory} is in use by another edge-exporter`);
    this.directory = directory;
  }
}

/** The lock of a directory. It ends with the process, however that ends. */
export interface StateLock {
  release(): Promise<void>;
}

/** The folder of the lock, inside the state directory. */
export const LOCK_FOLDER = 'lock';

/** How often a start that meets another start tries again; where both meet, both give way. */
const TRIES = 6;
const LONGEST_PAUSE_MS = 150;
/** The longest path of a socket on Linux is 107 bytes, on macOS 103. */
const LONGEST_SOCKET_PATH = 103;
const NAME_BYTES = 8;
/** What a file system answers that cannot hold sockets. */
const NO_SOCKETS_HERE = ['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS'];

/**
 * Holds `directory` for this process, or throws `StateInUse`. Each holder listens on a socket of its own in
 * one folder and then looks for others: a socket that refuses is of a process that has died, whatever its id
 * was, and since no name is ever used twice, removing it cannot hit a live one.
 */
export async function lockDirectory(directory: string): Promise<StateLock> {
  try {
    return await lockFolder(directory, join(directory, LOCK_FOLDER));
  } catch (error) {
    if (!(error instanceof NoSockets)) throw error;
    // Seen only by processes that share the temporary folder, which is better than no lock.
    const digest = createHash('sha256').update(directory).digest('hex').slice(0, 16);
    return await lockFolder(directory, join(tmpdir(), `edge-exporter-${digest}`));
  }
}

class NoSockets extends Error {}

async function lockFolder(directory: string, folder: string): Promise<StateLock> {
  for (let tries = TRIES; ; tries--) {
    const lock = await registerIn(folder);
    if (!(await findOther(folder, lock.name))) return lock;
    await lock.release();
    if (tries <= 1) throw new StateInUse(directory);
    await delay(Math.random() * LONGEST_PAUSE_MS);
  }
}

async function registerIn(folder: string) {
  const name = `${randomBytes(NAME_BYTES).toString('hex')}.socket`;
  const path = join(folder, name);
  const unready = join(folder, name.replace('.socket', '.tmp'));
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) throw new NoSockets();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const server = await listenOn(unready);
  const release = async () => {
    await rm(path, { force: true });
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    // Under its final name a socket always listens already, so that nobody takes a new one for a dead one.
    await rename(unready, path);
    return { name, release };
  } catch (error) {
    await release();
    throw error;
  }
}

function listenOn(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(NO_SOCKETS_HERE.includes(error.code ?? '') ? new NoSockets() : error),
    );
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Whether a live process other than `own` is registered; the remains of dead ones are removed. */
async function findOther(folder: string, own: string): Promise<boolean> {
  for (const name of await readdir(folder)) {
    if (name === own || !name.endsWith('.socket')) continue;
    const path = join(folder, name);
    if (await isAlive(path)) return true;
    await rm(path, { force: true });
  }
  return false;
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Anything but a refusal, a lack of rights for instance, leaves open whether it lives.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
