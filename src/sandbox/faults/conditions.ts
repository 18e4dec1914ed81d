import { z } from 'zod';

/** When and where a fault applies: always and everywhere by default. */
export const lasting = {
  /** Path prefixes, in which `*` stands for any part, or whole paths that end in `$`: `/metrics/*waf`, `/domains$`. */
  paths: z.array(z.string()).optional(),
  methods: z.array(z.string().toUpperCase()).optional(),
  /** Applies for the first `for_ms` of every `every_ms`, counted from the epoch. */
  period: z.strictObject({ every_ms: z.number().positive(), for_ms: z.number().positive() }).optional(),
};

/** Faults of single requests may also apply at random. */
export const when = {
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

interface When {
  readonly paths?: readonly string[] | undefined;
  readonly methods?: readonly string[] | undefined;
  readonly period?: { readonly every_ms: number; readonly for_ms: number } | undefined;
}

/** Whether a fault may apply to the request; `probability` is decided elsewhere. */
export function concerns({ paths, methods, period }: When, { method, path, now }: FaultContext): boolean {
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
