/** So many answers are taken in within some milliseconds. */
const EACH_TURN = 32;

/**
 * Lets the requests of all accounts leave, so many in each turn of the event loop. Whoever asks a platform that answers
 * at once for hundreds of accounts would otherwise have a thousand answers in one turn, and for a second nobody could
 * be served. Requests on their way are not limited: those of an account that hangs are in nobody's way.
 */
export class Departures {
  readonly #waiting: (() => void)[] = [];
  #left = EACH_TURN;
  #turnEnds = false;

  /** Resolves when a request may leave; undefined where it may at once. Those that wait go in the order in which they came. */
  turn(): Promise<void> | undefined {
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      setImmediate(() => this.#nextTurn());
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #nextTurn(): void {
    const leaving = this.#waiting.splice(0, EACH_TURN);
    this.#left = EACH_TURN - leaving.length;
    this.#turnEnds = leaving.length > 0;
    if (this.#turnEnds) setImmediate(() => this.#nextTurn());
    for (const leave of leaving) leave();
  }
}
