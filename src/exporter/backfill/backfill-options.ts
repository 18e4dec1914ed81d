import type { Labels } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { Account } from '../configuration/schema.ts';
import type { Secret } from '../secret.ts';
import type { CollectObserver, RetryOptions } from './collect.ts';
import type { HistoryPlan } from './history-plan.ts';
import type { QuotaWait } from './progress.ts';
import type { PushHistoryObserver } from './push-history.ts';

export interface BackfillOptions {
  readonly accounts: readonly Account[];
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
  /** The history is pushed to these. */
  readonly receivers: readonly Receiver[];
  /** Whether to continue an interrupted history or to start over. */
  readonly mode: 'continue' | 'restart';
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Keeps a secret out of whatever is written. */
  readonly guard: (secret: Secret) => void;
  readonly observer: BackfillObserver;
}

/** Receives the progress of a backfill. */
export interface BackfillObserver extends CollectObserver, PushHistoryObserver {
  /** The range is decided: so many windows of a metric in all, and how many of them an earlier start has read. */
  planned(plan: HistoryPlan, windows: number, done: number): void;
  /** Where to ask which accounts wait for their quota. */
  connected(waits: () => readonly QuotaWait[]): void;
  exchanged(): void;
  stumbled(account: string, reason: string, pause: number): void;
  notice(account: string, text: string): void;
  /** The history is read, and the receivers get it now. */
  pushing(): void;
  writing(): void;
}

/** How reads of an account that are not of a window are retried. */
export function retryOptions(
  { name }: { readonly name: string },
  { clock, signal, observer }: BackfillOptions,
): RetryOptions {
  return { clock, signal, onRetry: ({ message }, pause) => observer.stumbled(name, message, pause) };
}
