import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { backfillSentence } from '../exporter/backfill/refusal.ts';
import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { type Progress, withProgress } from '../exporter/command-line/progress.ts';
import { formatIssue } from '../exporter/configuration/issue.ts';
import type { AccountConfig } from '../exporter/configuration/schema.ts';
import { readPasswordFile, readTokenFile } from '../exporter/credentials/secret-file.ts';
import { PlatformFailure } from '../exporter/platform/read.ts';
import { tlsFileTrouble } from '../exporter/platform/tls-files.ts';
import { doneWith, fileTrouble } from '../exporter/text/file-trouble.ts';
import { paint, showing } from '../exporter/text/output.ts';
import { startDemonstration } from '../rules/rehearse/demonstration.ts';
import { fileHistory, LineProblem } from '../rules/rehearse/file-history.ts';
import { type RehearsalHistory, RehearsalRefusal } from '../rules/rehearse/history.ts';
import { platformHistory } from '../rules/rehearse/platform-history.ts';
import { type Login, type PrometheusAccess, PrometheusClient } from '../rules/rehearse/prometheus-client.ts';
import { prometheusHistory } from '../rules/rehearse/prometheus-history.ts';
import { rehearse as evaluateHistory, recordedText } from '../rules/rehearse/rehearsal.ts';
import { type RehearsedRules, rehearsedRules } from '../rules/rehearse/rehearsed-rules.ts';
import { type RehearsalReport, reportOf } from '../rules/rehearse/report.ts';
import { reportJson } from '../rules/rehearse/report-json.ts';
import { reportPage } from '../rules/rehearse/report-page.ts';
import { reportText } from '../rules/rehearse/report-text.ts';
import { type AlertSettings, SHIPPED } from '../rules/shipped/alert-settings.ts';
import { loadAlertsFile } from '../rules/shipped/alerts-file.ts';
import { accountsAsked } from './accounts-asked.ts';

type Call = Invocation<'rehearse'>;

const MINUTE = 60_000;
const DAY = 86_400_000;
const DEFAULT_DAYS = 30;
/** Maximum number of days, more than any Prometheus stores. */
const MOST_DAYS = 3_650;

/** Length (ms) of the history that can be read: the platform's 30 days minus the time of reading. */
const PLATFORM_KEEPS = 30 * DAY - 2 * 3_600_000;

const NO_HISTORY =
  'a rehearsal needs a history: that of a Prometheus (--prometheus.url), of a file (--history.file), of the platform, or the made-up one of --sandbox';

/** Prints which alerts would have fired on the operator's own history. */
export async function rehearse(call: Call): Promise<ExitCode> {
  const { flags, env, stdout, stderr, complain, signal, logging } = call;
  const { request, mistakes } = await rehearsalRequest(flags, env);
  for (const mistake of mistakes) complain(mistake);
  const accounts = needsPlatform(call) ? (await accountsAsked(call))?.accounts : [];
  if (accounts === undefined && flags['config.file'] === undefined) complain(NO_HISTORY);
  if (mistakes.length > 0 || accounts === undefined) return EXIT.misused;
  try {
    const login = request.prometheus?.login;
    if (login !== undefined) logging.guard(login.kind === 'basic' ? login.password : login.token);
    const rehearsed = request.rules.map(({ settings }) => rehearsedRules(settings));
    const report = await withProgress(logging.log, stderr, systemClock, (progress) =>
      withHistory({ ...request, call, accounts, rehearsed, progress }),
    );
    const painted: Parameters<typeof reportText>[1] = (colour, text) => paint(stdout, env, colour, text);
    stdout.write(flags.format === 'json' ? reportJson(report) : reportText(report, painted));
    if (flags.output !== undefined) {
      await doneWith(flags.output, writeFile(flags.output, showing(reportPage(report))));
      if (flags.format !== 'json') stdout.write(`\nWith charts: ${flags.output}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    const advice =
      flags['history.file'] === undefined
        ? '--history.file keeps what is read from the platform'
        : 'run the same command again to continue';
    if (signal.aborted) {
      stderr.write(`interrupted: ${advice}\n`);
      return EXIT.failed;
    }
    const sentence = sentenceOf(error, advice);
    if (sentence === undefined) throw error;
    complain(sentence);
    return EXIT.failed;
  }
}

function needsPlatform({ flags }: Call): boolean {
  const { 'prometheus.url': url, 'history.file': file, sandbox } = flags;
  return url === undefined && !sandbox && !(file !== undefined && existsSync(file));
}

interface Work extends RehearsalRequest {
  readonly call: Call;
  readonly accounts: readonly AccountConfig[];
  readonly rehearsed: readonly RehearsedRules[];
  readonly progress: Progress;
}

async function withHistory(work: Work): Promise<RehearsalReport> {
  const { call, prometheus, progress } = work;
  if (prometheus !== undefined) {
    const client = new PrometheusClient(prometheus, call.signal, () => progress.count());
    try {
      const range = rangeOf(call.flags);
      return await evaluated(
        await prometheusHistory({
          client,
          url: prometheus.url,
          range,
          rules: work.rehearsed,
        }),
        work,
      );
    } finally {
      await client.close();
    }
  }
  return evaluated(await (call.flags.sandbox ? demonstrated(work) : ownHistory(work)), work);
}

/** Returns the requested range, or the default one up to now, in whole minutes. */
function rangeOf({ from, to, days = DEFAULT_DAYS }: Call['flags'], now = Date.now()) {
  const end = Math.floor((to ?? now) / MINUTE) * MINUTE;
  return { from: Math.ceil((from ?? end - days * DAY) / MINUTE) * MINUTE, to: end };
}

async function demonstrated(work: Work): Promise<RehearsalHistory> {
  const platform = await startDemonstration(work.call.flags['sandbox.seed']);
  try {
    return await fromPlatform({ ...work, accounts: platform.config.accounts }, 'the embedded platform');
  } finally {
    await platform.close();
  }
}

async function ownHistory(work: Work): Promise<RehearsalHistory> {
  const { call, rehearsed, progress } = work;
  const { 'history.file': file, from, to, days } = call.flags;
  if (file === undefined || !existsSync(file)) return fromPlatform(work, 'the platform');
  progress.stage = `reading ${file}`;
  return doneWith(file, fileHistory({ file, rules: rehearsed, from, to, days }));
}

function fromPlatform(
  { call, accounts, rehearsed, progress }: Work,
  source: string,
): Promise<RehearsalHistory> {
  const { flags, signal, logging } = call;
  const { from: first, to } = flags;
  const asked = rangeOf(flags).from;
  return platformHistory({
    accounts,
    rules: rehearsed,
    // A range without explicit dates may be shorter.
    from: first ?? Math.max(asked, Date.now() - PLATFORM_KEEPS),
    to,
    file: flags['history.file'],
    source,
    clock: systemClock,
    signal,
    guard: logging.guard,
    progress,
  });
}

async function evaluated(history: RehearsalHistory, work: Work): Promise<RehearsalReport> {
  const { call, rules, rehearsed, progress } = work;
  progress.expect(history.pieces, 0, 'evaluating the rules');
  const result = await evaluateHistory(history, rehearsed, call.signal, () => progress.advance(1));
  const { recorded } = call.flags;
  if (recorded !== undefined) await doneWith(recorded, writeFile(recorded, recordedText(result.recorded())));
  return reportOf({
    history,
    rehearsed: result,
    rules: rules.map(({ name }, index) => ({ name, rules: rehearsed[index] as RehearsedRules })),
  });
}

function sentenceOf(error: unknown, advice: string): string | undefined {
  if (error instanceof RehearsalRefusal || error instanceof LineProblem) return error.message;
  return fileTrouble(error) ?? backfillSentence(error, advice);
}

type Flags = Invocation<'rehearse'>['flags'];
type Env = Invocation<'rehearse'>['env'];

interface NamedSettings {
  readonly name: string;
  readonly settings: AlertSettings;
}

interface RehearsalRequest {
  /** One set of rules, or two to compare. */
  readonly rules: readonly NamedSettings[];
  readonly prometheus: PrometheusAccess | undefined;
}

/** Returns the request, and every mistake in it that can be detected without a request to a server. */
async function rehearsalRequest(
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
  const { from, to, days, 'prometheus.url': url, 'history.file': file, sandbox, recorded, output } = flags;
  if (recorded !== undefined && [file, output].includes(recorded))
    yield '--recorded needs a file of its own: another flag names the same';
  if (from !== undefined && days !== undefined) yield 'give --from or --days, not both';
  if (from !== undefined && from >= (to ?? Date.now()))
    yield '--from must be before --to, which is now where it is not given';
  const range = rangeOf(flags);
  if (url !== undefined && range.to - range.from > MOST_DAYS * DAY)
    yield `expected at most ${MOST_DAYS} days`;
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
