import { type BackfillOptions, retryOptions } from './backfill-options.ts';
import type { HistoryAccount } from './history-account.ts';
import { type HistoryPlan, inOrder } from './history-plan.ts';
import { rangeOf, rangeProblem } from './history-range.ts';
import { requestOf } from './history-request.ts';
import { BackfillRefusal } from './refusal.ts';

/**
 * Finds out what there is to read, and decides the range.
 * @throws BackfillRefusal when there is nothing, or not in this range
 */
export async function makePlan(
  accounts: readonly HistoryAccount[],
  options: BackfillOptions,
): Promise<HistoryPlan> {
  const found = await Promise.all(
    accounts.map(async (account) => {
      const retries = retryOptions(account, options);
      const series = await account.discover(retries);
      await account.askTheTime(series, retries);
      return series;
    }),
  );
  const series = inOrder(found.flat());
  if (series.length === 0) {
    const sentence = 'nothing to read: no active configuration on the platform is selected';
    throw new BackfillRefusal(sentence, { misused: false });
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
  if (problem !== undefined) throw new BackfillRefusal(problem, { misused: true });
  return range;
}
