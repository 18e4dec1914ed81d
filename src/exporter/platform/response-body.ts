import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { parsedJson } from '../text/received.ts';
import { excessIn, type LargeAnswers } from './large-answers.ts';
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

/** Time limit (ms) for the body of a refusal, whose status has decided. */
const LONGEST_REFUSAL_MS = 1_000;

/**
 * The beginning of a refusal's body. Whatever goes wrong with it, the refusal stands: what could be read is returned.
 */
async function readRefusal(response: Dispatcher.ResponseData): Promise<string> {
  const timer = setTimeout(() => response.body.destroy(new Error('it does not end')), LONGEST_REFUSAL_MS);
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
  } finally {
    clearTimeout(timer);
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

/** Larger answers (bytes, decoded) are parsed in turn, and used at once: parsed, 64 KB may take 2 MB. Most have some kilobytes. */
const LARGE_ANSWER = 64 * 1024;

/** Larger ones need a place while they are received and wait to be parsed: hundreds of 8 MB would fill the memory as text. */
const HUGE_ANSWER = 1024 * 1024;

export function isLarge(bytes: number): boolean {
  return bytes > LARGE_ANSWER;
}

export function isHuge(bytes: number): boolean {
  return bytes > HUGE_ANSWER;
}
