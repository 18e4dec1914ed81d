import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The database does not read from end to end; it is not to be trusted. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState';
}

/** One record as it lies in the database, unchecked. */
export interface RawRecord {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The longest silence of the reading process before it counts as lost in a damaged database. */
const LONGEST_SILENCE_MS = 30_000;
/** Ends that say nothing about the data: a shutdown, or want of memory. */
const STOPPED_FROM_OUTSIDE = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];
const BEGIN = 'begin\n';
const END_MARK = 0xffff_ffff;
const HEAD_BYTES = 8;

/**
 * The reading process: writes BEGIN, then every record as two lengths, key and value, then the end mark. It
 * is passed as text because it has to run alike beside compiled code and beside sources that Node.js cannot
 * load.
 */
const READER = `
const { writeSync } = require('node:fs');
const { open } = require(process.argv[1]);
writeSync(1, '${BEGIN.trim()}\\n');
const database = open({ path: process.argv[2], noSubdir: true, readOnly: true, maxDbs: 1, encoding: 'binary', keyEncoding: 'binary' });
let batch = [];
let size = 0;
const flush = () => {
  const bytes = Buffer.concat(batch);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
  batch = [];
  size = 0;
};
for (const { key, value } of database.getRange()) {
  const head = Buffer.alloc(${HEAD_BYTES});
  head.writeUInt32LE(key.length, 0);
  head.writeUInt32LE(value.length, 4);
  batch.push(head, Buffer.from(key), Buffer.from(value));
  size += head.length + key.length + value.length;
  if (size > 65536) flush();
}
batch.push(Buffer.alloc(${HEAD_BYTES}, 255));
flush();
`;

/**
 * Every record of the database at `path`, read in a process of its own: LMDB trusts the file that it maps
 * into memory, and on a damaged one it may be killed by the system (SIGBUS, SIGSEGV), abort or run for ever.
 * Throws `DamagedState` in these cases, and a plain Error where the reading could not be tried.
 */
export async function* probeDatabase(
  path: string,
  longestSilence = LONGEST_SILENCE_MS,
): AsyncGenerator<RawRecord> {
  const { size } = await stat(path);
  const reader = startReader(path, longestSilence);
  try {
    yield* parseRecords(atMost(size + BEGIN.length + HEAD_BYTES, reader.output()));
  } catch (error) {
    throw error instanceof CutShort ? await reader.verdict(error.begun) : error;
  } finally {
    reader.stop();
  }
}

/** The records did not come to their end. */
class CutShort extends Error {
  readonly begun: boolean;

  constructor(begun: boolean) {
    super('the records end too early');
    this.begun = begun;
  }
}

function startReader(path: string, longestSilence: number) {
  const lmdb = createRequire(import.meta.url).resolve('lmdb');
  const child = spawn(process.execPath, ['--eval', READER, '--', lmdb, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const exit = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  let silent = false;
  const watchdog = setTimeout(() => {
    silent = true;
    child.kill('SIGKILL');
  }, longestSilence);
  return {
    async *output(): AsyncGenerator<Buffer> {
      for await (const chunk of child.stdout) {
        watchdog.refresh();
        yield chunk;
      }
    },
    async verdict(begun: boolean): Promise<Error> {
      const end = await exit;
      const cause = silent
        ? `no end within ${longestSilence} ms`
        : [end, errorMessage(complaint)].filter(Boolean).join(', ');
      if (begun && (silent || !STOPPED_FROM_OUTSIDE.includes(end))) {
        return new DamagedState(`the database cannot be read (${cause})`);
      }
      return new Error(`the check of the database could not run (${cause})`);
    },
    stop() {
      clearTimeout(watchdog);
      child.kill('SIGKILL');
    },
  };
}

/** The message of an uncaught error, out of what Node.js prints about it. */
function errorMessage(text: string): string | undefined {
  return /^\w*Error: (.*)$/m.exec(text)?.[1];
}

/** A damaged tree can lead in circles, and then holds more than its file. */
async function* atMost(bytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > bytes) throw new DamagedState('the database holds more than its file');
    yield chunk;
  }
}

async function* parseRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawRecord> {
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    if (!begun && rest.length >= BEGIN.length) {
      begun = true;
      rest = rest.subarray(BEGIN.length);
    }
    while (begun && rest.length >= HEAD_BYTES) {
      const keyLength = rest.readUInt32LE(0);
      if (keyLength === END_MARK) return;
      const end = HEAD_BYTES + keyLength + rest.readUInt32LE(4);
      if (rest.length < end) break;
      const name = rest.toString('latin1', HEAD_BYTES, HEAD_BYTES + keyLength);
      yield { name, bytes: rest.subarray(HEAD_BYTES + keyLength, end) };
      rest = rest.subarray(end);
    }
  }
  throw new CutShort(begun);
}
