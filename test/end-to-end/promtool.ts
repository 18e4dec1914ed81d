import { inLongSuite } from '../long-suite.ts';
import { type Ending, runToEnd } from './child-process.ts';
import { toolPath } from './tools.ts';

/**
 * Settings for short-lived Go programs. Garbage collection is a fifth to a third of promtool's work on rules;
 * idle goroutines are a twelfth.
 */
export const ECONOMICAL = { GOGC: 'off', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' };

/** Runs promtool. `check metrics` reads `stdin`; `check rules` exits with 3 if a lint fails. */
export function promtool(
  args: readonly string[],
  stdin?: string | Uint8Array,
  tool: (typeof PROMTOOLS)[number] = 'promtool',
): Promise<Ending> {
  const env = { ...process.env, ...ECONOMICAL };
  return runToEnd({ path: toolPath(tool), args, env, ...(stdin === undefined ? {} : { stdin }) });
}

/** Oldest and newest version of promtool, because the rules support Prometheus 2.42 to 3.x. */
export const PROMTOOLS = ['promtool', 'promtool3'] as const;

/**
 * Returns the versions of promtool for the nth of many similar or expensive tests. Outside the long suite,
 * the versions alternate.
 */
export function promtoolsFor(nth: number): readonly (typeof PROMTOOLS)[number][] {
  return PROMTOOLS.filter((_, index) => inLongSuite(true, index === nth % PROMTOOLS.length));
}

/**
 * Runs the rule tests of a file. Returns promtool's output if a test fails, and an empty string otherwise.
 */
export async function testRules(tool: (typeof PROMTOOLS)[number], file: string): Promise<string> {
  const { code, stdout, stderr } = await promtool(['test', 'rules', file], undefined, tool);
  return code === 0 ? '' : stdout + stderr;
}

export function amtool(args: readonly string[]): Promise<Ending> {
  return runToEnd({ path: toolPath('amtool'), args });
}
