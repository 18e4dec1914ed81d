import { randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Labels } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Progress } from '../command-line/progress.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { type ConnectedReceiver, connectReceiver } from '../push/running-receiver.ts';
import type { Secret } from '../secret.ts';
import { unlessMissing } from '../state/directory.ts';
import { doneWith, fileTrouble } from '../text/file-trouble.ts';
import { inParallel } from './attempts.ts';
import { collect } from './collect.ts';
import { HistoryAccount } from './history-account.ts';
import { historyText, type OutputSeries, outputSeries } from './history-output.ts';
import { changesSince, type HistoryPlan, nameOf, rangeOf, requestOf } from './history-plan.ts';
import { HistoryState } from './history-state.ts';
import { pushHistory, refuseIncomplete, refuseUntaken } from './push-history.ts';
import { BackfillRefusal, Misuse } from './refusal.ts';

export interface BackfillOptions {
  readonly accounts: readonly AccountConfig[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Milliseconds since the epoch; undefined for the newest settled bucket. */
  readonly to: number | undefined;
  /** Labels added to every series. */
  readonly labels: Labels;
  /** Names of the families in the output; default: all. */
  readonly families?: ReadonlySet<string>;
  /** Path of the file to write; undefined to write none. */
  readonly output: string | undefined;
  readonly receivers: readonly Receiver[];
  /** Mode for an interrupted history: continue it, or start again. */
  readonly mode: 'continue' | 'restart';
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
  readonly progress: Progress;
}

/** A complete history. */
export interface History {
  readonly plan: HistoryPlan;
  /** Number of samples that each receiver accepted, by its name. */
  readonly pushed: ReadonlyMap<string, number>;
}

/**
 * Writes the history of every configured series as OpenMetrics, pushes it to receivers, or both. Continues an interrupted run and
 * keeps what it has read for the next one.
 * @throws BackfillRefusal if a history is not possible, LongFailure or PlatformFailure if the platform keeps failing, and the
 * signal's reason if it aborts
 */
export async function backfill(options: BackfillOptions): Promise<History> {
  const { output, progress, clock, mode } = options;
  progress.stage = 'listing what to read';
  const exists = await hasFile(output);
  const state = await HistoryState.open(output, progress.log);
  const accounts = options.accounts.map((account) => new HistoryAccount(account, options));
  const receivers = options.receivers.map((receiver) => connectReceiver(receiver, clock));
  progress.waits = () => accounts.flatMap((account) => account.waits());
  try {
    const begun = mode === 'continue' ? state.plan : undefined;
    if (begun !== undefined) refuseChanges(begun, state.path, options);
    else if (exists && mode === 'continue')
      throw new Misuse(`${output} already exists: choose another --output, or add --restart to replace it`);
    const plan = begun ?? (await makePlan(accounts, receivers, options));
    if (begun === undefined) await state.begin(plan);
    return await complete(plan, state, { accounts, receivers }, options);
  } finally {
    // A history that has not started must not block the next one.
    const ending = state.plan === undefined ? state.remove() : state.close();
    await Promise.all([ending, ...[...accounts, ...receivers].map((one) => one.close())]);
  }
}

/**
 * Checks that the output can be written, before any request to the platform.
 * @returns true if the file exists already
 * @throws Misuse if it cannot be written
 */
async function hasFile(output: string | undefined): Promise<boolean> {
  const parent = resolve(dirname(output ?? '.'));
  try {
    await doneWith(parent, access(`${parent}/`, constants.W_OK | constants.X_OK));
  } catch (error) {
    throw new Misuse(`the folder of --output: ${fileTrouble(error)}`);
  }
  const there = output === undefined ? undefined : await unlessMissing(stat(output));
  // The new file replaces the old one, which must not be a device such as /dev/null.
  if (there?.isFile() === false) throw new Misuse(`${output} is no file: choose another --output`);
  return there !== undefined;
}

function refuseChanges(begun: HistoryPlan, path: string, options: BackfillOptions): void {
  const changes = changesSince(begun, options).join('; ');
  if (changes === '') return;
  const advice = 'repeat the first command to continue it, or add --restart to start over';
  throw new Misuse(`${path} contains a history with other settings (${changes}): ${advice}`);
}

/** Lists the series, determines the range, and probes the receivers. @throws BackfillRefusal */
async function makePlan(
  accounts: readonly HistoryAccount[],
  receivers: readonly ConnectedReceiver[],
  options: BackfillOptions,
): Promise<HistoryPlan> {
  const series = (await Promise.all(accounts.map((account) => account.discover()))).flat();
  if (series.length === 0)
    throw new BackfillRefusal('nothing to read: no active configuration on the platform is selected');
  const all = accounts.map((account) => account.available);
  const from = Math.max(...all.map((one) => one.from));
  const to = Math.min(...all.map((one) => one.to));
  const range = rangeOf(options.from, options.to, { from, to });
  for (const { receiver, protocol } of receivers)
    await refuseUntaken({ name: receiver.name, protocol }, range, options.signal);
  const latest = Math.min(...all.map((one) => one.latest));
  return { version: 2, id: randomUUID(), request: requestOf(options), range, latest, series };
}

interface Connected {
  readonly accounts: readonly HistoryAccount[];
  readonly receivers: readonly ConnectedReceiver[];
}

/** Reads the windows that no earlier run has read, then writes and pushes the whole history. */
async function complete(
  plan: HistoryPlan,
  state: HistoryState,
  { accounts, receivers }: Connected,
  options: BackfillOptions,
): Promise<History> {
  const { labels, families, output, clock, signal, progress } = options;
  await collect(accounts, { plan, state, clock, signal, progress });
  const units = new Map(options.accounts.map((account) => [account.name, account.units]));
  const unitsOf = (account: string) => units.get(account) ?? {};
  const series = outputSeries({ series: plan.series, state, labels, families, unitsOf });
  if (receivers.length > 0) progress.stage = 'pushing';
  const push = (to: ConnectedReceiver, ending: AbortSignal) =>
    pushHistory({ to, series, state, clock, signal: ending, progress });
  await inParallel(receivers, receivers.length, push, signal);
  await refuseIncomplete(receivers, state);
  const pushed = new Map(receivers.map(({ receiver }) => [receiver.name, state.pushed(receiver).sent]));
  for (const [number, planned] of plan.series.entries()) {
    const facts = { metric: nameOf(planned), windows: state.progress(number).lacking };
    if (facts.windows > 0) progress.log.warn(facts, 'buckets missing in these windows');
  }
  if (output === undefined) await state.remove();
  else await write(series, state, output, options);
  return { plan, pushed };
}

async function write(
  series: readonly OutputSeries[],
  state: HistoryState,
  output: string,
  { signal, progress }: BackfillOptions,
): Promise<void> {
  progress.stage = 'writing';
  const file = createWriteStream(state.unfinished, { flush: true });
  await doneWith(state.unfinished, pipeline(Readable.from(historyText(series)), file, { signal }));
  await state.finish(output);
}
