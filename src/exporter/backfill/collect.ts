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
import { type HistoryUnit, readWindow } from './read-window.ts';
import { LongFailure } from './refusal.ts';

interface CollectOptions {
  readonly plan: HistoryPlan;
  readonly state: HistoryState;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Reads the windows of a plan that the state lacks. @throws LongFailure, and the signal's reason if it aborts */
export async function collect(
  accounts: readonly Pick<HistoryAccount, 'name' | 'concurrency' | 'units'>[],
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
    const mine = [...plan.series.entries()].filter(([, planned]) => planned.account === account.name);
    const units = account.units(new Map(mine));
    const missing = function* () {
      // Checked just before the read: another window may have shown meanwhile that the series does not exist.
      for (const window of windows)
        for (const unit of units)
          if (unit.numbers.some((number) => !state.has(number, window.index))) yield { unit, window };
    };
    const readNext = (next: MissingWindow, until: AbortSignal) =>
      readMissing(next, windows.length, { ...options, signal: until });
    await inParallel(missing(), account.concurrency, readNext, ending);
  };
  await inParallel(accounts, accounts.length, work, signal);
}

interface MissingWindow {
  readonly unit: HistoryUnit;
  readonly window: HistoryWindow;
}

async function readMissing(
  { unit: { numbers: all, read }, window }: MissingWindow,
  windows: number,
  { plan, state, clock, signal, progress }: CollectOptions,
): Promise<void> {
  const isLacking = (number: number) => !state.has(number, window.index);
  const numbers = all.filter(isLacking);
  const nameOfNumber = (number: number) => nameOf(plan.series[number] as PlannedSeries);
  const [metric, ...others] = numbers.map(nameOfNumber);
  const facts = {
    metric,
    ...(others.length > 0 && { and_others: others.length }),
    from: moment(window.from),
  };
  const onRetry = ({ message: reason }: PlatformFailure, pause: number) =>
    progress.log.warn({ ...facts, reason, retry_seconds: pause / 1_000 }, 'reading a window failed');
  try {
    const found = await readWindow(window, numbers, { read, clock, signal, onRetry });
    const reads = new Map([...found].filter(([number]) => isLacking(number)));
    const done = () => numbers.reduce((sum, number) => sum + state.done(number), 0);
    const before = done();
    const kept = state.keep(window.index, reads, windows);
    const advanced = done() - before;
    await kept;
    progress.advance(advanced);
    for (const [number, one] of reads)
      if (one === undefined)
        progress.log.warn({ metric: nameOfNumber(number) }, 'the platform does not have this metric');
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    const { message, outcome } = failure;
    throw new LongFailure(`${metric}, ${facts.from} to ${moment(window.to)}: ${message} (${outcome})`);
  }
}
