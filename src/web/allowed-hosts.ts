import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whether a request names this server by a name that it goes by: one of `names` (`*.example.net` for every name below),
 * `localhost`, or an IP address. A page of another site that has its own name resolved to our address (DNS rebinding)
 * cannot do that, since a browser sends the page's name. Without names every request is taken.
 */
export function namesAllowedHost(request: IncomingMessage, names: readonly string[]): boolean {
  if (names.length === 0) return true;
  const host = hostOf(request);
  // Only a client of HTTP/1.0 may name none, and no browser is one.
  if (host === undefined) return true;
  if (host === 'localhost' || host.endsWith('.localhost') || isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0)
    return true;
  return names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));
}

/** The host that a request is for, without its port; a whole address as the target goes before the header. */
function hostOf({ url = '', headers }: IncomingMessage): string | undefined {
  const authority = /^[a-z][\w+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  return authority?.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
