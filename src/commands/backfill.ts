import { type History, backfill as makeHistory } from '../exporter/backfill/backfill.ts';
import { nameOf } from '../exporter/backfill/collect.ts';
import { moment } from '../exporter/backfill/history-plan.ts';
import {
  BackfillProgress,
  besideProgressLine,
  type LineLog,
  showProgress,
} from '../exporter/backfill/progress.ts';
import { BackfillRefusal } from '../exporter/backfill/refusal.ts';
import { backfillSentence, tellProgress } from '../exporter/backfill/tell-progress.ts';
import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import type { ReceiverChoice } from '../exporter/command-line/flag-values.ts';
import { type Receiver, secretsOfReceiver } from '../exporter/configuration/push-settings.ts';
import type { Account } from '../exporter/configuration/schema.ts';
import { paint } from '../exporter/text/output.ts';
import { didYouMean } from '../exporter/text/suggestion.ts';
import { type AccountsAsked, accountsAsked } from './accounts-asked.ts';

type Call = Invocation<'backfill'>;

/** Writes the platform's history as OpenMetrics, for `promtool tsdb create-blocks-from openmetrics`, or pushes it. */
export async function backfill(call: Call): Promise<ExitCode> {
  const { env, stdout, stderr, signal, logging } = call;
  const complain = (text: string) => stderr.write(`${paint(stderr, env, 'red', 'error')}: ${text}\n`);
  const { mistakes, ...request } = await readFlags(call);
  for (const mistake of mistakes) complain(mistake);
  if (!isComplete(request)) return EXIT.misused;
  try {
    const history = await withProgress(call, request);
    stdout.write(summary(history, request.output));
    warnOfGaps(history, logging.log);
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted) {
      stderr.write('interrupted: run the same command again to continue\n');
      return EXIT.failed;
    }
    const sentence = backfillSentence(error);
    if (sentence === undefined) throw error;
    complain(sentence);
    return error instanceof BackfillRefusal && error.misused ? EXIT.misused : EXIT.failed;
  }
}

/** What a history is made from. */
interface BackfillRequest {
  readonly from: number;
  /** Undefined where it is only pushed. */
  readonly output: string | undefined;
  readonly accounts: readonly Account[];
  readonly receivers: readonly Receiver[];
}

type PartialRequest = { readonly [Key in keyof BackfillRequest]: BackfillRequest[Key] | undefined } & {
  readonly mistakes: string[];
};

/** What is asked for, with every mistake in it that shows without asking the platform. */
async function readFlags({ flags, env, stderr }: Call): Promise<PartialRequest> {
  const { from, to, output } = flags;
  const mistakes: string[] = [];
  if (from === undefined) mistakes.push('--from is missing: the start of the history');
  if (output === undefined && flags.push === 'none') {
    mistakes.push('--output is missing: the file to write; or --push');
  }
  if (from !== undefined && to !== undefined && from >= to) {
    mistakes.push(`--from (${moment(from)}) must be before --to (${moment(to)})`);
  }
  const asked = await accountsAsked({ flags, env, stderr });
  const receivers = receiversChosen(flags.push, asked);
  if (typeof receivers === 'string') mistakes.push(receivers);
  const isWrong = mistakes.length > 0 || typeof receivers === 'string';
  if (isWrong) return { from, output, accounts: undefined, receivers: undefined, mistakes };
  return { from, output, accounts: asked?.accounts, receivers, mistakes };
}

/** The receivers to push to, or what is wrong with asking for them. */
function receiversChosen(
  choice: ReceiverChoice,
  asked: AccountsAsked | undefined,
): readonly Receiver[] | string {
  if (choice === 'none' || asked === undefined) return [];
  const { receivers, source } = asked;
  if (receivers.length === 0) return `${source}: there is no receiver to push to: add one under push`;
  if (choice === 'all') return receivers;
  const chosen = receivers.filter(({ name }) => name === choice.name);
  if (chosen.length > 0) return chosen;
  const names = receivers.map(({ name }) => name);
  return `${source}: there is no receiver "${choice.name}"${didYouMean(choice.name, names)}`;
}

function isComplete(request: Omit<PartialRequest, 'mistakes'>): request is BackfillRequest {
  return request.from !== undefined && request.accounts !== undefined && request.receivers !== undefined;
}

async function withProgress(
  { flags, stderr, signal, logging }: Call,
  request: BackfillRequest,
): Promise<History> {
  const { log, guard } = logging;
  const progress = new BackfillProgress(systemClock);
  for (const secret of request.receivers.flatMap(secretsOfReceiver)) guard(secret);
  const stop = showProgress({ progress, stderr, log, clock: systemClock });
  try {
    return await makeHistory({
      ...request,
      to: flags.to,
      labels: flags.labels ?? {},
      mode: flags.restart ? 'restart' : 'continue',
      clock: systemClock,
      signal,
      guard,
      observer: tellProgress(progress, besideProgressLine(log, stderr)),
    });
  } finally {
    stop();
  }
}

function summary({ plan, series, pushed }: History, output: string | undefined): string {
  const range = `${moment(plan.range.from)} to ${moment(plan.range.to)}`;
  const receivers = [...pushed].map(
    ([name, samples]) => `receiver ${name}: ${series.length} metrics from ${range}, ${samples} samples`,
  );
  const file = [
    `${output}: ${series.length} metrics from ${range}`,
    `Import it: promtool tsdb create-blocks-from openmetrics --max-block-duration=192h ${output} <data directory of Prometheus>`,
  ];
  return [...receivers, ...(output === undefined ? [] : file), ''].join('\n');
}

function warnOfGaps({ series }: History, log: LineLog): void {
  for (const { planned, spool } of series) {
    if (spool.lacking === 0) continue;
    const facts = { metric: nameOf(planned), windows: spool.lacking };
    log.warn(facts, 'buckets missing in these windows');
  }
}
