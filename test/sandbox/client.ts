import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { whenTestEnds } from '../when-test-ends.ts';

/** A Friday, 20 seconds past a minute, in ms since the epoch. */
export const NOON = Date.UTC(2026, 10, 20, 12, 34, 20);

/** Complete answer of the sandbox. */
export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /**
   * Returns the JSON document.
   * @throws if the body is not JSON
   */
  json(): unknown;
}

/** Sandbox that listens until the test finishes, with a clock that only the test moves. */
export interface Bench {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Time of the clock in milliseconds since the epoch. */
  time: number;
  get(path: string, version?: number, headers?: Record<string, string>): Promise<Response>;
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly version?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const ROOMY = { reads: 1_000_000, writes: 1_000_000, purges: 1_000_000 };

export async function startBench(options: SandboxOptions = {}): Promise<Bench> {
  const clock = { time: NOON };
  const sandbox = createSandbox({ rateLimit: ROOMY, now: () => clock.time, ...options });
  const { url, close: end } = await sandbox.listen(0);
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= end());
  whenTestEnds(close);
  const call = async (
    method: string,
    path: string,
    { version = 3, body, headers, signal }: CallOptions = {},
  ) => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        accept: `application/json; version=${version}`,
        authorization: 'Token sandbox-token',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) };
  };
  return Object.assign(clock, {
    sandbox,
    url,
    call,
    close,
    get: (path: string, version = 3, headers: Record<string, string> = {}) =>
      call('GET', path, { version, headers }),
  });
}

/** Returns the value of a user's `Authorization` header. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
