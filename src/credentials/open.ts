import { type Credentials, staticToken } from '../platform/credentials.ts';
import type { TransportOptions } from '../platform/transport.ts';
import type { Secret } from '../secret.ts';
import { readPasswordFile } from './secret-file.ts';
import { TokenFile } from './token-file.ts';
import { TokenLogin } from './token-login.ts';

/** Where an account's token comes from, as configured. */
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

/** An account's credentials. A login keeps one connection of its own, and reports its exchanges like a Client's. */
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
