import type { Account } from '../configuration/schema.ts';
import type { Route } from '../platform/connector.ts';

/** How an account's platform is reached: its proxy and TLS settings. */
export function routeOf({ proxy, ca_file, cert_file, key_file, server_name }: Account['request']): Route {
  return {
    ...(typeof proxy === 'object' && { proxy }),
    tls: { caFile: ca_file, certFile: cert_file, keyFile: key_file, serverName: server_name },
  };
}
