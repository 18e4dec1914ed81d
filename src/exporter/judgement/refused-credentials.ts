import type { AccountStatus } from '../status.ts';

const RENEW =
  'Renew the credentials: a token file is read again by itself, a token of the configuration on a reload, `EDGE_TOKEN` on a restart.';

const CHECK_LOGIN =
  'Check `username` and its password: a password file is read again by itself, a password of the configuration on a reload, `EDGE_PASSWORD` on a restart. The exporter makes the tokens itself.';

/** Tells what to do about credentials that the platform refuses: of a login the exporter makes the tokens itself. */
export function nextWhenRefused(credentials: AccountStatus['credentials']): string {
  return credentials === 'password' ? CHECK_LOGIN : RENEW;
}
