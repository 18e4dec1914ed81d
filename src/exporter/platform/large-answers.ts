/** Larger answers (bytes, decoded) are parsed in turn, and used at once: parsed, 64 KB may take 2 MB. Most have some kilobytes. */
const LARGE_ANSWER = 64 * 1024;

/** Larger ones need a place while they are received and wait to be parsed: hundreds of 8 MB would fill the memory as text. */
export const HUGE_ANSWER = 1024 * 1024;

/** Places for them. */
const MOST_AT_ONCE = 8;

export function isLarge(bytes: number): boolean {
  return bytes > LARGE_ANSWER;
}

/** Who waits for a place, or has one. */
interface Waiting {
  readonly owner: object;
  readonly go: () => void;
}

/** The places for huge answers, of all accounts together: few, and of them one for each account. */
export class Places {
  readonly #owners = new Set<object>();
  #waiting: readonly Waiting[] = [];

  /** Resolves when there is a place for an answer of an owner; rejects with the signal's reason if that aborts before. */
  take(owner: object, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const waiting = { owner, go };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting = [...this.#waiting, waiting];
      this.#next();
    });
  }

  leave(owner: object): void {
    this.#owners.delete(owner);
    this.#next();
  }

  #next(): void {
    while (this.#owners.size < MOST_AT_ONCE) {
      const next = this.#waiting.find(({ owner }) => !this.#owners.has(owner));
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#owners.add(next.owner);
      next.go();
    }
  }
}

/** A place that an answer may need. */
export interface Place {
  /** Waits for it, unless it has been taken before. */
  readonly taken: (signal: AbortSignal) => Promise<void>;
  readonly left: () => void;
}

/**
 * Large answers of one account. They are parsed one in a turn of the event loop, and used before the next is: parsed, an
 * answer takes up to ten times the memory that it had as text.
 */
export class LargeAnswers {
  readonly #places: Places;
  readonly #turn: () => Promise<void> | undefined;

  /** @param turn resolves when the next answer may be parsed */
  constructor(places = new Places(), turn: () => Promise<void> | undefined = () => undefined) {
    this.#places = places;
    this.#turn = turn;
  }

  /** Resolves when an answer may be parsed. What uses it must not wait for anything else before. */
  async turn(): Promise<void> {
    await this.#turn();
  }

  place(): Place {
    let isTaken = false;
    return {
      taken: async (signal) => {
        if (isTaken) return;
        await this.#places.take(this, signal);
        isTaken = true;
      },
      left: () => {
        if (isTaken) this.#places.leave(this);
        isTaken = false;
      },
    };
  }
}
