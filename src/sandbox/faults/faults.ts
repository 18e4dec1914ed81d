import { z } from 'zod';
import { timestampOption } from '../formats.ts';
import { fraction, keyOf } from '../hash.ts';

/** When and where a fault applies: always and everywhere by default. */
const lasting = {
  /** Path prefixes, in which `*` stands for any part, or whole paths that end in `$`: `/metrics/*waf`, `/domains$`. */
  paths: z.array(z.string()).optional(),
  methods: z.array(z.string().toUpperCase()).optional(),
  /** Applies for the first `for_ms` of every `every_ms`, counted from the epoch. */
  period: z.strictObject({ every_ms: z.number().positive(), for_ms: z.number().positive() }).optional(),
};

/** Faults of single requests may also apply at random. */
const when = {
  /** Share of the requests that are affected, picked by the seed. */
  probability: z.number().min(0).max(1).default(1),
  ...lasting,
};

/** What decides whether a fault applies. */
export interface FaultContext {
  readonly method: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type When = z.output<z.ZodObject<typeof lasting>>;

/** Whether a fault may apply to the request; `probability` is decided elsewhere. */
function concerns({ paths, methods, period }: When, { method, path, now }: FaultContext): boolean {
  if (methods && !methods.includes(method)) return false;
  if (period && now % period.every_ms >= period.for_ms) return false;
  return paths === undefined || paths.some((pattern) => matches(pattern, path));
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function matches(pattern: string, path: string): boolean {
  const whole = pattern.endsWith('$');
  const parts = (whole ? pattern.slice(0, -1) : pattern).split('*').map(escaped);
  return new RegExp(`^${parts.join('.*')}${whole ? '$' : ''}`).test(path);
}

const milliseconds = z.number().min(0);
const origin = z.url({ protocol: /^https?$/ });

export const POINT_DAMAGES = [
  'string_value',
  'null_value',
  'nan_text',
  'object_value',
  'negative_value',
  'not_a_pair',
  'seconds_timestamp',
  'future_point',
  'duplicate',
  'out_of_order',
] as const;

export const SHAPE_QUIRKS = ['extra_fields', 'ids_as_strings', 'null_results', 'single_object'] as const;

export const EMPTY_FORMS = ['points', 'list', 'body', 'object', 'null'] as const;

export type EmptyForm = (typeof EMPTY_FORMS)[number];

/** Every fault by name. A fault that is present is on. */
export const faultsSchema = z
  .strictObject({
    /** Answers come late, by `ms` and up to `spread_ms` more. */
    latency: z.strictObject({ ...when, ms: milliseconds, spread_ms: milliseconds.default(0) }),
    /** 429 from elsewhere, with the whole limit spent; `retry_after` in seconds, left out when null. */
    rate_limited: z.strictObject({ ...when, retry_after: z.int().min(0).nullable().default(null) }),
    server_error: z.strictObject({
      ...when,
      status: z.int().min(500).max(599).default(500),
      form: z.enum(['json', 'html', 'empty']).default('json'),
    }),
    /** 404, as if there were no such path. */
    not_found: z.strictObject(when),
    /** 403, as if the user lacked the permission. */
    forbidden: z.strictObject(when),
    /** A 400 as text/html. */
    html_error: z.strictObject(when),
    /** The request is never answered. */
    timeout: z.strictObject(when),
    connection_reset: z.strictObject(when),
    redirect: z.strictObject({
      ...when,
      origin,
      status: z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)]).default(302),
    }),
    malformed_body: z.strictObject(when),
    /** `document`: a whole answer with half a document; `connection`: less than the promised length, then closed. */
    truncated_body: z.strictObject({ ...when, cut: z.enum(['document', 'connection']).default('document') }),
    /**
     * `points`: series without points, datasets without rows; `list`: a list without items, metadata without metrics; `body`: no bytes at all;
     * `object`: `{}`; `null`: the document `null`.
     */
    empty_answer: z.strictObject({
      ...when,
      form: z.enum(EMPTY_FORMS).default('points'),
      /** So many items of a bare list are left. */
      keep: z.int().min(0).default(0),
    }),
    /** Points that a client must not trust, among good ones. */
    wrong_types: z.strictObject({
      ...when,
      kinds: z
        .array(z.enum(POINT_DAMAGES))
        .min(1)
        .default([...POINT_DAMAGES]),
      /** Share of the points that are damaged. */
      share: z.number().min(0).max(1).default(0.1),
    }),
    /** Rows that are not in the answer: every so many-th of each series, and a share of the others at random. */
    missing_rows: z.strictObject({
      ...when,
      every: z.int().min(2).optional(),
      share: z.number().min(0).max(1).default(0),
    }),
    /** Values that no traffic has. */
    absurd_values: z.strictObject({
      ...when,
      share: z.number().min(0).max(1).default(0.01),
      value: z.number().default(1e21),
    }),
    /** Rows that come twice, the second time with another value. */
    conflicting_rows: z.strictObject({
      ...when,
      share: z.number().min(0).max(1).default(0.05),
      factor: z.number().min(0).default(1.5),
    }),
    /** Timestamps that are up to `ms` before or after the start of their bucket. */
    timestamp_jitter: z.strictObject({ ...when, ms: milliseconds.default(500) }),
    /** Shapes that were seen where others are documented. */
    quirks: z.strictObject({
      ...when,
      kinds: z
        .array(z.enum(SHAPE_QUIRKS))
        .min(1)
        .default([...SHAPE_QUIRKS]),
    }),
    /** The three headers of the rate limit; those not omitted are as usual, or invalid. */
    rate_headers: z.strictObject({
      ...when,
      omit: z.array(z.enum(['limit', 'remaining', 'reset'])).default(['limit', 'remaining', 'reset']),
      garble: z.array(z.enum(['limit', 'remaining', 'reset'])).default([]),
    }),
    /** 204 without a body, as unknown paths of the GraphQL API are answered. */
    no_content: z.strictObject(when),
    /** GraphQL: 200 with an `errors` array; `data` is null, or what it should be. */
    graphql_errors: z.strictObject({ ...when, data: z.literal('whole').nullable().default(null) }),
    /** GraphQL: answers are cut silently at so many rows, although more may be asked for. */
    cut_rows: z.strictObject({ ...when, rows: z.int().min(0).default(1000) }),
    /** GraphQL: rows that come twice, as pages of changing data do. */
    repeated_rows: z.strictObject({ ...when, share: z.number().min(0).max(1).default(0.05) }),
    /** GraphQL: selected fields that rows lack; all that were counted unless `fields` names some, keys too. */
    missing_fields: z.strictObject({
      ...when,
      fields: z.array(z.string()).optional(),
      share: z.number().min(0).max(1).default(1),
    }),
    /** GraphQL: numbers come as text. */
    number_strings: z.strictObject({ ...when, share: z.number().min(0).max(1).default(1) }),
    /** GraphQL: answers with so many rows, whatever the limit: each comes again and again. */
    huge_answer: z.strictObject({ ...when, rows: z.int().min(1).default(1_000_000) }),
    /** Page links lead to another origin. */
    foreign_links: z.strictObject({ ...when, origin }),
    /** The newest buckets are not there yet; `settling: late` makes the older ones fill up that much later, too. */
    late_data: z.strictObject({
      ...lasting,
      minutes: z.number().positive(),
      settling: z.enum(['on_time', 'late']).default('on_time'),
    }),
    /** What was counted between two moments is lost: there are no buckets that lie between them. */
    missing_data: z.strictObject({ ...lasting, from: timestampOption, to: timestampOption }),
    /**
     * Buckets show this many times their value until they are so many minutes old, and are restated then: downwards where
     * the factor is above 1, upwards where it is below.
     */
    late_restatement: z.strictObject({
      ...lasting,
      minutes: z.number().positive().default(13),
      factor: z.number().min(0).default(1.1),
    }),
    /** Windows that should be answered with the finest buckets have wider ones, or a part of each answer has. */
    wide_buckets: z.strictObject({
      ...lasting,
      minutes: z.int().min(2).max(60).default(5),
      /** `mixed`: every other stretch of that width is one bucket, the others are of the finest ones. */
      part: z.enum(['all', 'older', 'newer', 'mixed']).default('all'),
      /** Where the older part ends, in minutes before the newest bucket. */
      age: z.number().positive().default(15),
    }),
    /**
     * A node of the platform whose clock is off: its Date header, where its answers end, or both. With a probability, nodes
     * disagree; with a period, the clock jumps. `future`: whether a node that is ahead has zeros for what is still to come.
     */
    node_clock: z.strictObject({
      ...when,
      ms: z.number(),
      shows: z.enum(['date', 'data', 'both']).default('both'),
      future: z.enum(['zeros', 'absent']).default('zeros'),
    }),
    /** The platform's own clock, and so its Date header, its resets and its newest bucket, is off. */
    clock_skew: z.strictObject({ ...lasting, ms: z.number() }),
    /** Another client of the same token takes this share of every limit. */
    other_consumer: z.strictObject({ ...lasting, share: z.number().min(0).max(1) }),
  })
  .partial();

/** The faults that are on, with all their settings. */
export type Faults = z.output<typeof faultsSchema>;

/** The same as one writes them: what has a default may be left out. */
export type FaultSettings = z.input<typeof faultsSchema>;

export type FaultName = keyof Faults;

/**
 * The faults that are on; they can be changed at any time. Random numbers come from the seed, those of each path in a
 * row of their own: runs repeat, whichever of several requests at the same moment arrives first.
 */
export class FaultSwitch {
  readonly #seed: number;
  /** How many numbers were drawn, by fault and path. */
  readonly #draws = new Map<string, number>();
  #faults: Faults = {};

  constructor(seed: number, faults: FaultSettings = {}) {
    this.#seed = keyOf(seed, 'faults');
    this.set(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Turns these on and all others off. @throws ZodError when a setting is not understood */
  set(faults: FaultSettings): void {
    this.#faults = faultsSchema.parse(faults);
    this.#draws.clear();
  }

  /** Turns these on, and off those that are null; the others stay. @throws ZodError */
  patch(faults: { readonly [Name in FaultName]?: FaultSettings[Name] | null }): void {
    const merged = { ...this.#faults, ...faults };
    const kept = Object.entries(merged).filter(([, fault]) => fault !== null && fault !== undefined);
    this.#faults = faultsSchema.parse(Object.fromEntries(kept));
  }

  clear(): void {
    this.set({});
  }

  /** The settings of the fault if it applies to this request; of those that may apply at random each call decides anew. */
  strike<Name extends FaultName>(name: Name, context: FaultContext): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined || !concerns(fault, context)) return undefined;
    const strikes = !('probability' in fault) || this.chance(name, context) < fault.probability;
    return strikes ? fault : undefined;
  }

  /** The next random number for this fault and path, 0 <= number < 1. */
  chance(name: FaultName, { path }: FaultContext): number {
    const row = `${name} ${path}`;
    const draw = this.#draws.get(row) ?? 0;
    this.#draws.set(row, draw + 1);
    return fraction(keyOf(this.#seed, row), draw);
  }
}
