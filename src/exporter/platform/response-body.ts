import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { parsedJson } from '../text/json.ts';
import { isDocumentedError, platformWords, type Scrub, upstreamFailure } from './network-failure.ts';
import { PlatformFailure } from './read.ts';
import type { Dispatcher } from './undici.ts';

/** What the body of an answer turned out to be: a JSON document, an error as the platform words it, or neither. */
export type BodyKind = 'document' | 'documented_error' | 'other';

const inflate = promisify(gunzip);

/** As much of a refusal as is worth reading for its reason. */
const REFUSAL_BYTES = 65_536;

/** Of an answer that was meant to be JSON and is not, so much is searched for words that say why. */
const SEARCHED_CHARACTERS = 8192;

/** The platform's documents are not half as deep. */
const DEEPEST = 64;

/** Values in a document. A large answer has some 300,000. */
const MOST_VALUES = 1_000_000;

/**
 * As many values an object and a key count for: parsed, an object takes 60 to 180 bytes, and keys that no other has take 1 to 5 µs
 * where a number takes 0.1. A million of them would be seconds in which nothing else is done.
 */
const VALUES_OF_AN_OBJECT = 5;
const VALUES_OF_A_KEY = 3;

/** A body that was read, and its size: decoded, in bytes. */
export interface Received<T> {
  readonly content: T;
  readonly bytes: number;
  readonly kind: BodyKind;
}

/** Reads an answer with an error status: the failure that it is. */
export async function receiveRefusal(
  response: Dispatcher.ResponseData,
  scrub: Scrub,
): Promise<Received<PlatformFailure>> {
  const { statusCode } = response;
  const body = await readRefusal(response);
  return {
    content: upstreamFailure(statusCode, body, scrub),
    bytes: Buffer.byteLength(body),
    kind: isDocumentedError(statusCode, body) ? 'documented_error' : 'other',
  };
}

/**
 * Reads a successful answer: its JSON document, or the failure that it is when it is none.
 * @throws PlatformFailure when the body is too large or in a foreign encoding, and the connection's own errors
 */
export async function receiveDocument(
  response: Dispatcher.ResponseData,
  limit: number,
  scrub: Scrub,
  { large, signal }: { readonly large: LargeAnswers; readonly signal: AbortSignal },
): Promise<Received<unknown>> {
  let place: Promise<void> | undefined;
  const takePlace = () => {
    place ??= large.places.take(large, signal);
    return place;
  };
  try {
    const body = await readBody(response, limit, takePlace);
    if (isLarge(body.length)) await large.turn(body.length);
    signal.throwIfAborted();
    const content = parseJson(body, response.statusCode, scrub);
    return { content, bytes: body.length, kind: content instanceof PlatformFailure ? 'other' : 'document' };
  } finally {
    // Where it never came, there is none to be left.
    place?.then(
      () => large.places.leave(large),
      () => undefined,
    );
  }
}

function parseJson(bytes: Buffer, status: number, scrub: Scrub): unknown {
  // A small one is parsed in a moment, whatever is in it.
  const excess = isLarge(bytes.length) ? excessIn(bytes) : undefined;
  if (excess !== undefined) return new PlatformFailure('undecodable', excess, status);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const document = parsedJson(text) ?? parsedJson(asArray(text));
  if (document !== undefined) return document;
  // The engine's message quotes the body; the platform's words do so too, but scrubbed.
  const words = platformWords(text.slice(0, SEARCHED_CHARACTERS), scrub);
  const reason = words === '' ? 'the answer is empty' : `the answer is not JSON: ${words}`;
  return new PlatformFailure('undecodable', reason, status);
}

/**
 * Objects one after another, each beginning on a line of its own, as section 4.13 writes the configurations. No
 * string of a JSON document holds a line break, so that no value is taken apart.
 */
function asArray(text: string): string {
  return /^\s*\{/.test(text) ? `[${text.replace(/\}[ \t\r]*\n\s*\{/g, '},{')}]` : '';
}

/**
 * The body of a successful answer, decoded.
 * @param limit most bytes accepted, both as sent and as decoded, so that a gzip bomb ends at the limit too
 * @param place is waited for before more is read, or decoded, than an answer usually has
 * @throws PlatformFailure `undecodable` when it is larger or in an encoding not asked for, and the connection's own errors
 */
async function readBody(
  response: Dispatcher.ResponseData,
  limit: number,
  place: () => Promise<void>,
): Promise<Buffer> {
  const { statusCode } = response;
  if (Number(response.headers['content-length']) > limit) throw drop(response, tooLarge(limit, statusCode));
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    const reason = `content encoding ${encoding.slice(0, 20)} was not asked for`;
    throw drop(response, new PlatformFailure('undecodable', reason, statusCode));
  }
  const sent = await receive(response, limit, place);
  if (sent.length > limit) throw tooLarge(limit, statusCode);
  if (encoding === 'identity') return sent;
  if (limit <= HUGE_ANSWER) return decompress(sent, limit, statusCode);
  // Nobody can know how large it becomes; most answers are small, and are decoded once.
  const small = await decompress(sent, HUGE_ANSWER, statusCode).catch((error: unknown) => {
    if (error instanceof TooLarge) return undefined;
    throw error;
  });
  if (small !== undefined) return small;
  await place();
  return decompress(sent, limit, statusCode);
}

/** An answer of more than the accepted size. */
class TooLarge extends PlatformFailure {}

function tooLarge(limit: number, status: number): TooLarge {
  return new TooLarge('undecodable', `the answer is larger than ${limit} bytes`, status);
}

/**
 * The beginning of a refusal's body. Whatever goes wrong with it, the refusal stands: what could be read is returned.
 */
async function readRefusal(response: Dispatcher.ResponseData): Promise<string> {
  try {
    const sent = (await receive(response, REFUSAL_BYTES)).subarray(0, REFUSAL_BYTES);
    const encoding = response.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return sent.toString();
    const decoded = await inflate(sent, {
      maxOutputLength: REFUSAL_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return decoded.toString();
  } catch (error) {
    return `(its body cannot be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Discards an unread answer and closes its connection. */
function drop(response: Dispatcher.ResponseData, reason: PlatformFailure): PlatformFailure {
  // Destroying a body emits the reason once more; it is the caller's to throw.
  response.body.on('error', () => undefined);
  response.body.destroy();
  return reason;
}

/** Reads until the end or until more than `limit` bytes came, whichever is first. */
async function receive(
  { body }: Dispatcher.ResponseData,
  limit: number,
  place?: () => Promise<void>,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > limit) break;
    if (size > HUGE_ANSWER) await place?.();
  }
  return Buffer.concat(chunks);
}

async function decompress(sent: Buffer, limit: number, status: number): Promise<Buffer> {
  try {
    return await inflate(sent, { maxOutputLength: limit });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit, status);
    const words = code === 'Z_BUF_ERROR' ? 'the answer was cut off' : 'the answer is not valid gzip';
    throw new PlatformFailure('undecodable', words, status);
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** By byte outside texts, how many values it counts for, and how many levels it leads down. */
const VALUES = new Uint8Array(256);
const LEVELS = new Int8Array(256);
for (const [byte, values, levels] of [
  [',', 1, 0],
  [':', VALUES_OF_A_KEY, 0],
  ['[', 1, 1],
  ['{', VALUES_OF_AN_OBJECT, 1],
  [']', 0, -1],
  ['}', 0, -1],
] as const) {
  VALUES[byte.charCodeAt(0)] = values;
  LEVELS[byte.charCodeAt(0)] = levels;
}

/**
 * What a JSON text has too much of: arrays and objects that lie in one another, or values. Parsing takes 30 times as long
 * for a level as for a byte, and 80 bytes of memory: a document of brackets would hold up everything, or end the process. An
 * object counts for five, a key for three.
 */
export function excessIn(json: Uint8Array, deepest = DEEPEST, most = MOST_VALUES): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) index += byte === BACKSLASH ? 1 : 0;
    else {
      values += VALUES[byte] ?? 0;
      depth += LEVELS[byte] ?? 0;
      if (depth > deepest) return `the answer is more than ${deepest} levels deep`;
    }
  }
  return values > most ? `the answer has more than ${most} values` : undefined;
}

/** Larger answers (bytes, decoded) are parsed in turn, and used at once: parsed, 64 KB may take 2 MB. Most have some kilobytes. */
const LARGE_ANSWER = 64 * 1024;

/** Larger ones need a place while they are received and wait to be parsed: hundreds of 8 MB would fill the memory as text. */
const HUGE_ANSWER = 1024 * 1024;

/** Places for them. */
const MOST_AT_ONCE = 8;

export function isLarge(bytes: number): boolean {
  return bytes > LARGE_ANSWER;
}

export function isHuge(bytes: number): boolean {
  return bytes > HUGE_ANSWER;
}

/** Who waits for a place, or has one. */
interface Waiting {
  readonly owner: object;
  readonly go: () => void;
}

/** The places for huge answers, of all accounts together: few, and of them one for each account. */
export class HugeAnswerSlots {
  readonly #owners = new Set<object>();
  #waiting: readonly Waiting[] = [];

  /** Resolves when there is a place for an answer of an owner; rejects with the signal's reason if that aborts before. */
  take(owner: object, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const waiting = { owner, go };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting = [...this.#waiting, waiting];
      this.#next();
    });
  }

  leave(owner: object): void {
    this.#owners.delete(owner);
    this.#next();
  }

  #next(): void {
    while (this.#owners.size < MOST_AT_ONCE) {
      const next = this.#waiting.find(({ owner }) => !this.#owners.has(owner));
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#owners.add(next.owner);
      next.go();
    }
  }
}

/**
 * How the large answers of one account take turns. They are parsed one in a turn of the event loop, and used before the next is:
 * parsed, an answer takes up to ten times the memory that it had as text.
 */
export interface LargeAnswers {
  /** Resolves when an answer of so many bytes may be parsed. What uses it must not wait for anything else before. */
  readonly turn: (bytes: number) => Promise<void> | undefined;
  /** Shared with other accounts. */
  readonly places: HugeAnswerSlots;
}
