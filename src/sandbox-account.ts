import { CONFIG, type Config } from './configuration/schema.ts';
import { createSandbox, DEFAULT_TOKEN } from './sandbox/sandbox.ts';

/** The embedded platform, running, and the configuration that polls it. */
export interface SandboxAccount {
  readonly url: string;
  readonly config: Config;
  close(): Promise<void>;
}

/** Starts the embedded platform on a free port of this machine, for an exporter that has nothing else to poll. */
export async function startSandboxAccount(seed: number): Promise<SandboxAccount> {
  const sandbox = createSandbox({ seed });
  const { url, close } = await sandbox.listen(0, '127.0.0.1');
  const config = CONFIG.parse({ accounts: [{ name: 'sandbox', api_url: url, token: DEFAULT_TOKEN.token }] });
  return { url, config, close };
}
