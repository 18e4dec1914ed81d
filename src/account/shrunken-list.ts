import { MINUTE_MS } from '../settling/window.ts';

/** A list that has lost more than this share of its items at once is doubted. */
const MOST_LOST = 0.5;

/** So many reads must agree that most is gone. */
const READS = 3;

/** How long (ms) after a doubted read the next one comes: a fault that passes should be over by then. */
export const READ_AGAIN_MS = MINUTE_MS;

/** What is made of the length of a list. */
export interface Judgement {
  readonly believed: boolean;
  /** What an operator should know of it; undefined where nothing is strange. */
  readonly warning: string | undefined;
}

/**
 * Keeps one short or empty list from withdrawing most of what there is: it is read again, and believed only when it
 * stays so.
 */
export class ShrunkenList {
  /** How many items the list had that was believed last. */
  #known = 0;
  #doubted = 0;

  /** Whether a list was doubted, and has not been read as often as it takes to be believed. */
  get isDoubted(): boolean {
    return this.#doubted > 0;
  }

  /** What to make of a list of so many items. */
  judge(items: number): Judgement {
    if (items >= this.#known * (1 - MOST_LOST)) return { believed: true, warning: undefined };
    const shrank = `the list of configurations shrank from ${this.#known} to ${items}`;
    if (this.#doubted + 1 >= READS) {
      return { believed: true, warning: `${shrank} in ${READS} reads: what is gone is withdrawn` };
    }
    return { believed: false, warning: `${shrank}: it is read again before anything is withdrawn` };
  }

  /** Takes over what was made of a list. */
  note(items: number, { believed }: Judgement): void {
    this.#doubted = believed ? 0 : this.#doubted + 1;
    if (believed) this.#known = items;
  }
}
