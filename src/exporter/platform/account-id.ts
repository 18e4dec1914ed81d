import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';

/** Hexadecimal digits of an id: enough to distinguish accounts, and nothing can be found out from them. */
const DIGITS = 12;

/**
 * The ids of accounts of the platform at an origin, by the user name or the token that reads them: the same wherever
 * they are made, so that two exporters that poll one account show it. The last one is remembered, as each answer asks.
 */
export function accountIds(origin: string): (owner: Secret) => string {
  let last: { readonly owner: Secret; readonly id: string } | undefined;
  return (owner) => {
    if (last?.owner !== owner) {
      const hash = createHash('sha256').update(`${origin}\n${owner.reveal()}`).digest('hex');
      last = { owner, id: hash.slice(0, DIGITS) };
    }
    return last.id;
  };
}
