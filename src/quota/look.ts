/** After this time an answer is not waited for any more: another operation may look. */
const LONGEST_LOOK_MS = 3_000;

/** The one operation that leaves first, to see what is left of a frame, while the others wait for its answer. */
export class Look {
  #out: { readonly since: number } | undefined;

  /** Until when (local ms) it is waited for; undefined when there is none, or it has been waited for long enough. */
  waitsUntil(now: number): number | undefined {
    const until = (this.#out?.since ?? Number.NEGATIVE_INFINITY) + LONGEST_LOOK_MS;
    return until > now ? until : undefined;
  }

  /** An operation looks. The function returned must be called when it is over, whatever came of it. */
  begin(now: number): () => void {
    const me = { since: now };
    this.#out = me;
    return () => {
      if (this.#out === me) this.#out = undefined;
    };
  }

  /** What is left is known, by whichever answer. */
  end(): void {
    this.#out = undefined;
  }
}
