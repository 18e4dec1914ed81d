import { createGunzip } from 'node:zlib';
import { parsedJson } from '../text/received.ts';
import { excessIn } from './json-excess.ts';
import { isDocumentedError, platformWords, type Scrub, upstreamFailure } from './network-failure.ts';
import { PlatformFailure } from './read.ts';
import type { Dispatcher } from './undici.ts';

/** Kind of a response's body: a JSON document, an error in the platform's form, or neither. */
export type BodyKind = 'document' | 'documented_error' | 'other';

/** Decoded body, with its size in bytes. */
export interface Received<T> {
  readonly content: T;
  readonly bytes: number;
  readonly kind: BodyKind;
}

/** Number of bytes read of the body of an error response, which contains the reason of the refusal. */
const REFUSAL_BYTES = 65_536;

/** Time limit (ms) for reading the body of an error response, because its status already determines the failure. */
const LONGEST_REFUSAL_MS = 1_000;

/** Number of characters searched for a reason at the beginning of a response without JSON. */
const SEARCHED_CHARACTERS = 8192;

/** Size (bytes) above which a document is checked for excess before it is parsed. */
const CHECKED_BYTES = 64 * 1024;

/** Reads a response with an error status and returns its failure. A broken body does not change the failure. */
export async function receiveRefusal(
  response: Dispatcher.ResponseData,
  scrub: Scrub,
): Promise<Received<PlatformFailure>> {
  const { statusCode } = response;
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => response.body.destroy(new Error('it does not end')), LONGEST_REFUSAL_MS);
  const trouble = await decoded(response, (chunk, size) => {
    chunks.push(chunk);
    return size < REFUSAL_BYTES;
  }).catch((error: unknown) => `(its body cannot be read: ${(error as Error).message})`);
  clearTimeout(timer);
  const sent = Buffer.concat(chunks).subarray(0, REFUSAL_BYTES).toString();
  const body = sent === '' && trouble !== undefined ? trouble : sent;
  return {
    content: upstreamFailure(statusCode, body, scrub),
    bytes: Buffer.byteLength(sent),
    kind: isDocumentedError(statusCode, body) ? 'documented_error' : 'other',
  };
}

/**
 * Reads a response and returns its JSON document, or its failure.
 * @param limit maximum decoded size in bytes, against gzip bombs
 * @throws PlatformFailure if the body is too large or in an unknown encoding, and the connection's own errors
 */
export async function receiveDocument(
  response: Dispatcher.ResponseData,
  limit: number,
  scrub: Scrub,
): Promise<Received<unknown>> {
  const { statusCode } = response;
  const tooLarge = () =>
    new PlatformFailure('undecodable', `the answer is larger than ${limit} bytes`, statusCode);
  if (Number(response.headers['content-length']) > limit) throw dropped(response, tooLarge());
  const chunks: Buffer[] = [];
  await decoded(response, (chunk, size) => {
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
    return true;
  });
  const body = Buffer.concat(chunks);
  const content = parseJson(body, statusCode, scrub);
  return { content, bytes: body.length, kind: content instanceof PlatformFailure ? 'other' : 'document' };
}

function parseJson(bytes: Buffer, status: number, scrub: Scrub): unknown {
  const excess = bytes.length > CHECKED_BYTES ? excessIn(bytes) : undefined;
  if (excess !== undefined) return new PlatformFailure('undecodable', excess, status);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const document = parsedJson(text) ?? parsedJson(asArray(text));
  if (document !== undefined) return document;
  // The engine's message quotes the body unmasked; the platform's words are masked.
  const words = platformWords(text.slice(0, SEARCHED_CHARACTERS), scrub);
  const reason = words === '' ? 'the answer is empty' : `the answer is not JSON: ${words}`;
  return new PlatformFailure('undecodable', reason, status);
}

/**
 * Returns the JSON array for objects that each begin on a new line, as in section 4.13. No string of a JSON document contains a
 * line break, so no value is split.
 */
function asArray(text: string): string {
  return /^\s*\{/.test(text) ? `[${text.replace(/\}[ \t\r]*\n\s*\{/g, '},{')}]` : '';
}

/**
 * Passes the decoded chunks of the body, with their total size so far, to `take` until it returns false or throws.
 * @throws PlatformFailure `undecodable` for an encoding that was not requested, or that is damaged
 */
async function decoded(
  response: Dispatcher.ResponseData,
  take: (chunk: Buffer, size: number) => boolean,
): Promise<undefined> {
  const { statusCode, headers, body } = response;
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    const reason = `content encoding ${encoding.slice(0, 20)} was not asked for`;
    throw dropped(response, new PlatformFailure('undecodable', reason, statusCode));
  }
  const unpacked = encoding === 'identity' ? body : body.pipe(createGunzip());
  body.on('error', (error) => unpacked.destroy(error));
  let size = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (!take(chunk, size)) return;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    const words = code === 'Z_BUF_ERROR' ? 'the answer was cut off' : 'the answer is not valid gzip';
    throw new PlatformFailure('undecodable', words, statusCode);
  } finally {
    body.destroy();
  }
}

/** Discards an unread answer and closes its connection. */
function dropped(response: Dispatcher.ResponseData, reason: PlatformFailure): PlatformFailure {
  // Destroying a body emits the reason once more, but only the caller throws it.
  response.body.on('error', () => undefined);
  response.body.destroy();
  return reason;
}
