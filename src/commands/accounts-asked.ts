import { loadConfig } from '../configuration/config.ts';
import type { Environment } from '../configuration/interpolation.ts';
import { formatIssue } from '../configuration/issue.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { Account } from '../configuration/schema.ts';
import type { Output } from '../text/output.ts';
import { paint } from '../text/paint.ts';
import { didYouMean } from '../text/suggestion.ts';

export interface AccountsAsked {
  readonly accounts: readonly Account[];
  /** The receivers that are pushed to. */
  readonly receivers: readonly Receiver[];
  /** Where they are configured. */
  readonly source: string;
}

export interface AskingFor {
  readonly flags: { readonly 'config.file': string | undefined; readonly account: string | undefined };
  readonly env: Environment;
  readonly stderr: Output;
}

/** The configured accounts, or the only one asked for; undefined when there is none, which is then on stderr. */
export async function accountsAsked({ flags, env, stderr }: AskingFor): Promise<AccountsAsked | undefined> {
  const { 'config.file': file, account: name } = flags;
  const complain = (text: string) => stderr.write(`${paint(stderr, env, 'red', 'error')}: ${text}\n`);
  const loaded = await loadConfig(file === undefined ? { env } : { file, env });
  if (!loaded.ok) {
    for (const issue of loaded.issues) complain(formatIssue(issue));
    return undefined;
  }
  for (const issue of loaded.warnings) {
    stderr.write(`${paint(stderr, env, 'yellow', 'warning')}: ${formatIssue(issue)}\n`);
  }
  const { source } = loaded;
  const { accounts, push: receivers } = loaded.config;
  const asked = accounts.filter((account) => name === undefined || account.name === name);
  if (asked.length > 0) return { accounts: asked, receivers, source };
  const names = accounts.map((account) => account.name);
  complain(`${source}: there is no account "${name}"${didYouMean(name ?? '', names)}`);
  return undefined;
}
