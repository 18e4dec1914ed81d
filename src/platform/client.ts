import { Secret } from '../secret.ts';
import type { Credentials } from './credentials.ts';
import { DeadlineExceeded, unlessAborted, withDeadline } from './deadline.ts';
import type { Reply } from './exchange.ts';
import { PlatformFailure } from './outcome.ts';
import type { Answer, Resource } from './read.ts';
import { noAnswerWithin, Transport, type TransportOptions } from './transport.ts';

const MOST_REDIRECTS = 3;

export interface ClientOptions extends TransportOptions {
  /** Whoever made them closes them. */
  readonly credentials: Credentials;
}

/** Reads one account's resources. Can do nothing but GET, and sends the token nowhere but to the account's origin. */
export class Client {
  readonly #baseUrl: string;
  readonly #credentials: Credentials;
  readonly #transport: Transport;
  readonly #timeoutMs: number;

  constructor({ credentials, ...options }: ClientOptions) {
    this.#baseUrl = options.baseUrl;
    this.#timeoutMs = options.timeoutMs;
    this.#credentials = credentials;
    this.#transport = new Transport(options);
  }

  /**
   * One operation. It is more than one exchange when the platform redirects (three times at most), and when the
   * token is refused and the credentials know another one; all of it together ends within the timeout.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  async get(resource: Resource, signal: AbortSignal): Promise<Answer> {
    try {
      return await withDeadline(this.#timeoutMs, signal, (inner) => this.#get(resource, inner));
    } catch (error) {
      if (error instanceof DeadlineExceeded) throw noAnswerWithin(this.#timeoutMs);
      throw error;
    }
  }

  async #get({ path, version, query }: Resource, signal: AbortSignal): Promise<Answer> {
    const address = addressOf(this.#baseUrl, path, query);
    const token = await this.#authorization(signal);
    try {
      return await this.#follow(address, version, token, signal);
    } catch (error) {
      const refused = error instanceof PlatformFailure && error.status === 401;
      if (!refused || !(await unlessAborted(this.#credentials.refused(token, signal), signal))) throw error;
      return await this.#follow(address, version, await this.#authorization(signal), signal);
    }
  }

  /** The file that holds a token may lie on a disk that hangs. */
  #authorization(signal: AbortSignal): Promise<Secret> {
    return unlessAborted(this.#credentials.authorization(signal), signal);
  }

  /** Closes the connections. What is still under way fails; the caller aborts it first. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #follow(address: string, version: number, token: Secret, signal: AbortSignal): Promise<Answer> {
    let path = address;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const { body, location, info } = await this.#send(path, version, token, signal);
      if (location === undefined) return { body, bytes: info.bytes };
      path = redirectTarget(this.#baseUrl, path, location);
    }
    throw new PlatformFailure('undecodable', `redirected more than ${MOST_REDIRECTS} times`);
  }

  #send(path: string, version: number, token: Secret, signal: AbortSignal): Promise<Reply> {
    const authorization = new Secret(`Token ${token.reveal()}`);
    const secrets = [token, ...this.#credentials.secrets()];
    return this.#transport.exchange({ method: 'GET', path, version, authorization, secrets }, signal);
  }
}

/**
 * Path and query of a resource below the account's base address.
 * @param path begins with one slash; parts of it that came from the platform are URI-encoded by the caller
 * @throws PlatformFailure when the path could mean anything but a place below the base address
 */
export function addressOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  if (!/^\/(?![/\\])/.test(path) || path.split(/[/\\]/).some(isDotSegment)) {
    throw new PlatformFailure(
      'network',
      `refused a path outside the account's base address: ${path.slice(0, 80)}`,
    );
  }
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  return url.pathname + url.search;
}

/**
 * Where a redirect leads, as path and query on the account's origin.
 * @param from path and query of the request that was redirected
 * @throws PlatformFailure when it leads to another origin: another scheme, host or port
 */
function redirectTarget(baseUrl: string, from: string, location: string): string {
  const base = new URL(baseUrl);
  const current = new URL(base.origin + from);
  if (!URL.canParse(location, current.href)) {
    throw new PlatformFailure('undecodable', 'redirect to an invalid address');
  }
  const target = new URL(location, current);
  if (target.origin !== base.origin || target.protocol !== base.protocol) {
    throw new PlatformFailure('undecodable', `redirect to another origin (${target.host}) refused`);
  }
  return target.pathname + target.search;
}

/** `.` and `..`, which a URL resolves, written in any of the ways in which it recognises them. */
function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}
