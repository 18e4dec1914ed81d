import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { credentialsFrom } from '../account/connection.ts';
import type { Account } from '../configuration/schema.ts';
import type { BackfillOptions } from './backfill-options.ts';
import type { Collected } from './collect.ts';
import { HistoryAccount } from './history-account.ts';
import type { HistoryPlan } from './history-plan.ts';
import { differences, requestOf } from './history-request.ts';
import { historyText } from './history-text.ts';
import { makePlan } from './make-plan.ts';
import { openSeries, readAll, tellPlan } from './read-history.ts';
import { BackfillRefusal } from './refusal.ts';
import { WorkFolder } from './work-folder.ts';

/** A complete history. */
export interface History {
  readonly plan: HistoryPlan;
  readonly series: readonly Collected[];
}

/**
 * Writes the history of every configured series as OpenMetrics, or continues an interrupted run.
 * @throws BackfillRefusal when it cannot be, WindowFailure or PlatformFailure when the platform keeps failing, and the
 * signal's reason when it aborts; what was read stays for the next start
 */
export async function backfill(options: BackfillOptions): Promise<History> {
  const folder = new WorkFolder(options.output);
  await folder.checkPlace();
  const found = await folder.begun();
  const begun = options.mode === 'restart' ? undefined : found;
  if (begun !== undefined) refuseChanges(begun, folder, options);
  else await refuseToReplace(folder, options);
  const accounts = options.accounts.map((account) => accountOf(account, options));
  options.observer.connected(() => accounts.flatMap((account) => account.waits()));
  try {
    const plan = begun ?? (await makePlan(accounts, options));
    await folder.lock(found);
    if (begun === undefined) await folder.begin(plan);
    const series = await openSeries(plan, folder.path, accounts);
    tellPlan(plan, series, options);
    await readAll(plan, series, accounts, options);
    await write(plan, series, folder, options);
    return { plan, series };
  } finally {
    await folder.release();
    await Promise.all(accounts.map((account) => account.close()));
  }
}

function refuseChanges(begun: HistoryPlan, folder: WorkFolder, options: BackfillOptions): void {
  const changes = differences(begun.request, requestOf(options));
  if (changes.length === 0) return;
  const sentence = `${folder.path} contains a history with other settings (${changes.join('; ')}): repeat the first command to continue it, or add --restart to start over`;
  throw new BackfillRefusal(sentence, { misused: true });
}

async function refuseToReplace(folder: WorkFolder, { mode, output }: BackfillOptions): Promise<void> {
  const there = await folder.output();
  if (there === 'folder') throw new BackfillRefusal(`${output} is a folder`, { misused: true });
  if (there === 'nothing' || mode === 'restart') return;
  const sentence = `${output} already exists: choose another --output, or add --restart to replace it`;
  throw new BackfillRefusal(sentence, { misused: true });
}

function accountOf(account: Account, { clock, guard, observer }: BackfillOptions): HistoryAccount {
  return new HistoryAccount(account, {
    clock,
    credentials: credentialsFrom(clock, { guard, onNotice: (name, text) => observer.notice(name, text) }),
    onExchange: () => observer.exchanged(),
  });
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
  await pipeline(Readable.from(text), createWriteStream(folder.unfinished), { signal });
  await folder.finish();
}
