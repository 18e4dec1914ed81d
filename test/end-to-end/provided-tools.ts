import { unpackDebianPackage } from './debian-packages.ts';
import { unpackNpmBinaries } from './npm-binaries.ts';
import { DEBIAN_PACKAGES, findTool, howToGet, NPM_TOOLS, packagesOf, type Tool, toolsOf } from './tools.ts';

/** Unpacks every tool that is missing. @throws an error whose one line says what to install */
export async function provideAll(): Promise<void> {
  await Promise.all([...DEBIAN_PACKAGES.map(provide), provideFromNpm()]);
}

/** Unpacks the Debian packages of these tools, where they are missing. @throws an error whose one line says what to install */
export async function provideTools(tools: readonly Tool[]): Promise<void> {
  await Promise.all(packagesOf(tools).map(provide));
}

async function provideFromNpm(): Promise<void> {
  const missing = () => NPM_TOOLS.filter((tool) => findTool(tool) === undefined);
  if (missing().length === 0) return;
  const failure = await unpackNpmBinaries().catch((error: Error) => error);
  if (missing().length === 0) return;
  throw new Error(
    `${missing()
      .map((tool) => howToGet(tool))
      .join('; ')}${failure ? ` (${failure.message.trim()})` : ''}`,
    {
      cause: failure,
    },
  );
}

async function provide(debianPackage: string): Promise<void> {
  const missing = () => toolsOf(debianPackage).filter((tool) => findTool(tool) === undefined);
  if (missing().length === 0) return;
  const failure = await unpackDebianPackage(debianPackage).catch((error: Error) => error);
  if (missing().length === 0) return;
  const tried = failure
    ? ` (Debian's package ${debianPackage} could not be had: ${failure.message.trim()})`
    : '';
  throw new Error(
    `${missing()
      .map((tool) => howToGet(tool))
      .join('; ')}${tried}`,
    { cause: failure },
  );
}
