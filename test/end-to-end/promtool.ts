import { type Ending, runToEnd } from './child-process.ts';
import { toolPath } from './tools.ts';

/** Runs promtool; `check metrics` reads its input, and `check rules` exits 3 on a lint. */
export function promtool(args: readonly string[], stdin?: string | Uint8Array): Promise<Ending> {
  return runToEnd({ path: toolPath('promtool'), args, ...(stdin === undefined ? {} : { stdin }) });
}

/** Runs amtool. */
export function amtool(args: readonly string[]): Promise<Ending> {
  return runToEnd({ path: toolPath('amtool'), args });
}
