import type { Clock } from '../clock.ts';
import { duration } from '../text/figures.ts';
import { clearLine, type Output } from '../text/output.ts';

/** An account whose reads wait for its quota. */
export interface QuotaWait {
  readonly account: string;
  /** When the next may leave (local ms). */
  readonly until: number;
}

/** A wait that is worth telling the operator about (ms). */
const LONG_WAIT_MS = 2_000;

/** How much of a history has been read, and the log of what happens meanwhile. */
export class BackfillProgress {
  readonly log: LineLog;
  readonly #clock: Clock;
  #startedAt: number;
  #activity: string | undefined;
  #windows = 0;
  #done = 0;
  #doneBefore = 0;
  #operations = 0;
  #taken = 0;
  /** What happens now, where it is not reading. */
  stage: string | undefined;
  /** Which accounts wait for their quota. */
  waits: () => readonly QuotaWait[] = () => [];

  constructor(clock: Clock, log: LineLog) {
    this.#clock = clock;
    this.log = log;
    this.#startedAt = clock.now();
  }

  /** So many windows there are in all, so many of which are done; `activity` is what is done with them, where it is not reading. */
  expect(windows: number, done: number, activity?: string): void {
    this.stage = undefined;
    // What came before tells nothing of how long this takes.
    this.#startedAt = this.#clock.now();
    this.#activity = activity;
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

  /** Receivers have taken samples. */
  take(samples: number): void {
    this.#taken += samples;
    this.stage = `pushing, ${this.#taken} samples taken`;
  }

  /** What is done now, for a log. */
  get words(): string {
    return this.stage ?? this.#activity ?? 'reading history';
  }

  /** The same for a log. */
  get facts() {
    const read = this.#done - this.#doneBefore;
    const elapsed = this.#clock.now() - this.#startedAt;
    const left = read === 0 ? undefined : Math.ceil((elapsed / read / 1_000) * (this.#windows - this.#done));
    return {
      windows: this.#done,
      of: this.#windows,
      operations: this.#operations,
      seconds_left: this.stage === undefined ? left : undefined,
      waiting: this.#waiting || undefined,
    };
  }

  /** Which accounts wait for their quota, and until when; empty if none waits for long. */
  get #waiting(): string {
    const now = this.#clock.now();
    const long = this.waits().filter(({ until }) => until - now >= LONG_WAIT_MS);
    return long
      .map(({ account, until }) => `account ${account} for its quota until ${second(until)}`)
      .join(', ');
  }

  /** One line for a reader. */
  get line(): string {
    const waiting = this.#waiting === '' ? '' : `; waiting: ${this.#waiting}`;
    if (this.stage !== undefined) return `${this.stage}${waiting}`;
    const { windows, of, operations, seconds_left: left } = this.facts;
    const share = of === 0 ? 0 : Math.floor((100 * windows) / of);
    const rest = left === undefined ? '' : `, ${duration(left)} left`;
    const activity = this.#activity === undefined ? '' : `${this.#activity}: `;
    return `${activity}${windows} of ${of} windows (${share} %), ${operations} operations${rest}${waiting}`;
  }
}

/** The time of day of a moment, to the second in which it has come. */
function second(time: number): string {
  return new Date(Math.ceil(time / 1_000) * 1_000).toISOString().slice(11).replace('.000Z', 'Z');
}

/** Where lines of a log go. */
export interface LineLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

const LIVE_MS = 250;
const LOGGED_MS = 5_000;

/** A log whose lines replace the live line, which is drawn again below them. */
function besideLiveLine(log: LineLog, stderr: Output): LineLog {
  const over = (level: keyof LineLog) => (facts: object, message: string) => {
    stderr.write(clearLine(stderr));
    log[level](facts, message);
  };
  return { info: over('info'), warn: over('warn') };
}

/** Shows the progress of work while it lasts: a line that changes on a terminal, else one every few seconds. */
export async function withProgress<Result>(
  log: LineLog,
  stderr: Output,
  clock: Clock,
  work: (progress: BackfillProgress) => Promise<Result>,
): Promise<Result> {
  const live = stderr.isTTY === true;
  const progress = new BackfillProgress(clock, live ? besideLiveLine(log, stderr) : log);
  const over = new AbortController();
  const show = async () => {
    for (;;) {
      await clock.sleep(live ? LIVE_MS : LOGGED_MS, over.signal);
      if (live) stderr.write(`${clearLine(stderr)}${progress.line}`);
      else log.info(progress.facts, progress.words);
    }
  };
  // It ends by the abort below.
  show().catch(() => undefined);
  try {
    return await work(progress);
  } finally {
    over.abort();
    if (live) stderr.write(clearLine(stderr));
  }
}
