import type { Family, Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Store } from '../exposition/store.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Resource } from '../platform/read.ts';
import type { Job, JobSubject } from '../schedule/job.ts';
import type { State, StateWriteFailure } from '../state/state.ts';
import type { Configuration } from '../targets/discovery.ts';

/** A setting of the platform that differs from what it was when it was read before. */
export interface SettingChange {
  readonly collector: string;
  readonly id: string;
  readonly name: string;
  /** Fields of the API that differ; never what they hold. */
  readonly fields: readonly string[];
}

/** Told what collectors of settings find. */
export interface SettingsObserver {
  settingChanged(account: string, change: SettingChange): void;
  /** The state refused a commit: what was found to have changed is shown later. */
  stateRefused(account: string, subject: JobSubject, failure: StateWriteFailure): void;
}

/** What a collector of settings is given to make its jobs. */
export interface CollectorContext {
  readonly account: string;
  /** The account's origin, which page links must not leave. */
  readonly origin: string;
  /** The collector's name in the configuration. */
  readonly collector: string;
  /** Cron pattern of its reads. */
  readonly schedule: string;
  /** The configurations of a product that the collector needs, as discovered. */
  configurations(product: Product): readonly Configuration[];
  readonly store: Store;
  readonly state: State;
  readonly platformClock: PlatformClock;
  readonly observer: SettingsObserver;
  /** Until when (local ms) what a job of this weight publishes now may be shown without being renewed. */
  readonly freshUntil: (weight: number, group: string) => number;
}

/** A part of the platform's settings that is exported. Adding one takes a file in `collectors/` and a line in `collectors.ts`. */
export interface Collector {
  /** What it collects, in a line for the configuration's documentation. */
  readonly about: string;
  /** The plural of what it collects, in words. */
  readonly things: string;
  /** Cron pattern where the configuration names none. */
  readonly schedule: string;
  /** Where the specification describes it. */
  readonly section: string;
  /** The version of the API that it reads (section 9). */
  readonly version: Resource['version'];
  /** The permission that the token's user needs (section 5). */
  readonly permission: string;
  /** Paths that it reads. */
  readonly reads: readonly string[];
  /** What a read costs, in words. */
  readonly operations: string;
  /** All that it can show. */
  readonly families: readonly Family[];
  /** Names of the labels, besides the account's, that all of these have. */
  readonly labels: readonly string[];
  /** Products whose lists of configurations it needs. */
  readonly needs?: readonly Product[];
  /** The jobs that read it. A job whose id and labels stay the same goes on when others come and go. */
  jobs(context: CollectorContext): readonly Job[];
}

/** The labels of an account, which precede all others. */
export function accountLabels(account: string, labels: Labels): Labels {
  return { account, ...labels };
}
