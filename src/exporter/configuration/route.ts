import type { Route } from '../platform/connector.ts';
import type { ProxyServer } from './proxy-address.ts';

/** The keys of `request` that say how connections are made. */
export interface RouteKeys {
  readonly proxy?: ProxyServer | 'none';
  readonly ca_file?: string;
  readonly cert_file?: string;
  readonly key_file?: string;
  readonly server_name?: string;
}

/** The way to a platform or receiver: through which proxy, and whom to trust there. */
export function routeOf({ proxy, ca_file, cert_file, key_file, server_name }: RouteKeys): Route {
  return {
    ...(typeof proxy === 'object' && { proxy }),
    tls: { caFile: ca_file, certFile: cert_file, keyFile: key_file, serverName: server_name },
  };
}
