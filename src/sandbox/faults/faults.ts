import { z } from 'zod';
import { timestampOption } from '../formats.ts';
import { fraction, keyOf } from '../hash.ts';

/** Fields for the time and paths of a fault; default: always and everywhere. */
const lasting = {
  /** Path prefixes, in which `*` matches any part, or whole paths that end in `$`: `/metrics/*waf`, `/domains$`. */
  paths: z.array(z.string()).optional(),
  methods: z.array(z.string().toUpperCase()).optional(),
  /** Period of the fault: it applies for the first `for_ms` of every `every_ms`, counted from the epoch. */
  period: z.strictObject({ every_ms: z.number().positive(), for_ms: z.number().positive() }).optional(),
};

/** Fields for faults of single requests, which may also apply at random. */
const when = {
  /** Share of affected requests (0 to 1), selected with the seed. */
  probability: z.number().min(0).max(1).default(1),
  ...lasting,
};

/** Facts that determine if a fault applies. */
export interface FaultContext {
  readonly method: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type When = z.output<z.ZodObject<typeof lasting>>;

/** Returns true if a fault may apply to the request; `probability` is checked elsewhere. */
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
const minutes = z.number().positive();
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

const RATE_HEADERS = ['limit', 'remaining', 'reset'] as const;

const share = (usual: number) => z.number().min(0).max(1).default(usual);
const factor = (usual: number) => z.number().min(0).default(usual);
const someOf = <Name extends string>(names: readonly Name[]) =>
  z
    .array(z.enum(names))
    .min(1)
    .default([...names]);

/** Schema of the faults by name; a present one is active. config/sandbox.yaml explains each. */
export const faultsSchema = z
  .strictObject({
    latency: z.strictObject({ ...when, ms: milliseconds, spread_ms: milliseconds.default(0) }),
    rate_limited: z.strictObject({ ...when, retry_after: z.int().min(0).nullable().default(null) }),
    server_error: z.strictObject({
      ...when,
      status: z.int().min(500).max(599).default(500),
      form: z.enum(['json', 'html', 'empty']).default('json'),
    }),
    not_found: z.strictObject(when),
    forbidden: z.strictObject(when),
    html_error: z.strictObject(when),
    timeout: z.strictObject(when),
    connection_reset: z.strictObject(when),
    redirect: z.strictObject({ ...when, origin, status: z.literal([301, 302, 307, 308]).default(302) }),
    malformed_body: z.strictObject(when),
    truncated_body: z.strictObject({ ...when, cut: z.enum(['document', 'connection']).default('document') }),
    empty_answer: z.strictObject({
      ...when,
      form: z.enum(EMPTY_FORMS).default('points'),
      keep: z.int().min(0).default(0),
    }),
    wrong_types: z.strictObject({ ...when, kinds: someOf(POINT_DAMAGES), share: share(0.1) }),
    missing_rows: z.strictObject({ ...when, every: z.int().min(2).optional(), share: share(0) }),
    absurd_values: z.strictObject({ ...when, share: share(0.01), value: z.number().default(1e21) }),
    conflicting_rows: z.strictObject({ ...when, share: share(0.05), factor: factor(1.5) }),
    timestamp_jitter: z.strictObject({ ...when, ms: milliseconds.default(500) }),
    quirks: z.strictObject({ ...when, kinds: someOf(SHAPE_QUIRKS) }),
    rate_headers: z.strictObject({
      ...when,
      omit: z.array(z.enum(RATE_HEADERS)).default([...RATE_HEADERS]),
      garble: z.array(z.enum(RATE_HEADERS)).default([]),
    }),
    no_content: z.strictObject(when),
    graphql_errors: z.strictObject({ ...when, data: z.literal('whole').nullable().default(null) }),
    cut_rows: z.strictObject({ ...when, rows: z.int().min(0).default(1000) }),
    repeated_rows: z.strictObject({ ...when, share: share(0.05) }),
    missing_fields: z.strictObject({ ...when, fields: z.array(z.string()).optional(), share: share(1) }),
    number_strings: z.strictObject({ ...when, share: share(1) }),
    huge_answer: z.strictObject({ ...when, rows: z.int().min(1).default(1_000_000) }),
    foreign_links: z.strictObject({ ...when, origin }),
    late_data: z.strictObject({
      ...lasting,
      minutes,
      settling: z.enum(['on_time', 'late']).default('on_time'),
    }),
    missing_data: z.strictObject({ ...lasting, from: timestampOption, to: timestampOption }),
    late_restatement: z.strictObject({ ...lasting, minutes: minutes.default(13), factor: factor(1.1) }),
    wide_buckets: z.strictObject({
      ...lasting,
      minutes: z.int().min(2).max(60).default(5),
      part: z.enum(['all', 'older', 'newer', 'mixed']).default('all'),
      age: minutes.default(15),
    }),
    node_clock: z.strictObject({
      ...when,
      ms: z.number(),
      shows: z.enum(['date', 'data', 'both']).default('both'),
      future: z.enum(['zeros', 'absent']).default('zeros'),
    }),
    clock_skew: z.strictObject({ ...lasting, ms: z.number() }),
    other_consumer: z.strictObject({ ...lasting, share: z.number().min(0).max(1) }),
  })
  .partial();

/** The active faults, with all their settings. */
export type Faults = z.output<typeof faultsSchema>;

/** The active faults before validation: fields with a default are optional. */
export type FaultSettings = z.input<typeof faultsSchema>;

export type FaultName = keyof Faults;

/**
 * Active faults, which can change at any time. Random numbers are derived from the seed, separately per path. So runs are
 * repeatable, whichever of simultaneous requests arrives first.
 */
export class FaultSwitch {
  readonly #seed: number;
  /** Number of random numbers drawn, by fault and path. */
  readonly #draws = new Map<string, number>();
  #faults: Faults = {};

  constructor(seed: number, faults: FaultSettings = {}) {
    this.#seed = keyOf(seed, 'faults');
    this.set(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Enables these faults and disables all others. @throws ZodError if a setting is invalid */
  set(faults: FaultSettings): void {
    this.#faults = faultsSchema.parse(faults);
    this.#draws.clear();
  }

  /** Enables these faults, and disables those that are null; the others stay. @throws ZodError if a setting is invalid */
  patch(faults: { readonly [Name in FaultName]?: FaultSettings[Name] | null }): void {
    const merged = { ...this.#faults, ...faults };
    const kept = Object.entries(merged).filter(([, fault]) => fault !== null && fault !== undefined);
    this.#faults = faultsSchema.parse(Object.fromEntries(kept));
  }

  clear(): void {
    this.set({});
  }

  /** Returns the fault's settings if it applies to this request. Each call decides a random fault again. */
  strike<Name extends FaultName>(name: Name, context: FaultContext): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined || !concerns(fault, context)) return undefined;
    const strikes = !('probability' in fault) || this.chance(name, context) < fault.probability;
    return strikes ? fault : undefined;
  }

  /** Returns the next random number for this fault and path, 0 <= number < 1. */
  chance(name: FaultName, { path }: FaultContext): number {
    const row = `${name} ${path}`;
    const draw = this.#draws.get(row) ?? 0;
    this.#draws.set(row, draw + 1);
    return fraction(keyOf(this.#seed, row), draw);
  }
}
