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
  /** Sends samples in one request, no two of one series. @throws the signal's reason when it aborts */
  send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer>;
}

/** Reasons why a receiver never accepts a sample. */
export const REFUSAL_REASONS = ['too_old', 'out_of_order', 'duplicate', 'too_large', 'invalid'] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Answer of a receiver to the samples of one request. */
export type ReceiverAnswer =
  | { readonly kind: 'accepted' }
  /** It has taken all but `rejected` samples, which it will never take. */
  | {
      readonly kind: 'partly accepted';
      readonly rejected: number;
      readonly reason: RefusalReason;
      readonly words: string;
    }
  /** At least one of the samples is refused for good, without a name. */
  | {
      readonly kind: 'refused';
      readonly reason: RefusalReason;
      readonly words: string;
      /** True if its words give no known reason: perhaps it answers everything like this. */
      readonly unexplained?: true;
    }
  /** It may take them another time. */
  | { readonly kind: 'failed'; readonly words: string; readonly retryAfterMs?: number };

/** Words of Prometheus, Mimir, Thanos and VictoriaMetrics for a wrong sample. */
const REASONS: readonly (readonly [RefusalReason, RegExp])[] = [
  ['too_old', /too[- _]old|out of bounds|out-of-bounds|too far (?:in|into) the past|older than/i],
  ['duplicate', /duplicate[- _]sample|duplicate[- _]timestamp|for duplicate/i],
  ['out_of_order', /out[- _]of[- _]order/i],
];

/** Statuses that are about the content of a request, not about the way there. */
const CONTENT = new Set([400, 413, 422]);

/** Interprets an answer that is no success. If it can be mended (an address, a token), it is a failure, and samples are kept. */
export function refusalOrFailure(
  status: number,
  words: string,
  retryAfterMs: number | undefined,
): Exclude<ReceiverAnswer, { kind: 'accepted' }> {
  const said = `HTTP ${status}${words === '' ? '' : `: ${words}`}`;
  const reason = reasonIn(words);
  // Prometheus up to 2.4x answers 500 to samples that it will never take, Thanos Receive 409; other conflicts may pass.
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
 * Returns the failure of a successful answer that is a web page or an error: a login page or a gateway answered and
 * dropped the samples. Undefined if a receiver may have answered.
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

/** Returns the reason in a receiver's refusal; undefined if it names none that is known. */
export function reasonIn(words: string): RefusalReason | undefined {
  return REASONS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Writes a field of eight bytes that a JavaScript number cannot hold: a large integer or special bits. */
export function writeFixed64(message: PbfWriter, field: number, value: bigint): void {
  message.writeTag(field, 1);
  message.realloc(8);
  message.dataView.setBigUint64(message.pos, value, true);
  message.pos += 8;
}

/** Makes something of each object once: samples of a series mostly share theirs, also from one request to the next. */
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

/** Family of a sample, as a receiver gets it. */
export interface PushedFamily {
  /** Name of the series: for histograms and summaries with the suffix of its line. */
  readonly name: string;
  readonly type: FamilyMetadata['type'];
  /** Absent if the catalogue has no such name. */
  readonly help?: string;
}

/** Series with its labels that are not empty. */
export interface PushedSeries {
  readonly family: PushedFamily;
  readonly labels: Labels;
}

/** Sample in the form that receivers get. */
export interface PushedSample {
  readonly series: PushedSeries;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Time at which a counter was zero (ms since the epoch). */
  readonly since: number | undefined;
  /** The series ends here: instead of a value, receivers get a stale marker. */
  readonly ended?: true;
}

/** A sample with its labels as `/metrics` shows them. */
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

/** True if a family is of buckets, which are pushed at their own times. */
export function isBucketFamily(name: string): boolean {
  return HELP.has(name);
}

/** The help text of a family; an outbox holds names alone. */
export function helpOf({ name, help }: PushedFamily): string {
  return help ?? HELP.get(name) ?? '';
}

/** Returns true if a receiver gets a series: by its family and account. Series without an account go to every receiver. */
export function selectionOf({
  families,
  accounts,
}: Pick<Receiver, 'families' | 'accounts'>): (series: PushedSeries) => boolean {
  const isFamily = matchesAny(families);
  const isAccount = matchesAny(accounts);
  return ({ family, labels: { account } }) =>
    isFamily(family.name) && (account === undefined || isAccount(account));
}
