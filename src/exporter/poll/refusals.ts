import { unlessAborted } from '../clock.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { PlatformFailure } from '../platform/read.ts';
import { type Refusal, refusalOf, stands } from './job.ts';

/** Whom the platform answers, and where: an address with a token or a user. */
export interface Access {
  /** Tells it from any other; undefined until a token is read. */
  id(): string | undefined;
  /** Reads the token, so that it is known. Never rejects. */
  look(): Promise<void>;
}

/** Who asks. */
export interface Asker {
  readonly platformClock: Pick<PlatformClock, 'now'>;
  /** The one in use; without it refusals stand whoever was refused. */
  readonly access?: Access | undefined;
}

/** Refusals of a job, with the access that it has by now. */
export class Refusals {
  readonly #asker: Asker;
  /** The access of the read under way: when the answer comes it may be another. */
  #askedWith: string | undefined;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** A read begins. @throws PlatformFailure what was refused before, while that stands */
  async begin(before: Refusal | undefined, signal: AbortSignal): Promise<void> {
    const { access } = this.#asker;
    // Of a start the first poll reads the token: another than before is to be known before that.
    if (before !== undefined && access !== undefined && access.id() === undefined)
      await unlessAborted(access.look(), signal);
    if (this.stand(before)) throw before.failure;
    this.#askedWith = access?.id();
  }

  stand(refusal: Refusal | undefined): refusal is Refusal {
    return stands(refusal, this.#asker.platformClock.now(), this.#access);
  }

  /** The refusal that the failure of the read is; undefined where it is none. @param isUsual as of {@link refusalOf} */
  of(failure: PlatformFailure, before?: Refusal, isUsual = false): Refusal | undefined {
    const askedWith = this.#askedWith ?? this.#access;
    return refusalOf(failure, before, this.#asker.platformClock.now(), askedWith, isUsual);
  }

  get #access(): string | undefined {
    return this.#asker.access?.id();
  }
}
