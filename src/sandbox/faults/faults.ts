import { z } from 'zod';
import { timestampOption } from '../timestamp-format.ts';
import { lasting, when } from './conditions.ts';

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
     * `points`: series without points; `list`: a list without items, metadata without metrics; `body`: no bytes at all;
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
    /** Windows that should be answered with the finest buckets have wider ones, or a part of each answer has. */
    wide_buckets: z.strictObject({
      ...lasting,
      minutes: z.int().min(2).max(60).default(5),
      part: z.enum(['all', 'older', 'newer']).default('all'),
      /** Where the older part ends, in minutes before the newest bucket. */
      age: z.number().positive().default(15),
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

/** Faults that last instead of affecting single requests. */
export type LastingFault = 'late_data' | 'missing_data' | 'wide_buckets' | 'clock_skew' | 'other_consumer';
