import type { TimedSample } from '../catalogue/family.ts';
import type { StateEntry } from '../state/state.ts';

/** Samples to push, and the record of that, to be committed with them. */
export interface ToPush {
  readonly samples: readonly TimedSample[];
  readonly commit: readonly StateEntry[];
}

export const NOTHING_TO_PUSH: ToPush = { samples: [], commit: [] };
