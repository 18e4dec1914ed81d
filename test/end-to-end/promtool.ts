import { inLongSuite } from '../long-suite.ts';
import { type Ending, runToEnd } from './child-process.ts';
import { toolPath } from './tools.ts';

/**
 * For programs in Go that end by themselves. Collecting its garbage is a fifth to a third of promtool's work on rules: not before
 * there is this much. It evaluates one rule after the other: that its goroutines look for another processor takes a twelfth.
 */
export const ECONOMICAL = { GOGC: 'off', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' };

/** Runs promtool; `check metrics` reads its input, and `check rules` exits 3 on a lint. */
export function promtool(
  args: readonly string[],
  stdin?: string | Uint8Array,
  tool: (typeof PROMTOOLS)[number] = 'promtool',
): Promise<Ending> {
  const env = { ...process.env, ...ECONOMICAL };
  return runToEnd({ path: toolPath(tool), args, env, ...(stdin === undefined ? {} : { stdin }) });
}

/** The rules are for Prometheus 2.42 to 3.x: promtool of both ends. */
export const PROMTOOLS = ['promtool', 'promtool3'] as const;

/** Those for the nth of many alike tests, or of those that cost most: for a change one in turn. */
export function promtoolsFor(nth: number): readonly (typeof PROMTOOLS)[number][] {
  return PROMTOOLS.filter((_, index) => inLongSuite(true, index === nth % PROMTOOLS.length));
}

/** Runs the tests of a file; what promtool says of those that fail, or nothing. */
export async function testRules(tool: (typeof PROMTOOLS)[number], file: string): Promise<string> {
  const { code, stdout, stderr } = await promtool(['test', 'rules', file], undefined, tool);
  return code === 0 ? '' : stdout + stderr;
}

/** Runs amtool. */
export function amtool(args: readonly string[]): Promise<Ending> {
  return runToEnd({ path: toolPath('amtool'), args });
}
