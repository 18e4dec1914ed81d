import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { formatIssue } from '../exporter/configuration/issue.ts';
import { createWhole } from '../exporter/state/directory.ts';
import { SHIPPED } from '../rules/shipped/alert-settings.ts';
import { loadAlertsFile } from '../rules/shipped/alerts-file.ts';
import {
  jsonnetRuleText,
  kubernetesRuleText,
  type RuleFiles,
  ruleFiles,
  ruleTexts,
  wholeRuleText,
} from '../rules/shipped/rule-files.ts';

type Call = Invocation<'rules'>;

/** Writes the recording and alert rules for the alerts file to stdout or to files of a directory. */
export async function rules({ flags, env, stdout, complain }: Call): Promise<ExitCode> {
  const { 'alerts.file': file, format, output } = flags;
  const loaded =
    file === undefined ? ({ ok: true, settings: SHIPPED } as const) : await loadAlertsFile(file, env);
  if (!loaded.ok) {
    for (const issue of loaded.issues) complain(formatIssue(issue));
    return EXIT.misused;
  }
  const files = ruleFiles(loaded.settings);
  if (output === undefined) {
    const isPrometheus = format === undefined || format === 'prometheus';
    stdout.write(isPrometheus ? wholeRuleText(files) : Object.values(textsOf(files, format)).join(''));
    return EXIT.ok;
  }
  try {
    for (const path of await writeTexts(textsOf(files, format), output)) stdout.write(`${path}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    complain(`${output}: the rules cannot be written: ${error.message}`);
    return EXIT.failed;
  }
}

function textsOf(files: RuleFiles, format: Call['flags']['format']): Readonly<Record<string, string>> {
  if (format === 'kubernetes') return { 'prometheus-rule.yaml': kubernetesRuleText(files) };
  return format === 'jsonnet' ? { 'rules.libsonnet': jsonnetRuleText(files) } : ruleTexts(files);
}

async function writeTexts(
  texts: Readonly<Record<string, string>>,
  folder: string,
): Promise<readonly string[]> {
  await createWhole(resolve(folder));
  const paths = Object.entries(texts).map(([name, text]) => ({ path: join(folder, name), text }));
  for (const { path, text } of paths) await writeFile(path, text);
  return paths.map(({ path }) => path);
}
