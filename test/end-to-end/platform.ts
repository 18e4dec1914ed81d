import { onTestFinished } from 'vitest';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/sandbox.ts';

/** The sandbox in the test's process, with its truth and its switches. */
export interface ServedSandbox extends Sandbox {
  readonly url: string;
  /** Environment for an exporter that polls it. */
  readonly env: { readonly EDGE_API_URL: string; readonly EDGE_TOKEN: string };
}

/** Limits that no test reaches, for tests that are not about the quota. */
export const AMPLE = { reads: 100_000, writes: 1_000, purges: 1_000 };

/** Serves a sandbox for as long as the test lasts. */
export async function serveSandbox(options: SandboxOptions = {}): Promise<ServedSandbox> {
  const sandbox = createSandbox({ rateLimit: AMPLE, ...options });
  const { url, close } = await sandbox.listen(0);
  onTestFinished(close);
  return { ...sandbox, url, env: { EDGE_API_URL: url, EDGE_TOKEN: DEFAULT_TOKEN.token } };
}
