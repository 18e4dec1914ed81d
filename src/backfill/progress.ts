import type { Clock } from '../clock.ts';
import type { Output } from '../output.ts';

/** How far a history has come. */
export class Progress {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #windows = 0;
  #done = 0;
  #doneBefore = 0;
  #operations = 0;
  /** What happens now, where it is not reading. */
  stage: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** Says how many windows of a metric there are in all, and how many of them an earlier start has read. */
  expect(windows: number, done: number): void {
    this.#windows = windows;
    this.#done = done;
    this.#doneBefore = done;
  }

  /** An operation was performed. */
  count(): void {
    this.#operations += 1;
  }

  /** So many windows more are done. */
  advance(windows: number): void {
    this.#done += windows;
  }

  get facts(): { windows: number; of: number; operations: number; seconds_left: number | undefined } {
    const read = this.#done - this.#doneBefore;
    const elapsed = this.#clock.now() - this.#startedAt;
    const left = read === 0 ? undefined : Math.ceil((elapsed / read / 1_000) * (this.#windows - this.#done));
    return { windows: this.#done, of: this.#windows, operations: this.#operations, seconds_left: left };
  }

  /** One line for a reader. */
  get line(): string {
    if (this.stage !== undefined) return this.stage;
    const { windows, of, operations, seconds_left: left } = this.facts;
    const share = of === 0 ? 0 : Math.floor((100 * windows) / of);
    const rest = left === undefined ? '' : `, ${duration(left)} left`;
    return `${windows} of ${of} windows (${share} %), ${operations} operations${rest}`;
  }
}

/** Seconds as a reader says them: the two largest units. */
export function duration(seconds: number): string {
  const units = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const named = units.map((count, index) => [count, ['h', 'min', 's'][index]] as const);
  const first = Math.min(
    Math.max(
      0,
      named.findIndex(([count]) => count > 0),
    ),
    2,
  );
  const shown = units.some((count) => count > 0) ? named.slice(first, first + 2) : named.slice(2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Where lines of a log go. */
export interface LineLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface ShowingOptions {
  readonly progress: Progress;
  readonly stderr: Output;
  readonly log: Pick<LineLog, 'info'>;
  readonly clock: Clock;
}

const LIVE_MS = 250;
const LOGGED_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

/** A log whose lines do not get into the live line: they take its place, and it appears again below them. */
export function besideProgress(log: LineLog, stderr: Output): LineLog {
  if (stderr.isTTY !== true) return log;
  const over = (write: (facts: object, message: string) => void) => (facts: object, message: string) => {
    stderr.write(CLEAR_LINE);
    write(facts, message);
  };
  return {
    info: over((facts, message) => log.info(facts, message)),
    warn: over((facts, message) => log.warn(facts, message)),
  };
}

/** Shows progress until the returned function is called: a line that changes on a terminal, else one every few seconds. */
export function showProgress({ progress, stderr, log, clock }: ShowingOptions): () => void {
  const over = new AbortController();
  const live = stderr.isTTY === true;
  const show = () => {
    if (live) stderr.write(`${CLEAR_LINE}${progress.line}`);
    else log.info(progress.facts, progress.stage ?? 'reading history');
  };
  const goOn = (): void => {
    clock.sleep(live ? LIVE_MS : LOGGED_MS, over.signal).then(
      () => {
        show();
        goOn();
      },
      // It fails only by the abort below.
      () => undefined,
    );
  };
  goOn();
  return () => {
    over.abort();
    if (live) stderr.write(CLEAR_LINE);
  };
}
