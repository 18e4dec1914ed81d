import type { Dispatcher } from 'undici';
import type { Secret } from '../secret.ts';
import { isDeeperThan } from './json-depth.ts';
import { PlatformFailure } from './outcome.ts';
import { readBody, readRefusal } from './response-body.ts';
import { type BodyKind, isDocumentedError } from './response-origin.ts';
import { platformWords, upstreamFailure } from './upstream-error.ts';

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
