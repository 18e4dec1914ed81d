import { unlessAborted } from '../platform/deadline.ts';

/** Tells one who waits that there is something to do. */
export class Bell {
  #ring: () => void = () => undefined;

  ring(): void {
    this.#ring();
  }

  /** Resolves at the next ring; rejects when the signal aborts. */
  rung(signal: AbortSignal): Promise<void> {
    const ringing = new Promise<void>((resolve) => {
      this.#ring = resolve;
    });
    return unlessAborted(ringing, signal);
  }
}
