import { type History, backfill as makeHistory } from '../backfill/backfill.ts';
import type { BackfillObserver } from '../backfill/backfill-options.ts';
import { nameOf, WindowFailure } from '../backfill/collect.ts';
import { fileTrouble } from '../backfill/file-trouble.ts';
import { moment } from '../backfill/history-range.ts';
import { BackfillProgress } from '../backfill/progress.ts';
import { BackfillRefusal } from '../backfill/refusal.ts';
import { besideProgressLine, type LineLog, showProgress } from '../backfill/show-progress.ts';
import { systemClock } from '../clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../command-line/command.ts';
import type { Account } from '../configuration/schema.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import { paint } from '../text/paint.ts';
import { accountsAsked } from './accounts-asked.ts';

type Call = Invocation<'backfill'>;

/** Writes the platform's history as OpenMetrics, for `promtool tsdb create-blocks-from openmetrics`. */
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
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    complain(sentence);
    return error instanceof BackfillRefusal && error.misused ? EXIT.misused : EXIT.failed;
  }
}

/** What a history is made from. */
interface BackfillRequest {
  readonly from: number;
  readonly output: string;
  readonly accounts: readonly Account[];
}

type PartialRequest = { readonly [Key in keyof BackfillRequest]: BackfillRequest[Key] | undefined } & {
  readonly mistakes: string[];
};

/** What is asked for, with every mistake in it that shows without asking the platform. */
async function readFlags({ flags, env, stderr }: Call): Promise<PartialRequest> {
  const { from, to, output } = flags;
  const mistakes: string[] = [];
  if (from === undefined) mistakes.push('--from is missing: the start of the history');
  if (output === undefined) mistakes.push('--output is missing: the file to write');
  if (from !== undefined && to !== undefined && from >= to) {
    mistakes.push(`--from (${moment(from)}) must be before --to (${moment(to)})`);
  }
  const asked = await accountsAsked({ flags, env, stderr });
  return { from, output, accounts: mistakes.length > 0 ? undefined : asked?.accounts, mistakes };
}

function isComplete(request: Omit<PartialRequest, 'mistakes'>): request is BackfillRequest {
  return request.from !== undefined && request.output !== undefined && request.accounts !== undefined;
}

async function withProgress(
  { flags, stderr, signal, logging }: Call,
  request: BackfillRequest,
): Promise<History> {
  const { log, guard } = logging;
  const progress = new BackfillProgress(systemClock);
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
      observer: observe(progress, besideProgressLine(log, stderr)),
    });
  } finally {
    stop();
  }
}

function observe(progress: BackfillProgress, log: LineLog): BackfillObserver {
  progress.stage = 'listing what to read';
  return {
    planned({ range: { from, to }, series }, windows, done) {
      progress.stage = undefined;
      progress.expect(windows, done);
      log.info(
        { from: moment(from), to: moment(to), metrics: series.length, windows, done },
        'history started',
      );
    },
    connected(waits) {
      progress.waits = waits;
    },
    advanced: (windows) => progress.advance(windows),
    exchanged: () => progress.count(),
    stumbled: (account, reason, pause) =>
      log.warn({ account, reason, retry_seconds: pause / 1_000 }, 'the platform could not list what to read'),
    retried: (planned, { from }, failure, pause) =>
      log.warn(
        {
          metric: nameOf(planned),
          from: moment(from),
          reason: failure.message,
          retry_seconds: pause / 1_000,
        },
        'reading a window failed',
      ),
    vanished: (planned) => log.warn({ metric: nameOf(planned) }, 'the platform does not have this metric'),
    notice: (account, text) => log.warn({ account }, text),
    writing() {
      progress.stage = 'writing';
    },
  };
}

function summary({ plan, series }: History, output: string): string {
  const { from, to } = plan.range;
  return [
    `${output}: ${series.length} metrics from ${moment(from)} to ${moment(to)}`,
    `Import it: promtool tsdb create-blocks-from openmetrics --max-block-duration=192h ${output} <data directory of Prometheus>`,
    '',
  ].join('\n');
}

function warnOfGaps({ series }: History, log: LineLog): void {
  for (const { planned, spool } of series) {
    if (spool.lacking === 0) continue;
    const facts = { metric: nameOf(planned), windows: spool.lacking };
    log.warn(facts, 'buckets missing in these windows');
  }
}

/** What to tell of an error, or undefined when it is a fault of the program. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof BackfillRefusal) return error.message;
  if (error instanceof WindowFailure) {
    return `${error.message}: giving up for now; run the same command again to continue`;
  }
  if (error instanceof PlatformFailure) return `${error.message} (${error.outcome})`;
  const trouble = fileTrouble(error);
  return trouble === undefined ? undefined : `${trouble}; run the same command again to continue`;
}
