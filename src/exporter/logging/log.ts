import { type Logger, pino } from 'pino';
import { Scrubber, type Secret } from '../secret.ts';
import { type Output, showing } from '../text/output.ts';

/** Log levels, from the most to the least verbose. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export interface LogOptions {
  readonly level: (typeof LOG_LEVELS)[number] | 'silent';
  readonly format: 'logfmt' | 'json';
  /** Output that is written at once and in order, so that nothing is lost when the process exits. */
  readonly destination: Output;
}

/** Logger that masks secrets. */
export interface Logging {
  readonly log: Logger;
  /** Masks a secret in every line from now on, in any encoding. */
  guard(secret: Secret): void;
}

/** Creates a log whose lines have `ts`, `level`, `msg` and the fields of the event. */
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

/** Returns an error in one line: its message and those of its causes, without a stack trace. */
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

/** Returns a line of JSON as a line of logfmt: `key=value` pairs, with values quoted unless they are plain words. */
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
