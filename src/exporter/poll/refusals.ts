import type { PlatformClock } from '../platform/platform-clock.ts';
import type { PlatformFailure } from '../platform/read.ts';
import { type Asked, type Refusal, refusalOf, stands } from './job.ts';

/** Who asks. */
export interface Asker {
  readonly platformClock: Pick<PlatformClock, 'now'>;
  /** By which source and with which access, by now. */
  asked(): Asked;
}

/** What a job may not ask again for a while, with the source and the access that it has by now. */
export class Refusals {
  readonly #asker: Asker;
  /** The access of the read under way: when the answer comes it may be another. */
  #askedWith: string | undefined;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** A read begins. @throws PlatformFailure what was refused before, while that stands */
  begin(before: Refusal | undefined): void {
    if (this.stand(before)) throw before.failure;
    this.#askedWith = this.#asker.asked().of;
  }

  stand(refusal: Refusal | undefined): refusal is Refusal {
    return stands(refusal, this.#asker.platformClock.now(), this.#asker.asked());
  }

  /** The refusal that the failure of the read is; undefined where it is none. */
  of(failure: PlatformFailure, before?: Refusal): Refusal | undefined {
    const asked = this.#asker.asked();
    const askedWith = { ...asked, of: this.#askedWith ?? asked.of };
    return refusalOf(failure, before, this.#asker.platformClock.now(), askedWith);
  }
}
