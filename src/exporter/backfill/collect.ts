import type { Clock } from '../clock.ts';
import type { Progress } from '../command-line/progress.ts';
import { PlatformFailure } from '../platform/read.ts';
import { inParallel } from './attempts.ts';
import type { HistoryAccount } from './history-account.ts';
import {
  type HistoryPlan,
  type HistoryWindow,
  moment,
  nameOf,
  type PlannedSeries,
  windowsOf,
} from './history-plan.ts';
import type { HistoryState } from './history-state.ts';
import { type ReadSeries, readWindow } from './read-window.ts';
import { LongFailure } from './refusal.ts';

interface CollectOptions {
  readonly plan: HistoryPlan;
  readonly state: HistoryState;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Reads what the state lacks of a plan. @throws LongFailure, and the signal's reason when it aborts */
export async function collect(
  accounts: readonly Pick<HistoryAccount, 'name' | 'concurrency' | 'reader'>[],
  options: CollectOptions,
): Promise<void> {
  const { plan, state, signal, progress } = options;
  const windows = windowsOf(plan);
  const all = windows.length * plan.series.length;
  const done = plan.series.reduce((sum, _, number) => sum + state.done(number), 0);
  progress.expect(all, done);
  const [from, to] = [moment(plan.range.from), moment(plan.range.to)];
  progress.log.info({ from, to, metrics: plan.series.length, windows: all, done }, 'history started');
  const work = async (account: (typeof accounts)[number], ending: AbortSignal) => {
    const series = [...plan.series.entries()].flatMap(([number, planned]) =>
      planned.account === account.name ? [{ number, planned, read: account.reader(planned) }] : [],
    );
    const missing = function* () {
      // Looked at late: another window may have shown meanwhile that there is nothing to read.
      for (const window of windows)
        for (const one of series) if (!state.has(one.number, window.index)) yield { ...one, window };
    };
    const readNext = (next: MissingWindow, until: AbortSignal) =>
      readMissing(next, windows.length, { ...options, signal: until });
    await inParallel(missing(), account.concurrency, readNext, ending);
  };
  await inParallel(accounts, accounts.length, work, signal);
}

interface MissingWindow {
  /** Number of the series in the plan. */
  readonly number: number;
  readonly planned: PlannedSeries;
  readonly read: ReadSeries;
  readonly window: HistoryWindow;
}

async function readMissing(
  { number, planned, read, window }: MissingWindow,
  windows: number,
  { state, clock, signal, progress }: CollectOptions,
): Promise<void> {
  const metric = nameOf(planned);
  const from = moment(window.from);
  const onRetry = ({ message: reason }: PlatformFailure, pause: number) =>
    progress.log.warn({ metric, from, reason, retry_seconds: pause / 1_000 }, 'reading a window failed');
  try {
    const found = await readWindow(window, { read, clock, signal, onRetry });
    if (state.has(number, window.index)) return;
    const before = state.done(number);
    const kept = found === undefined ? state.skip(number, windows) : state.keep(number, window.index, found);
    const advanced = state.done(number) - before;
    await kept;
    progress.advance(advanced);
    if (found === undefined) progress.log.warn({ metric }, 'the platform does not have this metric');
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    const { message, outcome } = failure;
    throw new LongFailure(`${metric}, ${from} to ${moment(window.to)}: ${message} (${outcome})`);
  }
}
