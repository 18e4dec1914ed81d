import type { PlatformFailure } from '../platform/read.ts';
import { type Asked, type Refusal, refusalOf, stands } from './job.ts';

export interface RefusalsOptions {
  /** The platform's time (ms). */
  readonly now: () => number;
  /** The group of operations that is asked, where there are several. */
  readonly by?: () => string;
  /** The id of the access in use; by default none is known, and a refusal stands whoever was refused. */
  readonly access?: (() => string | undefined) | undefined;
}

/** What a job may not ask again for a while, with the source and the access that it has by now. */
export class Refusals {
  readonly #options: RefusalsOptions;
  /** The access of the read under way: when the answer comes it may be another. */
  #askedWith: string | undefined;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** A read begins. @throws PlatformFailure what was refused before, while that stands */
  begin(before: Refusal | undefined): void {
    if (this.stand(before)) throw before.failure;
    this.#askedWith = this.#options.access?.();
  }

  stand(refusal: Refusal | undefined): refusal is Refusal {
    return stands(refusal, this.#options.now(), this.#asked());
  }

  /** The refusal that the failure of the read is; undefined where it is none. */
  of(failure: PlatformFailure, before?: Refusal): Refusal | undefined {
    return refusalOf(failure, before, this.#options.now(), this.#asked(this.#askedWith));
  }

  #asked(of = this.#options.access?.()): Asked {
    const { by } = this.#options;
    return { ...(by !== undefined && { by: by() }), of };
  }
}
