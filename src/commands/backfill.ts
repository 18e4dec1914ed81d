import { type History, backfill as makeHistory } from '../exporter/backfill/backfill.ts';
import { moment } from '../exporter/backfill/history-plan.ts';
import { backfillSentence, Misuse } from '../exporter/backfill/refusal.ts';
import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import type { ReceiverChoice } from '../exporter/command-line/flag-values.ts';
import { withProgress } from '../exporter/command-line/progress.ts';
import { type Receiver, secretsOfReceiver } from '../exporter/configuration/push-settings.ts';
import { didYouMean } from '../exporter/text/suggestion.ts';
import { type AccountsAsked, accountsAsked } from './accounts-asked.ts';

type Call = Invocation<'backfill'>;

/** Writes the platform's history as OpenMetrics, for `promtool tsdb create-blocks-from openmetrics`, or pushes it. */
export async function backfill(call: Call): Promise<ExitCode> {
  const { flags, stdout, stderr, complain, signal, logging } = call;
  const { log, guard } = logging;
  const { from, to, output } = flags;
  const mistakes = [...mistakesIn(flags, systemClock.wall())];
  const asked = await accountsAsked(call);
  const receivers = receiversChosen(flags.push, asked);
  if (typeof receivers === 'string') mistakes.push(receivers);
  for (const mistake of mistakes) complain(mistake);
  const isWrong = mistakes.length > 0 || typeof receivers === 'string';
  if (isWrong || from === undefined || asked === undefined) return EXIT.misused;
  for (const secret of receivers.flatMap(secretsOfReceiver)) guard(secret);
  const { accounts } = asked;
  const labels = flags.labels ?? {};
  const mode = flags.restart ? 'restart' : 'continue';
  const common = { from, to, output, accounts, receivers, labels, mode, signal, guard } as const;
  try {
    const history = await withProgress(log, stderr, systemClock, (progress) =>
      makeHistory({ ...common, clock: systemClock, progress }),
    );
    stdout.write(summary(history, output));
    return EXIT.ok;
  } catch (error) {
    if (signal.aborted) {
      stderr.write('interrupted: run the same command again to continue\n');
      return EXIT.failed;
    }
    const sentence = backfillSentence(error);
    if (sentence === undefined) throw error;
    complain(sentence);
    return error instanceof Misuse ? EXIT.misused : EXIT.failed;
  }
}

/** Yields the mistakes of the flags that can be detected without the configuration. */
function* mistakesIn({ from, to, output, push }: Call['flags'], now: number): Generator<string> {
  if (from === undefined) yield '--from is missing: the start of the history';
  if (output === undefined && push === 'none') yield '--output is missing: the file to write; or --push';
  if (from !== undefined && to !== undefined && from >= to)
    yield `--from (${moment(from)}) must be before --to (${moment(to)})`;
  for (const [flag, time = now] of Object.entries({ '--from': from, '--to': to }))
    if (time > now) yield `${flag} (${moment(time)}) is in the future`;
}

/** Returns the selected receivers, or the mistake in their selection. */
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

function summary({ plan, pushed }: History, output: string | undefined): string {
  const what = `${plan.series.length} metrics from ${moment(plan.range.from)} to ${moment(plan.range.to)}`;
  const receivers = [...pushed].map(([name, samples]) => `receiver ${name}: ${what}, ${samples} samples`);
  const file = [
    `${output}: ${what}`,
    `Import it: promtool tsdb create-blocks-from openmetrics --max-block-duration=192h ${output} <data directory of Prometheus>`,
  ];
  return [...receivers, ...(output === undefined ? [] : file), ''].join('\n');
}
