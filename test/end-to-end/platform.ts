import { onTestFinished } from 'vitest';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/sandbox.ts';

/** Sandbox in the test's process, with its true values and its faults. */
export interface ServedSandbox extends Sandbox {
  readonly url: string;
  /** Environment for an exporter that polls the sandbox. */
  readonly env: { readonly EDGE_API_URL: string; readonly EDGE_TOKEN: string };
}

/** Rate limits that no test reaches, for tests that are not about the quota. */
export const AMPLE = { reads: 100_000, writes: 1_000, purges: 1_000 };

/** Serves a sandbox until the test finishes. */
export async function serveSandbox(options: SandboxOptions = {}): Promise<ServedSandbox> {
  const sandbox = createSandbox({ rateLimit: AMPLE, ...options });
  const { url, close } = await sandbox.listen(0);
  onTestFinished(close);
  return { ...sandbox, url, env: { EDGE_API_URL: url, EDGE_TOKEN: DEFAULT_TOKEN.token } };
}
