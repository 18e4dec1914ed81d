import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Secret } from '../secret.ts';
import { type BodyKind, isDocumentedError } from './exchange.ts';
import { PlatformFailure } from './outcome.ts';
import { platformWords, upstreamFailure } from './upstream-error.ts';

const inflate = promisify(gunzip);

/** As much of a refusal as is worth reading for its reason. */
const REFUSAL_BYTES = 65_536;

/** As much of a text as can hold a telling word, when it was meant to be JSON and is not. */
const TELLING_CHARACTERS = 8192;

/** The platform's documents are not half as deep. */
const DEEPEST = 64;

/** Smaller answers (bytes) are parsed in a moment, whatever is in them. */
const LARGE = 65_536;

/** A body that was read, and its size: decoded, in bytes. */
export interface Received<T> {
  readonly content: T;
  readonly bytes: number;
  readonly kind: BodyKind;
}

/** Reads an answer with an error status: the failure that it is. */
export async function receiveRefusal(
  response: Dispatcher.ResponseData,
  secrets: readonly Secret[],
): Promise<Received<PlatformFailure>> {
  const { statusCode } = response;
  const body = await readRefusal(response);
  return {
    content: upstreamFailure(statusCode, body, secrets),
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
  secrets: readonly Secret[],
): Promise<Received<unknown>> {
  const body = await readBody(response, limit);
  const content = parseJson(body, response.statusCode, secrets);
  return { content, bytes: body.length, kind: content instanceof PlatformFailure ? 'other' : 'document' };
}

function parseJson(bytes: Buffer, status: number, secrets: readonly Secret[]): unknown {
  if (bytes.length > LARGE && isDeeperThan(DEEPEST, bytes))
    return new PlatformFailure('undecodable', `the answer is more than ${DEEPEST} levels deep`, status);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const document = tryParse(text) ?? tryParse(asArray(text));
  if (document !== undefined) return document;
  // The engine's message quotes the body; the platform's words do so too, but scrubbed.
  const words = platformWords(text.slice(0, TELLING_CHARACTERS), secrets);
  const reason = words === '' ? 'the answer is empty' : `the answer is not JSON: ${words}`;
  return new PlatformFailure('undecodable', reason, status);
}

/** The document, which is never undefined, or undefined when the text is none. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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
 * @throws PlatformFailure `undecodable` when it is larger or in an encoding not asked for, and the connection's own errors
 */
async function readBody(response: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const { statusCode } = response;
  if (Number(response.headers['content-length']) > limit) throw drop(response, tooLarge(limit, statusCode));
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    const reason = `content encoding ${encoding.slice(0, 20)} was not asked for`;
    throw drop(response, new PlatformFailure('undecodable', reason, statusCode));
  }
  const sent = await receive(response, limit);
  if (sent.length > limit) throw tooLarge(limit, statusCode);
  return encoding === 'identity' ? sent : await decompress(sent, limit, statusCode);
}

function tooLarge(limit: number, status: number): PlatformFailure {
  return new PlatformFailure('undecodable', `the answer is larger than ${limit} bytes`, status);
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
async function receive({ body }: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > limit) break;
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

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, [0x5b, 0x7b], [0x5d, 0x7d]];

/**
 * Whether arrays and objects of a JSON text lie in one another more than `limit` deep. Parsing takes 30 times as long for a
 * level as for a byte, and 80 bytes of memory: a document of brackets would hold up everything, or end the process.
 */
export function isDeeperThan(limit: number, json: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) index += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPENING[0] || byte === OPENING[1]) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) depth -= 1;
  }
  return false;
}
