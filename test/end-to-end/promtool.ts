import { inLongSuite } from '../long-suite.ts';
import { type Ending, runToEnd } from './child-process.ts';
import { toolPath } from './tools.ts';

/**
 * Settings for Go programs that end soon. Garbage collection is a fifth to a third of promtool's work on rules, and idle
 * goroutines take a twelfth.
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

/**
 * Returns the versions of promtool for the nth of many similar or expensive tests. Outside the long suite it is one
 * version in turn.
 */
export function promtoolsFor(nth: number): readonly (typeof PROMTOOLS)[number][] {
  return PROMTOOLS.filter((_, index) => inLongSuite(true, index === nth % PROMTOOLS.length));
}

/** Runs the tests of a file. Returns promtool's words for failed ones, or nothing. */
export async function testRules(tool: (typeof PROMTOOLS)[number], file: string): Promise<string> {
  const { code, stdout, stderr } = await promtool(['test', 'rules', file], undefined, tool);
  return code === 0 ? '' : stdout + stderr;
}

/** Runs amtool. */
export function amtool(args: readonly string[]): Promise<Ending> {
  return runToEnd({ path: toolPath('amtool'), args });
}
