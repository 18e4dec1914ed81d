import { type Logger, pino } from 'pino';
import { Scrubber, type Secret } from '../secret.ts';
import { type Output, showing } from '../text/output.ts';

/** From the most to the least that is logged. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export interface LogOptions {
  readonly level: (typeof LOG_LEVELS)[number] | 'silent';
  readonly format: 'logfmt' | 'json';
  /** Written to at once and in order, so that nothing is lost when the process ends. */
  readonly destination: Output;
}

/** A log that masks secrets. */
export interface Logging {
  readonly log: Logger;
  /** Masks a secret in every line from now on, in whatever encoding it gets there. */
  guard(secret: Secret): void;
}

/** A log whose lines hold `ts`, `level`, `msg` and the fields of the event. */
export function createLogger({ level, format, destination }: LogOptions): Logging {
  const scrubber = new Scrubber();
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
    },
    {
      write(line: string) {
        destination.write(showing(scrubber.scrub(format === 'json' ? line : `${logfmt(line)}\n`)));
      },
    },
  );
  return { log, guard: (secret) => scrubber.guard(secret) };
}

/** An error in one line: its message and those of its causes, without a stack. */
function describeError(error: unknown): string {
  const reasons: string[] = [];
  for (
    let at = error;
    at !== undefined && reasons.length < 5;
    at = at instanceof Error ? at.cause : undefined
  ) {
    reasons.push(at instanceof Error ? at.message || at.name : String(at));
  }
  return reasons.join(': ');
}

/** A line of JSON as a line of logfmt: `key=value` pairs, with whatever is not a plain word in quotes. */
export function logfmt(json: string): string {
  const { ts, level, msg, ...fields }: Record<string, unknown> = JSON.parse(json);
  const pairs = Object.entries({ ts, level, msg, ...fields }).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${plainKey(key)}=${plainValue(value)}`).join(' ');
}

function plainKey(key: string): string {
  return key.replaceAll(/[^\w.\-/]/g, '_') || '_';
}

function plainValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.\-+:/@*,;%]+$/.test(text) ? text : JSON.stringify(text);
}
