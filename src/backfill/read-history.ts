import { type BackfillOptions, retryOptions } from './backfill-options.ts';
import { type Collected, collect } from './collect.ts';
import type { HistoryAccount } from './history-account.ts';
import type { HistoryPlan } from './history-plan.ts';
import { type HistoryWindow, moment, windowsOf } from './history-range.ts';
import { inParallel } from './in-parallel.ts';
import { BackfillRefusal } from './refusal.ts';
import { Spool } from './spool.ts';
import { isWhole } from './spool-record.ts';

/** Every planned metric with what an earlier start has read of it. */
export async function openSeries(
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

/** Tells what is planned, and how far it is. */
export function tellPlan(
  plan: HistoryPlan,
  series: readonly Collected[],
  { observer }: BackfillOptions,
): void {
  const windows = windowsOf(plan.range).length;
  const done = series.reduce((sum, { spool }) => sum + spool.done(windows), 0);
  observer.planned(plan, windows * series.length, done);
}

/**
 * Reads what no earlier start has read, each account at its own pace.
 * @throws WindowFailure when a window keeps failing, BackfillRefusal when the platform has forgotten what is missing
 */
export async function readAll(
  { range }: HistoryPlan,
  all: readonly Collected[],
  accounts: readonly HistoryAccount[],
  options: BackfillOptions,
): Promise<void> {
  const { clock, signal, observer } = options;
  const windows = windowsOf(range);
  const work = async (account: HistoryAccount, ending: AbortSignal) => {
    const series = all.filter(({ planned }) => planned.account === account.name);
    account.reserveQuotaFor(series.map(({ planned }) => planned));
    await refuseForgotten(windows, series, account, { ...options, signal: ending });
    await collect({ account, series, windows, end: range.to, clock, signal: ending, observer });
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
  throw new BackfillRefusal(sentence, { misused: false });
}
