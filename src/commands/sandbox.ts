import { readFile } from 'node:fs/promises';
import { aborted } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { CONFIG } from '../exporter/configuration/schema.ts';
import { parseListenAddress } from '../exporter/web/listen-address.ts';
import { parseOptions } from '../sandbox/options-file.ts';
import { createSandbox, DEFAULT_TOKEN, DEFAULT_USER, type SandboxOptions } from '../sandbox/sandbox.ts';

type SandboxCommand = Invocation<'sandbox'>;

/** Runs the embedded platform until the process is asked to end, so that other exporters and tools can be tested against it. */
export async function sandbox(invocation: SandboxCommand): Promise<ExitCode> {
  const { flags, stdout, complain, signal } = invocation;
  const options = await optionsOf(flags);
  if (typeof options === 'string') {
    complain(options);
    return EXIT.misused;
  }
  const { host = '0.0.0.0', port = 0 } = parseListenAddress(flags['sandbox.listen-address']) ?? {};
  const platform = createSandbox(options);
  try {
    const { url, close } = await platform.listen(port, host);
    stdout.write(introduction(url, options));
    await aborted(signal);
    await close();
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'listen')) throw error;
    complain(error.message);
    return EXIT.failed;
  }
}

async function optionsOf(flags: SandboxCommand['flags']): Promise<SandboxOptions | string> {
  const file = flags['sandbox.config.file'];
  const seed = flags['sandbox.seed'];
  if (file === undefined) return { seed };
  try {
    return { seed, ...parseOptions(await readFile(file, 'utf8')) };
  } catch (error) {
    return `${file}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Returns instructions for users. They contain the token and the user, which are invented and not secret. */
function introduction(
  url: string,
  { tokens = [DEFAULT_TOKEN], users = [DEFAULT_USER] }: SandboxOptions,
): string {
  const address = url.replace('0.0.0.0', '127.0.0.1');
  return [
    `embedded platform at ${address}, with made-up traffic; its controls are under ${address}/_sandbox/`,
    ...tokens.slice(0, 1).map(({ token }) => `  by token: EDGE_API_URL=${address} EDGE_TOKEN=${token}`),
    ...users
      .slice(0, 1)
      .map(
        ({ username, password }) =>
          `  by user:  EDGE_API_URL=${address} EDGE_USERNAME=${username} EDGE_PASSWORD=${password}`,
      ),
    '',
  ].join('\n');
}

/** Account of the embedded platform, whose token has no other clients. */
export const SANDBOX_ACCOUNT = { name: 'sandbox', quota: { reserve: 0.1 } } as const;

/** Starts the embedded platform on a free port of this machine, for an exporter without a configured account. */
export async function startSandboxAccount(seed: number) {
  const sandbox = createSandbox({ seed });
  const { url, close } = await sandbox.listen(0, '127.0.0.1');
  const config = CONFIG.parse({
    accounts: [{ ...SANDBOX_ACCOUNT, api_url: url, token: DEFAULT_TOKEN.token }],
  });
  return { url, config, close };
}
