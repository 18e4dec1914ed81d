import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Labels } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { EXIT } from '../command-line/command.ts';
import type { Account } from '../configuration/config-schema.ts';
import type { Secret } from '../secret.ts';
import { type Collected, type CollectObserver, collect } from './collect.ts';
import { HistoryAccount } from './history-account.ts';
import { type HistoryPlan, inOrder } from './history-plan.ts';
import { type HistoryWindow, moment, rangeOf, rangeProblem, windowsOf } from './history-range.ts';
import { differences, requestOf } from './history-request.ts';
import { historyText } from './history-text.ts';
import { inParallel } from './in-parallel.ts';
import type { PatienceOptions } from './patience.ts';
import { BackfillRefusal } from './refusal.ts';
import { Spool } from './spool.ts';
import { isWhole } from './spool-record.ts';
import { WorkFolder } from './work-folder.ts';

export interface BackfillOptions {
  readonly accounts: readonly Account[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Without it the newest settled bucket. */
  readonly to: number | undefined;
  /** Labels that every series gets besides its own. */
  readonly labels: Labels;
  readonly output: string;
  /** Whether to go on with what was begun, or to begin anew whatever there is. */
  readonly mode: 'continue' | 'restart';
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Keeps a secret out of whatever is written. */
  readonly guard: (secret: Secret) => void;
  readonly observer: BackfillObserver;
}

/** Told what happens while a history is made. */
export interface BackfillObserver extends CollectObserver {
  /** The range is decided: so many windows of a metric in all, and how many of them an earlier start has read. */
  planned(plan: HistoryPlan, windows: number, done: number): void;
  exchanged(): void;
  stumbled(account: string, reason: string, pause: number): void;
  notice(account: string, text: string): void;
  writing(): void;
}

/** A history that is whole. */
export interface History {
  readonly plan: HistoryPlan;
  readonly series: readonly Collected[];
}

/**
 * Writes the past of every configured series as OpenMetrics, or goes on with what was interrupted.
 * @throws BackfillRefusal when it cannot be, WindowFailure or PlatformFailure when the platform keeps failing, and the
 * signal's reason when it aborts; what was read stays for the next start
 */
export async function backfill(options: BackfillOptions): Promise<History> {
  const folder = new WorkFolder(options.output);
  const begun = await begunPlan(folder, options);
  const accounts = options.accounts.map((account) => accountOf(account, options));
  try {
    const plan = begun ?? (await makePlan(accounts, options));
    await folder.hold();
    if (begun === undefined) await folder.begin(plan);
    const series = await openSeries(plan, folder, accounts);
    await readAll(plan, series, accounts, options);
    await write(plan, series, folder, options);
    return { plan, series };
  } finally {
    await folder.release();
    await Promise.all(accounts.map((account) => account.close()));
  }
}

/** The plan to go on with, undefined where a history is to be begun. */
async function begunPlan(folder: WorkFolder, options: BackfillOptions): Promise<HistoryPlan | undefined> {
  const begun = await folder.begun();
  if (options.mode === 'restart') return undefined;
  if (begun === undefined) {
    if (!(await folder.hasOutput())) return undefined;
    const sentence = `${options.output} exists already: name another --output, or add --restart to replace it`;
    throw new BackfillRefusal(sentence, EXIT.misused);
  }
  const changes = differences(begun.request, requestOf(options));
  if (changes.length === 0) return begun;
  const sentence = `${folder.path} holds a history begun otherwise (${changes.join('; ')}): ask for the same again to go on with it, or add --restart to begin anew`;
  throw new BackfillRefusal(sentence, EXIT.misused);
}

function accountOf(account: Account, { clock, guard, observer }: BackfillOptions): HistoryAccount {
  return new HistoryAccount(account, {
    clock,
    guard,
    onExchange: () => observer.exchanged(),
    onNotice: (text) => observer.notice(account.name, text),
  });
}

async function makePlan(accounts: readonly HistoryAccount[], options: BackfillOptions): Promise<HistoryPlan> {
  const { clock, signal, observer } = options;
  const found = await Promise.all(
    accounts.map((account) => {
      const onRetry: PatienceOptions['onRetry'] = ({ message }, pause) =>
        observer.stumbled(account.name, message, pause);
      return account.discover({ clock, signal, onRetry });
    }),
  );
  const series = inOrder(found.flat());
  if (series.length === 0) {
    const sentence = 'there is nothing to read: the platform has no active configuration that is selected';
    throw new BackfillRefusal(sentence, EXIT.failed);
  }
  return { version: 1, request: requestOf(options), range: checkedRange(accounts, options), series };
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
  if (problem !== undefined) throw new BackfillRefusal(problem, EXIT.misused);
  return range;
}

async function openSeries(
  { series, range }: HistoryPlan,
  folder: WorkFolder,
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
    const spool = await Spool.open(folder.path, number, wholeness);
    collected.push({ planned, spool, source: account.source(planned) });
  }
  return collected;
}

async function readAll(
  plan: HistoryPlan,
  all: readonly Collected[],
  accounts: readonly HistoryAccount[],
  { clock, signal, observer }: BackfillOptions,
): Promise<void> {
  const windows = windowsOf(plan.range);
  const done = all.reduce((sum, { spool }) => sum + spool.done(windows.length), 0);
  observer.planned(plan, windows.length * all.length, done);
  const collectOne = async (account: HistoryAccount, ending: AbortSignal) => {
    const series = all.filter(({ planned }) => planned.account === account.name);
    account.makeRoomFor(series.map(({ planned }) => planned));
    refuseForgotten(windows, series, account);
    await collect({ account, series, windows, end: plan.range.to, clock, signal: ending, observer });
  };
  await inParallel(accounts, accounts.length, collectOne, signal);
}

/** What the platform has forgotten since the history was begun would be missing without anybody noticing. */
function refuseForgotten(
  windows: readonly HistoryWindow[],
  series: readonly Collected[],
  account: HistoryAccount,
): void {
  const unread = windows.find(({ index }) =>
    series.some(({ spool }) => !spool.vanished && !spool.has(index)),
  );
  if (unread === undefined || unread.to > account.available().from) return;
  const sentence = `the platform keeps 30 days and no longer has ${moment(unread.from)}, where this history was interrupted: add --restart, with a later --from`;
  throw new BackfillRefusal(sentence, EXIT.failed);
}

async function write(
  { range }: HistoryPlan,
  series: readonly Collected[],
  folder: WorkFolder,
  { labels, accounts, signal, observer }: BackfillOptions,
): Promise<void> {
  observer.writing();
  const units = new Map(accounts.map((account) => [account.name, account.units]));
  const text = historyText({ series, end: range.to, labels, unitsOf: (account) => units.get(account) ?? {} });
  await pipeline(Readable.from(text), createWriteStream(folder.draft), { signal });
  await folder.finish();
}
