import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { credentialsFrom } from '../account/connection.ts';
import type { Labels } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { PlatformFailure } from '../platform/read.ts';
import { type ConnectedReceiver, connectReceiver } from '../push/running-receiver.ts';
import type { Secret } from '../secret.ts';
import { type Collected, collect, inParallel, type RetryOptions } from './collect.ts';
import { HistoryAccount } from './history-account.ts';
import {
  differences,
  type HistoryPlan,
  type HistoryWindow,
  inOrder,
  moment,
  type PlannedSeries,
  rangeOf,
  rangeProblem,
  requestOf,
  windowsOf,
} from './history-plan.ts';
import type { BackfillProgress } from './progress.ts';
import { type HistoryReceiver, pushHistory, refuseIncomplete, refuseUntaken } from './push-history.ts';
import { BackfillRefusal, doneWith, Misuse } from './refusal.ts';
import { type HistoryFamiliesOptions, historyFamilies, historyText } from './series-history.ts';
import { isWhole, PushedRecord, Spool, WorkFolder } from './work-folder.ts';

/** What the work folder is named after where no file is written: in the current directory. */
const UNNAMED = 'edge-history';

export interface BackfillOptions {
  readonly accounts: readonly AccountConfig[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Default: the newest settled bucket. */
  readonly to: number | undefined;
  /** Labels that every series gets besides its own. */
  readonly labels: Labels;
  /** Of which families, by their names, the history is; all where it is left out. */
  readonly families?: ReadonlySet<string>;
  /** The file to write; undefined to write none. */
  readonly output: string | undefined;
  readonly receivers: readonly Receiver[];
  /** Whether to continue an interrupted history or to start over. */
  readonly mode: 'continue' | 'restart';
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly guard: (secret: Secret) => void;
  readonly progress: BackfillProgress;
}

/** A complete history. */
export interface History {
  readonly plan: HistoryPlan;
  readonly series: readonly Collected[];
  /** How many samples each receiver has taken, by its name. */
  readonly pushed: ReadonlyMap<string, number>;
}

/**
 * Writes the history of every configured series as OpenMetrics, pushes it to receivers, or both; continues an
 * interrupted run.
 * @throws BackfillRefusal when it cannot be, LongFailure or PlatformFailure when the platform keeps failing, and the
 * signal's reason when it aborts; what was read stays for the next start
 */
export async function backfill(options: BackfillOptions): Promise<History> {
  const { progress } = options;
  progress.stage = 'listing what to read';
  const folder = new WorkFolder(options.output ?? UNNAMED);
  await folder.checkPlace();
  const found = await folder.begun();
  const begun = options.mode === 'restart' ? undefined : found;
  if (begun !== undefined) refuseChanges(begun, folder, options);
  else await refuseToReplace(folder, options);
  const accounts = options.accounts.map((account) => accountOf(account, options));
  progress.waits = () => accounts.flatMap((account) => account.waits());
  const receivers = options.receivers.map((receiver) => connectReceiver(receiver, options.clock));
  try {
    const plan = begun ?? (await makePlan(accounts, options));
    // Before anything is kept: a range that is refused must not be in the way of the next.
    if (begun === undefined)
      for (const { receiver, protocol } of receivers)
        await refuseUntaken({ name: receiver.name, protocol }, plan.range, options.signal);
    await folder.lock(found);
    if (begun === undefined) await folder.begin(plan);
    const series = await openSeries(plan, folder.path, accounts);
    reportPlan(plan, series, options);
    await readAll(plan, series, accounts, options);
    const pushed = await push(plan, series, receivers, folder, options);
    if (options.output === undefined) await folder.remove();
    else await write(plan, series, folder, options);
    return { plan, series, pushed };
  } finally {
    await folder.release();
    await Promise.all([...accounts, ...receivers].map((connected) => connected.close()));
  }
}

function refuseChanges(begun: HistoryPlan, folder: WorkFolder, options: BackfillOptions): void {
  const changes = differences(begun.request, requestOf(options));
  if (changes.length === 0) return;
  const sentence = `${folder.path} contains a history with other settings (${changes.join('; ')}): repeat the first command to continue it, or add --restart to start over`;
  throw new Misuse(sentence);
}

async function refuseToReplace(folder: WorkFolder, { mode, output }: BackfillOptions): Promise<void> {
  if (output === undefined) return;
  const there = await folder.output();
  if (there === 'folder') throw new Misuse(`${output} is a folder`);
  // The file takes the place of what is there: of /dev/null, for all programs of the machine.
  if (there === 'no file') throw new Misuse(`${output} is no file: choose another --output`);
  if (there === 'nothing' || mode === 'restart') return;
  const sentence = `${output} already exists: choose another --output, or add --restart to replace it`;
  throw new Misuse(sentence);
}

function accountOf(account: AccountConfig, { clock, guard, progress }: BackfillOptions): HistoryAccount {
  return new HistoryAccount(account, {
    clock,
    credentials: credentialsFrom(clock, {
      guard,
      onNotice: (name, text) => progress.log.warn({ account: name }, text),
    }),
    observer: { exchanged: () => progress.count() },
  });
}

/** How reads of an account that are not of a window are retried. */
function retryOptions({ name }: HistoryAccount, { clock, signal, progress }: BackfillOptions): RetryOptions {
  const onRetry: RetryOptions['onRetry'] = ({ message: reason }, pause) => {
    const facts = { account: name, reason, retry_seconds: pause / 1_000 };
    progress.log.warn(facts, 'the platform could not list what to read');
  };
  return { clock, signal, onRetry };
}

/** Brings each receiver what it lacks; returns how many samples each has taken, in all runs. */
async function push(
  { range }: HistoryPlan,
  collected: readonly Collected[],
  receivers: readonly ConnectedReceiver[],
  { path }: WorkFolder,
  options: BackfillOptions,
): Promise<History['pushed']> {
  if (receivers.length === 0) return new Map();
  const { clock, signal, progress } = options;
  progress.stage = 'pushing';
  const opened = await Promise.all(
    receivers.map(async (to) => ({ ...to, record: await PushedRecord.open(path, to.receiver) })),
  );
  const series = historyFamilies(familiesAsked(collected, options)).flatMap(([, own]) => own);
  const work = (to: HistoryReceiver, ending: AbortSignal) =>
    pushHistory({ to, collected, series, end: range.to, clock, signal: ending, progress });
  await inParallel(opened, opened.length, work, signal);
  await refuseIncomplete(opened, path);
  return new Map(opened.map(({ receiver, record }) => [receiver.name, record.sent]));
}

function familiesAsked(
  series: readonly Collected[],
  { labels, accounts, families }: BackfillOptions,
): HistoryFamiliesOptions {
  const units = new Map(accounts.map((account) => [account.name, account.units]));
  return { series, labels, families, unitsOf: (account) => units.get(account) ?? {} };
}

async function write(
  { range }: HistoryPlan,
  series: readonly Collected[],
  folder: WorkFolder,
  options: BackfillOptions,
): Promise<void> {
  const { signal, progress } = options;
  progress.stage = 'writing';
  const text = historyText({ ...familiesAsked(series, options), end: range.to });
  const file = createWriteStream(folder.unfinished, { flush: true });
  await doneWith(folder.unfinished, pipeline(Readable.from(text), file, { signal }));
  await folder.finish();
}

/** Finds out what there is to read, and decides the range. @throws BackfillRefusal when there is nothing, or not in it */
async function makePlan(accounts: readonly HistoryAccount[], options: BackfillOptions): Promise<HistoryPlan> {
  const found = await Promise.all(accounts.map((account) => discover(account, options)));
  const series = inOrder(found.flat());
  if (series.length === 0) {
    const sentence = 'nothing to read: no active configuration on the platform is selected';
    throw new BackfillRefusal(sentence);
  }
  return { version: 1, request: requestOf(options), range: checkedRange(accounts, options), series };
}

async function discover(
  account: HistoryAccount,
  options: BackfillOptions,
): Promise<readonly PlannedSeries[]> {
  const retries = retryOptions(account, options);
  try {
    const series = await account.discover(retries);
    await account.askTheTime(series, retries);
    return series;
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    throw new BackfillRefusal(`account ${account.name}: ${error.message} (${error.outcome})`);
  }
}

function checkedRange(
  accounts: readonly HistoryAccount[],
  { from, to }: BackfillOptions,
): HistoryPlan['range'] {
  const all = accounts.map((account) => account.available());
  const available = {
    from: Math.max(...all.map((one) => one.from)),
    to: Math.min(...all.map((one) => one.to)),
  };
  const range = rangeOf(from, to, available);
  const problem = rangeProblem(range, available);
  if (problem !== undefined) throw new Misuse(problem);
  return range;
}

/** Every planned metric with what an earlier start has read of it. */
async function openSeries(
  { series, range }: HistoryPlan,
  folder: string,
  accounts: readonly HistoryAccount[],
): Promise<Collected[]> {
  const windows = windowsOf(range);
  const wholeness: Parameters<typeof Spool.open>[2] = (record) => {
    const window = windows[record.window];
    return window !== undefined && isWhole(record, window, range.to);
  };
  const collected: Collected[] = [];
  for (const [number, planned] of series.entries()) {
    const account = accounts.find(({ name }) => name === planned.account);
    if (account === undefined) throw new Error(`no account ${planned.account}`);
    const spool = await Spool.open(folder, number, wholeness);
    collected.push({ planned, spool, source: account.source(planned) });
  }
  return collected;
}

function reportPlan(plan: HistoryPlan, series: readonly Collected[], { progress }: BackfillOptions): void {
  const ofOne = windowsOf(plan.range).length;
  const done = series.reduce((sum, { spool }) => sum + spool.done(ofOne), 0);
  const windows = ofOne * series.length;
  progress.expect(windows, done);
  const [from, to] = [moment(plan.range.from), moment(plan.range.to)];
  progress.log.info({ from, to, metrics: series.length, windows, done }, 'history started');
}

/** Reads what no earlier start has read. @throws LongFailure, and BackfillRefusal when the platform has forgotten some of it */
export async function readAll(
  { range }: HistoryPlan,
  all: readonly Collected[],
  accounts: readonly HistoryAccount[],
  options: BackfillOptions,
): Promise<void> {
  const { clock, signal, progress } = options;
  const windows = windowsOf(range);
  const work = async (account: HistoryAccount, ending: AbortSignal) => {
    const series = all.filter(({ planned }) => planned.account === account.name);
    account.reserveQuotaFor(series.map(({ planned }) => planned));
    await refuseForgotten(windows, series, account, { ...options, signal: ending });
    const { concurrency } = account;
    await collect({ concurrency, series, windows, end: range.to, clock, signal: ending, progress });
  };
  await inParallel(accounts, accounts.length, work, signal);
}

/** What the platform has forgotten since the history was begun would be missing without anybody noticing. */
async function refuseForgotten(
  windows: readonly HistoryWindow[],
  series: readonly Collected[],
  account: HistoryAccount,
  options: BackfillOptions,
): Promise<void> {
  const lacks = ({ index }: HistoryWindow) =>
    series.filter(({ spool }) => !spool.vanished && !spool.has(index)).map(({ planned }) => planned);
  const unread = windows.find((window) => lacks(window).length > 0);
  if (unread === undefined) return;
  await account.askTheTime(lacks(unread), retryOptions(account, options));
  if (unread.to > account.available().from) return;
  const sentence = `the platform keeps 30 days and no longer has ${moment(unread.from)}, where this history was interrupted: add --restart, with a later --from`;
  throw new BackfillRefusal(sentence);
}
