import { CONFIG, type Config } from '../exporter/configuration/schema.ts';
import { createSandbox, DEFAULT_TOKEN } from '../sandbox/sandbox.ts';

/** The embedded platform, running, and the configuration that polls it. */
export interface SandboxAccount {
  readonly url: string;
  readonly config: Config;
  close(): Promise<void>;
}

/** How the embedded platform is polled: its token has no other clients for whom more would have to be left. */
export const SANDBOX_ACCOUNT = { name: 'sandbox', quota: { reserve: 0.1 } } as const;

/** Starts the embedded platform on a free port of this machine, for an exporter that has nothing else to poll. */
export async function startSandboxAccount(seed: number): Promise<SandboxAccount> {
  const sandbox = createSandbox({ seed });
  const { url, close } = await sandbox.listen(0, '127.0.0.1');
  const config = CONFIG.parse({
    accounts: [{ ...SANDBOX_ACCOUNT, api_url: url, token: DEFAULT_TOKEN.token }],
  });
  return { url, config, close };
}
