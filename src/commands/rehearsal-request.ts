import { readFile } from 'node:fs/promises';
import type { Invocation } from '../exporter/command-line/command.ts';
import { formatIssue } from '../exporter/configuration/issue.ts';
import { readPasswordFile, readTokenFile } from '../exporter/credentials/secret-file.ts';
import { tlsFileTrouble } from '../exporter/platform/connector.ts';
import { PlatformFailure } from '../exporter/platform/read.ts';
import type { Login, PrometheusAccess } from '../rules/rehearse/prometheus-client.ts';
import { type AlertSettings, SHIPPED } from '../rules/shipped/alert-settings.ts';
import { loadAlertsFile } from '../rules/shipped/alerts-file.ts';

type Flags = Invocation<'rehearse'>['flags'];
type Env = Invocation<'rehearse'>['env'];

/** An alerts file by its name. */
export interface NamedSettings {
  readonly name: string;
  readonly settings: AlertSettings;
}

/** What is to be rehearsed, and over what: the flags, checked. */
export interface RehearsalRequest {
  /** One set of rules, or two to compare. */
  readonly rules: readonly NamedSettings[];
  readonly prometheus: PrometheusAccess | undefined;
}

/** What is asked for, or every mistake in it that shows without asking anybody. */
export async function rehearsalRequest(
  flags: Flags,
  env: Env,
): Promise<{ readonly request: RehearsalRequest; readonly mistakes: readonly string[] }> {
  const mistakes = [...contradictions(flags)];
  const rules = [await settingsOf(flags['alerts.file'], env, mistakes)];
  if (flags.compare !== undefined) rules.push(await settingsOf(flags.compare, env, mistakes));
  const { 'prometheus.url': url } = flags;
  const login = await loginOf(flags, mistakes);
  const ca = await authoritiesOf(flags, mistakes);
  return { request: { rules, prometheus: url === undefined ? undefined : { url, login, ca } }, mistakes };
}

function* contradictions(flags: Flags): Generator<string> {
  const { from, to, days, 'prometheus.url': url, 'history.file': file, sandbox } = flags;
  if (from !== undefined && days !== undefined) yield 'give --from or --days, not both';
  if (from !== undefined && to !== undefined && from >= to) yield '--from must be before --to';
  const sources = { '--prometheus.url': url, '--history.file': file, '--sandbox': sandbox || undefined };
  const given = Object.entries(sources).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (given.length > 1) yield `give one history: ${given.join(' or ')}`;
  const ofPrometheus = (['username', 'password-file', 'bearer-token-file', 'ca-file'] as const).filter(
    (name) => flags[`prometheus.${name}`] !== undefined,
  );
  if (url === undefined && ofPrometheus.length > 0) {
    yield `--prometheus.${ofPrometheus[0]} is given without --prometheus.url`;
  }
  const { 'prometheus.username': username, 'prometheus.password-file': password } = flags;
  if ((username === undefined) !== (password === undefined)) {
    yield 'give --prometheus.username and --prometheus.password-file together';
  }
  if (username !== undefined && flags['prometheus.bearer-token-file'] !== undefined) {
    yield 'give --prometheus.username or --prometheus.bearer-token-file, not both';
  }
}

async function settingsOf(file: string | undefined, env: Env, mistakes: string[]): Promise<NamedSettings> {
  if (file === undefined) return { name: 'as shipped', settings: SHIPPED };
  const loaded = await loadAlertsFile(file, env);
  if (loaded.ok) return { name: file, settings: loaded.settings };
  mistakes.push(...loaded.issues.map(formatIssue));
  return { name: file, settings: SHIPPED };
}

async function loginOf(flags: Flags, mistakes: string[]): Promise<Login | undefined> {
  const {
    'prometheus.username': username,
    'prometheus.password-file': passwordFile,
    'prometheus.bearer-token-file': tokenFile,
  } = flags;
  try {
    if (tokenFile !== undefined) {
      const { secret } = await readTokenFile(tokenFile, '--prometheus.bearer-token-file', undefined);
      return { kind: 'bearer', token: secret };
    }
    if (username === undefined || passwordFile === undefined) return undefined;
    const password = await readPasswordFile(passwordFile, '--prometheus.password-file');
    return { kind: 'basic', username, password };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    mistakes.push(error.message);
    return undefined;
  }
}

async function authoritiesOf(flags: Flags, mistakes: string[]): Promise<string | undefined> {
  const { 'prometheus.ca-file': file } = flags;
  if (file === undefined) return undefined;
  const trouble = await tlsFileTrouble(file, 'ca');
  if (trouble === undefined) return readFile(file, 'utf8');
  mistakes.push(`--prometheus.ca-file ${trouble.message}`);
  return undefined;
}
