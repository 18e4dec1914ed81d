import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { parsedJson } from '../text/json.ts';
import { HUGE_ANSWER, isLarge, type LargeAnswers } from './large-answers.ts';
import { type FailureOutcome, PlatformFailure } from './read.ts';
import type { Dispatcher } from './undici.ts';

/** What the body of an answer turned out to be: a JSON document, an error as the platform words it, or neither. */
export type BodyKind = 'document' | 'documented_error' | 'other';

/** Masks the secrets of an exchange in a text. */
export type Scrub = (text: string) => string;

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
  const place = large.place();
  try {
    const body = await readBody(response, limit, () => place.taken(signal));
    if (isLarge(body.length)) await large.turn();
    signal.throwIfAborted();
    const content = parseJson(body, response.statusCode, scrub);
    return { content, bytes: body.length, kind: content instanceof PlatformFailure ? 'other' : 'document' };
  } finally {
    place.left();
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

/** The longest piece of the platform's own words that a reason carries, in characters. */
const LONGEST_WORDS = 200;
/** The platform's own styles are three levels deep; endless nesting must not exhaust the stack. */
const DEEPEST_WORDS = 6;
/** Only the beginning of a page is searched for a reason, which also bounds the work on hostile markup. */
const READ_OF_A_PAGE = 8192;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** How a refusal ends a poll (section 7). */
export function outcomeOfStatus(status: number): FailureOutcome {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'not_acceptable' : 'undecodable';
}

/** The failure that an answer with an error status is, in the platform's own words where it gave any. */
export function upstreamFailure(status: number, body: string, scrub: Scrub): PlatformFailure {
  const words = platformWords(body, scrub);
  return new PlatformFailure(
    outcomeOfStatus(status),
    `HTTP ${status}${words === '' ? '' : `: ${words}`}`,
    status,
  );
}

/**
 * What the body of a refused request says, fit for a log line: one line of at most 200 characters without
 * control characters, markup or any of the secrets. Understands the four JSON styles of the platform, web
 * pages (their title, or else their first words) and plain text. Empty when the body says nothing.
 */
export function platformWords(body: string, scrub: Scrub): string {
  const words = collapse(jsonWords(body) ?? pageWords(body));
  // Masked after the invisible characters that could break a secret up are gone, and before cutting could.
  const safe = Array.from(scrub(words));
  return safe.length <= LONGEST_WORDS ? safe.join('') : `${safe.slice(0, LONGEST_WORDS - 1).join('')}…`;
}

function jsonWords(body: string): string | undefined {
  if (!/^\s*[[{"]/.test(body)) return undefined;
  const document = parsedJson(body);
  // Not JSON after all, for instance cut off: what is there is shown as text.
  return document === undefined ? undefined : wordsIn(document);
}

function wordsIn(value: unknown, depth = DEEPEST_WORDS): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth === 0) return '';
  if (Array.isArray(value))
    return joined(value.slice(0, LONGEST_WORDS).map((part) => wordsIn(part, depth - 1)));
  const fields = new Map<string, unknown>(Object.entries(value));
  const own = fields.get('detail') ?? fields.get('errors') ?? fields.get('message') ?? fields.get('error');
  if (own !== undefined) return wordsIn(own, depth - 1);
  return joined(
    [...fields].slice(0, LONGEST_WORDS).map(([field, said]) => fieldWords(field, wordsIn(said, depth - 1))),
  );
}

function fieldWords(field: string, words: string): string {
  return words === '' ? '' : `${field}: ${words}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

function pageWords(body: string): string {
  const page = body.slice(0, READ_OF_A_PAGE);
  const title = /<title[^<>]*>([^<]*)/i.exec(page)?.[1]?.trim();
  const text = page.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ');
  return withoutEntities(title || text);
}

/** Entities are resolved so that a secret cannot hide behind them. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function collapse(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}

/** Whether a refusal's body is an error in one of the formats that the platform is known to use. */
export function isDocumentedError(status: number, body: string): boolean {
  const document = objectIn(body);
  if (document === undefined) return false;
  const { detail, errors } = document;
  if (typeof detail === 'string') return true;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isWorded);
  // What is wrong with the parameters, by field.
  const fields = Object.values(document);
  return status === 400 && fields.length > 0 && fields.every((words) => Array.isArray(words));
}

function isWorded(error: unknown): boolean {
  if (typeof error === 'string') return true;
  return typeof error === 'object' && error !== null && ('message' in error || 'error' in error);
}

function objectIn(body: string): Readonly<Partial<Record<string, unknown>>> | undefined {
  const document = /^\s*\{/.test(body) ? parsedJson(body) : undefined;
  return document === undefined ? undefined : Object(document);
}
