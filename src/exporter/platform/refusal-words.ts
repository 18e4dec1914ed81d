import { parsedJson } from '../text/json.ts';
import { type FailureOutcome, PlatformFailure } from './read.ts';

/** Masks the secrets of an exchange in a text. */
export type Scrub = (text: string) => string;

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
