import type { Clock } from '../clock.ts';
import type { RangeOptions, StateEntry, StateKey } from './records.ts';
import { type State, StateWriteFailure } from './state.ts';

/** How long (ms) to wait before the directory is tried again. */
const RETRY_MS = 10_000;

export interface AwaitedStateOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly open: () => Promise<State>;
  /** The attempt that has failed, or is still under way. */
  readonly firstAttempt: Promise<State>;
}

/**
 * State whose directory cannot be used yet. Until it can be, it refuses every commit, so that no counter begins that
 * would later jump to what the directory holds; it is tried again and again.
 */
export class AwaitedState implements State {
  readonly directory: string;
  readonly #options: AwaitedStateOptions;
  readonly #opening: Promise<void>;
  readonly #closing = new AbortController();
  #reason = 'it has not responded yet';
  #opened: State | undefined;

  constructor(options: AwaitedStateOptions) {
    this.directory = options.directory;
    this.#options = options;
    this.#opening = this.#openAtLast();
  }

  get kind(): State['kind'] {
    return this.#opened?.kind ?? 'unavailable';
  }

  get note(): string | undefined {
    return this.#opened ? this.#opened.note : this.#trouble();
  }

  get(key: StateKey): unknown {
    return this.#opened?.get(key);
  }

  keys(prefix: StateKey): Iterable<StateKey> {
    return this.#opened?.keys(prefix) ?? [];
  }

  async range(prefix: StateKey, options: RangeOptions): Promise<readonly StateEntry[]> {
    return (await this.#opened?.range(prefix, options)) ?? [];
  }

  async commit(entries: readonly StateEntry[]): Promise<void> {
    if (this.#opened) return this.#opened.commit(entries);
    if (entries.length > 0) throw new StateWriteFailure(this.#trouble());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening;
    await this.#opened?.close();
  }

  async #openAtLast(): Promise<void> {
    const { firstAttempt, open, clock, log } = this.#options;
    for (let attempt = firstAttempt; ; attempt = open()) {
      try {
        this.#opened = await attempt;
        log.info(`the state directory ${this.directory} can be used: counters continue`);
        return;
      } catch (error) {
        this.#tell(error instanceof Error ? error.message : String(error));
      }
      const waited = clock.sleep(RETRY_MS, this.#closing.signal).then(() => true);
      if (!(await waited.catch(() => false))) return;
    }
  }

  #tell(reason: string): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#options.log.warn(this.#trouble());
  }

  #trouble(): string {
    return `the state directory ${this.directory} cannot be used: ${this.#reason}; counters are withheld until then, gauges are served`;
  }
}
