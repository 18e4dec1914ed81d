import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../exposition/store.ts';
import { learnedSamples } from '../settling/learned-samples.ts';
import type { MetricDelays } from './learned-delays.ts';
import type { AccountLink } from './link.ts';
import { vitalSamples } from './vitals.ts';

export interface AccountDisplayOptions {
  readonly account: string;
  /** For how long (ms) what is shown holds without being shown anew. */
  readonly staleAfter: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly link: AccountLink;
}

/** What an account shows besides its jobs: its vitals, and what it has learned of its platform. */
export class AccountDisplay {
  readonly #options: AccountDisplayOptions;

  constructor(options: AccountDisplayOptions) {
    this.#options = options;
  }

  showVitals(tokenExpiresAt: number | undefined): void {
    const { account, link, clock } = this.#options;
    this.#show('vitals', vitalSamples(account, link, tokenExpiresAt, clock.now()));
  }

  showLearned(learned: Iterable<MetricDelays>): void {
    const { account, link } = this.#options;
    const now = link.platformClock.now();
    const samples = [...learned].flatMap(({ product, metric, delays }) =>
      learnedSamples({ account, product, metric }, delays, now),
    );
    this.#show('learned', samples);
  }

  withdraw(): void {
    const { account, store } = this.#options;
    for (const part of ['vitals', 'learned']) store.withdraw(`${account}/${part}`);
  }

  #show(part: 'vitals' | 'learned', samples: readonly Sample[]): void {
    const { account, store, clock, staleAfter } = this.#options;
    store.publish(`${account}/${part}`, samples, clock.now() + staleAfter);
  }
}
