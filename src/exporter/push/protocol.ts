import type { PbfWriter } from 'pbf';
import { MEANING_FAMILIES, RAW_FAMILIES } from '../catalogue/catalogue.ts';
import type { Family, Labels, TimedSample } from '../catalogue/family.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { shownLabels } from '../exposition/label-text.ts';
import type { FamilyMetadata } from '../exposition/text-format.ts';
import { matchesAny } from '../text/glob.ts';
import { parsedJson } from '../text/received.ts';
import type { Reply } from './receiver-connection.ts';

/** Protocol of a receiver. */
export interface Protocol {
  readonly name: string;
  /** Sends samples in one request, with at most one of each series. @throws the signal's reason if it aborts */
  send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer>;
}

/** Reasons why a receiver permanently refuses a sample. */
export const REFUSAL_REASONS = ['too_old', 'out_of_order', 'duplicate', 'too_large', 'invalid'] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Response of a receiver to the samples of one request. */
export type ReceiverAnswer =
  | { readonly kind: 'accepted' }
  /** The receiver accepted all but `rejected` samples, which it permanently refuses. */
  | {
      readonly kind: 'partly accepted';
      readonly rejected: number;
      readonly reason: RefusalReason;
      readonly words: string;
    }
  /** The receiver permanently refuses at least one of the samples without identifying it. */
  | {
      readonly kind: 'refused';
      readonly reason: RefusalReason;
      readonly words: string;
      /** True if the message has no known reason: the receiver may answer every request like this. */
      readonly unexplained?: true;
    }
  /** The receiver may accept the samples later. */
  | { readonly kind: 'failed'; readonly words: string; readonly retryAfterMs?: number };

/** Messages of Prometheus, Mimir, Thanos and VictoriaMetrics for an invalid sample, per reason. */
const REASONS: readonly (readonly [RefusalReason, RegExp])[] = [
  ['too_old', /too[- _]old|out of bounds|out-of-bounds|too far (?:in|into) the past|older than/i],
  ['duplicate', /duplicate[- _]sample|duplicate[- _]timestamp|for duplicate/i],
  ['out_of_order', /out[- _]of[- _]order/i],
];

/** Statuses that concern the content of a request, rather than the route or credentials. */
const CONTENT = new Set([400, 413, 422]);

/** Interprets an unsuccessful response. If the operator can fix its cause, it is a failure, and samples stay queued. */
export function refusalOrFailure(
  status: number,
  words: string,
  retryAfterMs: number | undefined,
): Exclude<ReceiverAnswer, { kind: 'accepted' }> {
  const said = `HTTP ${status}${words === '' ? '' : `: ${words}`}`;
  const reason = reasonIn(words);
  // For samples that they permanently refuse, Prometheus up to 2.4x responds with 500 and Thanos Receive with 409. Other conflicts
  // may be temporary.
  if (reason !== undefined && (CONTENT.has(status) || status === 409 || status === 500)) {
    return { kind: 'refused', reason, words: said };
  }
  if (CONTENT.has(status)) {
    return {
      kind: 'refused',
      reason: status === 413 ? 'too_large' : 'invalid',
      words: said,
      unexplained: true,
    };
  }
  return { kind: 'failed', words: said, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/**
 * Returns the failure for a successful response that is a web page or an error. It comes from a login page or gateway, which
 * discards the samples. Undefined if the response may be a receiver's.
 */
export function unlikeReceiver({
  status,
  headers,
  body,
  words,
}: Reply): Extract<ReceiverAnswer, { kind: 'failed' }> | undefined {
  const type = String(headers['content-type'] ?? '').toLowerCase();
  // Some servers send this type even without a body.
  const isPage = type.startsWith('text/html') && words.startsWith('<');
  if (status >= 300 || !(isPage || (type.includes('json') && tellsError(body)))) return undefined;
  const what = isPage ? 'a page' : 'an error';
  return { kind: 'failed', words: `HTTP ${status} with ${what}, which no receiver sends: ${words}` };
}

function tellsError(body: Uint8Array): boolean {
  const { error, errors, status } = Object(parsedJson(Buffer.from(body).toString('utf8')));
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  return isGiven(error) || isGiven(errors) || status === 'error';
}

/** Returns the reason in a receiver's refusal; undefined if its message has no known reason. */
export function reasonIn(words: string): RefusalReason | undefined {
  return REASONS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Writes a field of eight bytes that a JavaScript number cannot represent: a large integer or special bits. */
export function writeFixed64(message: PbfWriter, field: number, value: bigint): void {
  message.writeTag(field, 1);
  message.realloc(8);
  message.dataView.setBigUint64(message.pos, value, true);
  message.pos += 8;
}

/** Returns a function that caches its result per object. Samples of a series mostly share their series object. */
export function onceFor<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** Metric family of a pushed sample. */
export interface PushedFamily {
  /** Name of the series. For histograms and summaries it includes the suffix. */
  readonly name: string;
  readonly type: FamilyMetadata['type'];
  /** Help text; absent if the catalogue does not have the name. */
  readonly help?: string;
}

/** Family and non-empty labels of a pushed series. */
export interface PushedSeries {
  readonly family: PushedFamily;
  readonly labels: Labels;
}

/** Sample in the form that receivers accept. */
export interface PushedSample {
  readonly series: PushedSeries;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Start time of a counter (ms since the epoch); undefined for other types. */
  readonly since: number | undefined;
  /** True if the series ends here: receivers get a stale marker instead of a value. */
  readonly ended?: true;
}

/** Returns a sample for receivers, with the labels of `/metrics`. */
export function pushed({ family: { name, type }, labels, value, at, since }: TimedSample): PushedSample {
  return { series: { family: { name, type }, labels: shownLabels(labels) }, value, at, since };
}

const HELP = new Map(
  [
    ...Object.values(RAW_FAMILIES),
    ...Object.values(MEANING_FAMILIES).flatMap((families) =>
      [...families.values()].flatMap(({ gauge, counter }) =>
        counter === undefined ? [gauge] : [gauge, counter],
      ),
    ),
  ].map(({ name, help }: Family) => [name, help]),
);

/** Returns true for a family of buckets, which are pushed with their own times. */
export function isBucketFamily(name: string): boolean {
  return HELP.has(name);
}

/** Returns the help text of a family, which an outbox does not store. */
export function helpOf({ name, help }: PushedFamily): string {
  return help ?? HELP.get(name) ?? '';
}

/** Returns a function that is true for series that a receiver selects. Every receiver selects series without an account. */
export function selectionOf({
  families,
  accounts,
}: Pick<Receiver, 'families' | 'accounts'>): (series: PushedSeries) => boolean {
  const isFamily = matchesAny(families);
  const isAccount = matchesAny(accounts);
  return ({ family, labels: { account } }) =>
    isFamily(family.name) && (account === undefined || isAccount(account));
}
