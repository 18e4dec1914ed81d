import { EXIT, type ExitCode, type Invocation } from '../command-line/command.ts';
import { paint } from '../command-line/paint.ts';
import { type ConfigSource, loadConfig } from '../configuration/config.ts';
import { type ConfigIssue, formatIssue } from '../configuration/issue.ts';
import type { Account, Config } from '../configuration/schema.ts';

/** Checks the configuration: a summary on stdout when it is good, every mistake on stderr when it is not. */
export async function checkConfig({
  flags,
  env,
  stdout,
  stderr,
}: Invocation<'check-config'>): Promise<ExitCode> {
  const file = flags['config.file'];
  const source: ConfigSource = file === undefined ? { env } : { file, env };
  const loaded = await loadConfig(source);
  const error = paint(stderr, env, 'red', 'error');
  if (!loaded.ok) {
    for (const issue of loaded.issues) stderr.write(line(error, issue));
    return EXIT.misused;
  }
  const warning = paint(stderr, env, 'yellow', 'warning');
  for (const issue of loaded.warnings) stderr.write(line(warning, issue));
  stdout.write(`${loaded.source}: ok\n${summary(loaded.config)}`);
  return EXIT.ok;
}

function line(label: string, issue: ConfigIssue): string {
  return `${label}: ${formatIssue(issue)}\n`;
}

function summary(config: Config): string {
  return config.accounts.map(accountSummary).join('');
}

function accountSummary({ name, api_url, credentials, collectors }: Account): string {
  const running = Object.entries(collectors).map(([collector, settings]) => {
    const products = 'products' in settings ? `: ${Object.keys(settings.products).join(', ')}` : '';
    return `  ${collector} (${settings.schedule})${products}\n`;
  });
  return `account ${name} at ${api_url}, by ${credentials.kind}\n${running.join('')}`;
}
