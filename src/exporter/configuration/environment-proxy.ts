import type { ProxyServer } from '../platform/connector.ts';
import { EXPECTED_PROXY, isLoopback, parseProxy, type RouteKeys } from './access.ts';
import type { Environment } from './environment.ts';
import type { ConfigIssue } from './issue.ts';

/** The proxy from the environment for a URL, if any, or the mistake in its variable. */
type EnvironmentProxy =
  | { readonly proxy: ProxyServer | undefined }
  | { readonly variable: string; readonly message: string };

/** Returns an account or receiver with the environment's proxy if it configures none, or the mistake in the variable. */
export function withEnvironmentProxy<Part extends { readonly request: RouteKeys }>(
  part: Part,
  address: string,
  env: Environment,
): { readonly part: Part } | { readonly issue: ConfigIssue } {
  if (part.request.proxy !== undefined) return { part };
  const found = environmentProxy(address, env);
  if ('variable' in found)
    return { issue: { source: 'environment', path: found.variable, message: found.message } };
  const { proxy } = found;
  return { part: proxy === undefined ? part : { ...part, request: { ...part.request, proxy } } };
}

/**
 * Returns the environment's proxy for a URL, by the rules of Go and curl: HTTPS_PROXY for https, HTTP_PROXY for http, lower case
 * first. URLs in NO_PROXY and loopback hosts have none.
 */
export function environmentProxy(apiUrl: string, env: Environment): EnvironmentProxy {
  const url = new URL(apiUrl);
  const variable = [`${url.protocol.slice(0, -1)}_proxy`]
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isLoopback(url.hostname)) return { proxy: undefined };
  if (isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return { proxy: undefined };
  const address = env[variable] ?? '';
  const proxy = parseProxy(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`, variable);
  return proxy === undefined ? { variable, message: EXPECTED_PROXY } : { proxy };
}

/** Returns true if NO_PROXY contains the host or a domain above it, with or without a port. */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const actualPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const host = bare(hostname);
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .some((entry) => {
      const [, name = entry, itsPort = actualPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      const domain = bare(name.replace(/^\*?\./, ''));
      const isNamed = host === domain || host.endsWith(`.${domain}`);
      return entry === '*' || (entry !== '' && isNamed && itsPort === actualPort);
    });
}

/** Returns an IPv6 address without the brackets that it has in URLs. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
