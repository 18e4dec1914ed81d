import { families } from '../exporter/catalogue/catalogue.ts';
import {
  DISCOVERY_FAMILIES,
  LEARNED_FAMILIES,
  PLATFORM_FAMILIES,
} from '../exporter/catalogue/platform-families.ts';
import { PRODUCTS } from '../exporter/catalogue/products.ts';
import { shardText } from '../exporter/cluster/shard.ts';
import { COLLECTORS } from '../exporter/collectors.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { type ConfigSource, examineConfig } from '../exporter/configuration/config.ts';
import { configFromEnvironment, type Environment } from '../exporter/configuration/environment.ts';
import { type ConfigIssue, formatIssue, inOrder } from '../exporter/configuration/issue.ts';
import type { NamedFile } from '../exporter/configuration/named-files.ts';
import type { AccountConfig, Config } from '../exporter/configuration/schema.ts';
import { secretFileTrouble } from '../exporter/credentials/secret-file.ts';
import { GraphqlSource } from '../exporter/graphql/graphql-source.ts';
import { tlsFileTrouble } from '../exporter/platform/tls-files.ts';
import { documentedMetrics } from '../exporter/self/measured-metrics.ts';
import { loadAlertsFile } from '../rules/shipped/alerts-file.ts';
import { inShard } from './accounts-asked.ts';

/** Checks the configuration: prints a summary on stdout, or every mistake on stderr, and warnings. */
export async function checkConfig({
  flags,
  env,
  stdout,
  complain,
  warn,
}: Invocation<'check-config'>): Promise<ExitCode> {
  const file = flags['config.file'];
  const alertsFile = flags['alerts.file'];
  if (file === undefined && alertsFile !== undefined && configFromEnvironment(env) === undefined) {
    const mistakes = await alertMistakes(alertsFile, env);
    for (const issue of mistakes) complain(formatIssue(issue));
    if (mistakes.length === 0) stdout.write(`${alertsFile}: ok\n`);
    return mistakes.length === 0 ? EXIT.ok : EXIT.misused;
  }
  const source: ConfigSource = file === undefined ? { env } : { file, env };
  const { loaded, warnings, files: named } = await examineConfig(source, exposedFamilies());
  const files = await filesInTrouble(named);
  const alerts = await alertMistakes(alertsFile, env);
  const mistakes = [...(loaded.ok ? [] : loaded.issues), ...files.mistakes];
  for (const issue of [...inOrder(mistakes), ...alerts]) complain(formatIssue(issue));
  for (const issue of inOrder([...warnings, ...files.doubts])) warn(formatIssue(issue));
  if (!loaded.ok || mistakes.length + alerts.length > 0) return EXIT.misused;
  const accounts = inShard(loaded.config.accounts, flags);
  stdout.write(`${loaded.source}: ok\n${summary({ ...loaded.config, accounts })}`);
  if (alertsFile !== undefined) stdout.write(`${alertsFile}: ok\n`);
  return EXIT.ok;
}

/** Returns the names of all families that `/metrics` may have. */
function exposedFamilies(): string[] {
  const ofPlatform = [...families(), ...PLATFORM_FAMILIES, ...LEARNED_FAMILIES, ...DISCOVERY_FAMILIES];
  const ofSettings = Object.values(COLLECTORS).flatMap((collector) => collector.families);
  const own = documentedMetrics().flatMap((registry) => registry.getMetricsAsArray());
  return [...ofPlatform, ...ofSettings, ...own].map(({ name }) => name);
}

async function alertMistakes(file: string | undefined, env: Environment): Promise<readonly ConfigIssue[]> {
  if (file === undefined) return [];
  const alerts = await loadAlertsFile(file, env);
  return alerts.ok ? [] : alerts.issues;
}

/**
 * Returns the problems of the named files. A file that cannot be read is a warning, because the exporter may run elsewhere. A file
 * with the wrong content is a mistake.
 */
async function filesInTrouble(files: readonly NamedFile[]) {
  const examined = files.map(async (file) => {
    const { path, holds } = file;
    const isSecret = holds === 'token' || holds === 'password';
    const trouble = await (isSecret ? secretFileTrouble(path, holds) : tlsFileTrouble(path, holds));
    return trouble === undefined ? [] : [{ ...trouble, issue: file.issue(trouble.message) }];
  });
  const troubled = (await Promise.all(examined)).flat();
  return {
    mistakes: troubled.filter(({ wrong }) => wrong).map(({ issue }) => issue),
    doubts: troubled.filter(({ wrong }) => !wrong).map(({ issue }) => issue),
  };
}

function summary(config: Config): string {
  const receivers = config.push.map(({ name, kind, url }) => `push ${name} to ${url}, by ${kind}\n`);
  return [...config.accounts.map(accountSummary), ...receivers].join('');
}

function accountSummary({ name, api_url, credentials, collectors, shard, source }: AccountConfig): string {
  const running = Object.entries(collectors).map(([collector, settings]) => {
    const products = 'products' in settings ? productsText(collector, { source, ...settings }) : '';
    return `  ${collector} (${settings.schedule} UTC)${products}\n`;
  });
  const part = shard === undefined ? '' : `  ${shardText(shard)}\n`;
  return `account ${name} at ${api_url}, by ${credentials.kind}\n${part}${running.join('')}`;
}

/** Returns a text that lists the products that are read, and those that the source lacks. */
function productsText(collector: string, { products, source }: ReadProducts): string {
  const unread = PRODUCTS.filter(
    (product) =>
      product.api === collector &&
      source === 'graphql' &&
      !GraphqlSource.serves(product) &&
      product.slug in products,
  ).map(({ slug }) => slug);
  const read = Object.keys(products).filter((slug) => !unread.includes(slug));
  const not =
    unread.length === 0 ? '' : `; not read, as GraphQL has none of their metrics: ${unread.join(', ')}`;
  return `: ${read.join(', ') || 'none'}${not}`;
}

interface ReadProducts {
  readonly products: object;
  readonly source?: AccountConfig['source'] | undefined;
}
