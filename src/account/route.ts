import type { Account } from '../configuration/schema.ts';
import type { Route } from '../platform/connector.ts';

/** The way to an account's platform: through which proxy, and whom to trust there. */
export function routeOf({ proxy, ca_file, cert_file, key_file, server_name }: Account['request']): Route {
  return {
    ...(typeof proxy === 'object' && { proxy }),
    tls: { caFile: ca_file, certFile: cert_file, keyFile: key_file, serverName: server_name },
  };
}
