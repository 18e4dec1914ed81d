import { z } from 'zod';
import { Secret } from '../secret.ts';
import { refuse } from './field-types.ts';

/** A proxy that an account's platform is reached through. */
export interface ProxyServer {
  /** Scheme, host and port, without credentials: this may be shown. */
  readonly origin: string;
  /** What the proxy authenticates us by, where its address held a user name. */
  readonly login?: ProxyLogin;
  /** What named it: a key of the configuration or a variable. */
  readonly from: string;
}

export interface ProxyLogin {
  readonly password: Secret;
  /** User name and password as the Proxy-Authorization header holds them. */
  readonly basic: Secret;
}

/** `proxy` as it is configured: its address, or `none` whatever the environment says. */
export function proxyAddress() {
  return z
    .string()
    .meta({ examples: ['http://proxy.example.net:3128', 'none'] })
    .transform((given, context): ProxyServer | 'none' => {
      if (given === 'none') return 'none';
      return parseProxy(given, 'request.proxy') ?? refuse(context, `${EXPECTED_PROXY}, or "none"`);
    });
}

export const EXPECTED_PROXY =
  'expected the address of an http or https proxy, such as "http://proxy.example.net:3128"';

/** The proxy at an address, with the user name and password that may stand in it; undefined where it is none. */
export function parseProxy(address: string, from: string): ProxyServer | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    !/^\/?$/.test(url.pathname + url.search + url.hash)
  )
    return undefined;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username === undefined || password === undefined) return undefined;
  const proxy = { origin: url.origin, from };
  if (username === '' && password === '') return proxy;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return { ...proxy, login: { password: new Secret(password), basic: new Secret(basic) } };
}

/** A part of an address as it was meant; undefined where a `%` in it begins no encoded character. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // decodeURIComponent's only way to refuse.
    return undefined;
  }
}
