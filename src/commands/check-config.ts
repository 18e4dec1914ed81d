import { EXIT, type ExitCode, type Invocation, type Output } from '../command-line/command.ts';
import { type ConfigSource, loadConfig } from '../configuration/config.ts';
import { type ConfigIssue, formatIssue } from '../configuration/config-issue.ts';
import type { Account, Config } from '../configuration/config-schema.ts';

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
  const error = painted(stderr, env, 31, 'error');
  if (!loaded.ok) {
    for (const issue of loaded.issues) stderr.write(line(error, issue));
    return EXIT.misused;
  }
  const warning = painted(stderr, env, 33, 'warning');
  for (const issue of loaded.warnings) stderr.write(line(warning, issue));
  stdout.write(`${loaded.source}: ok\n${summary(loaded.config)}`);
  return EXIT.ok;
}

function line(label: string, issue: ConfigIssue): string {
  return `${label}: ${formatIssue(issue)}\n`;
}

/** The text in a colour (an ANSI code) where someone looks at it and has not asked for none (NO_COLOR). */
function painted(
  output: Output,
  env: Invocation<'check-config'>['env'],
  colour: number,
  text: string,
): string {
  const wanted = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return wanted ? `\u001b[${colour}m${text}\u001b[0m` : text;
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
