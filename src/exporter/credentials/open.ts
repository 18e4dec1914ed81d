import { type Credentials, staticToken } from '../platform/credentials.ts';
import type { TransportOptions } from '../platform/exchange.ts';
import type { Secret } from '../secret.ts';
import { readPasswordFile, TokenFile } from './secret-file.ts';
import { TokenLogin } from './token-login.ts';

/** What an account authenticates with, as configured: a token, or the user whose token the exporter creates, renews and revokes. */
export type CredentialsSource =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token_file'; readonly path: string }
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: Secret | { readonly file: string };
    };

export interface CredentialsOptions extends TransportOptions {
  /** Called with what an operator should know and no poll reports, such as a failed renewal. */
  readonly onNotice?: (text: string) => void;
}

/** An account's credentials. A login keeps one connection of its own. */
export function openCredentials(source: CredentialsSource, options: CredentialsOptions): Credentials {
  if (source.kind === 'token') return staticToken(source.token);
  if (source.kind === 'token_file') return new TokenFile(source.path);
  const { username, password } = source;
  return new TokenLogin({
    ...options,
    username,
    password: async () => ('file' in password ? readPasswordFile(password.file, 'the password') : password),
  });
}
