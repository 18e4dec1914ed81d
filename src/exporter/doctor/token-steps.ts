import type { Credentials as ConfiguredCredentials } from '../configuration/access.ts';
import type { Credentials } from '../platform/credentials.ts';
import type { FailureOutcome } from '../platform/outcome.ts';
import { duration } from '../text/duration.ts';
import { type Step, stepsNamed } from './step.ts';

/** Why there was no token to send. */
export function noTokenStep(
  configured: ConfiguredCredentials,
  outcome: FailureOutcome,
  reason: string,
): Step {
  const { problem } = stepsNamed('token');
  if (configured.kind !== 'password') return problem(`there is no token to send: ${reason}`);
  const hint = outcome === 'unauthorized' ? '; are username and password right?' : '';
  return problem(`no token could be created for ${configured.username}: ${reason}${hint}`);
}

const ORIGINS: Readonly<Record<Credentials['kind'], string>> = {
  token: 'the configured token',
  token_file: 'the token of the token file',
  password: 'a token created for the configured user',
};

/** The platform has taken the token. @param now local ms */
export function tokenTakenStep(credentials: Credentials, now: number): Step {
  const expiresAt = credentials.expiresAt();
  const life =
    expiresAt === undefined
      ? 'its expiry is unknown'
      : `it expires in ${duration((expiresAt - now) / 1_000)} and is renewed before`;
  return stepsNamed('token').ok(`${ORIGINS[credentials.kind]} is accepted; ${life}`);
}

/** The platform has refused the token. */
export function tokenRefusedStep(credentials: Credentials, reason: string): Step {
  const remedy: Readonly<Record<Credentials['kind'], string>> = {
    token: 'it has expired, was revoked or is not one of this platform: create another',
    token_file: 'it has expired, was revoked or is not one of this platform: put another into the file',
    password: 'the platform does not know a token that it created: is api_url right?',
  };
  return stepsNamed('token').problem(
    `${ORIGINS[credentials.kind]} is refused (${reason}): ${remedy[credentials.kind]}`,
  );
}
