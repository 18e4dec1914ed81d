import type { Clock } from '../clock.ts';
import { duration } from '../text/figures.ts';
import { clearLine, type Output } from '../text/output.ts';

/** An account whose reads wait for its quota. */
export interface QuotaWait {
  readonly account: string;
  /** Local time (ms) at which the next read may be sent. */
  readonly until: number;
}

/** Wait (ms) below which a wait is not displayed. */
const LONG_WAIT_MS = 2_000;

/** Progress of work on a history, for display and log. */
export class Progress {
  readonly log: LineLog;
  readonly #clock: Clock;
  #startedAt: number;
  #activity = 'reading history';
  #windows = 0;
  #done = 0;
  #doneBefore = 0;
  #operations = 0;
  /** Current activity before and after the windows; undefined while windows are processed. */
  stage: string | undefined;
  /** Returns the accounts that wait for their quota. */
  waits: () => readonly QuotaWait[] = () => [];

  constructor(clock: Clock, log: LineLog) {
    this.#clock = clock;
    this.log = log;
    this.#startedAt = clock.now();
  }

  /** Starts work on windows. @param done number of windows that an earlier run has done */
  expect(windows: number, done: number, activity = this.#activity): void {
    this.stage = undefined;
    this.#startedAt = this.#clock.now();
    this.#activity = activity;
    this.#windows = windows;
    this.#done = done;
    this.#doneBefore = done;
  }

  /** Counts an operation. */
  count(): void {
    this.#operations += 1;
  }

  /** Counts windows that are done. */
  advance(windows: number): void {
    this.#done += windows;
  }

  /** Current activity, for a log. */
  get words(): string {
    return this.stage ?? this.#activity;
  }

  /** Progress in numbers, for a log. */
  get facts() {
    const done = this.#done - this.#doneBefore;
    const elapsed = this.#clock.now() - this.#startedAt;
    const left = done === 0 ? undefined : Math.ceil((elapsed / done / 1_000) * (this.#windows - this.#done));
    return {
      windows: this.#done,
      of: this.#windows,
      operations: this.#operations,
      seconds_left: this.stage === undefined ? left : undefined,
      waiting: this.#waiting || undefined,
    };
  }

  /** Progress as one line for a terminal. */
  get line(): string {
    const { windows, of, operations, seconds_left: left, waiting } = this.facts;
    const share = of === 0 ? 0 : Math.floor((100 * windows) / of);
    const rest = left === undefined ? '' : `, ${duration(left)} left`;
    const done = `${this.#activity}: ${windows} of ${of} windows (${share} %), ${operations} operations${rest}`;
    return `${this.stage ?? done}${waiting === undefined ? '' : `; waiting: ${waiting}`}`;
  }

  get #waiting(): string {
    const now = this.#clock.now();
    const long = this.waits().filter(({ until }) => until - now >= LONG_WAIT_MS);
    return long
      .map(({ account, until }) => `account ${account} for its quota until ${second(until)}`)
      .join(', ');
  }
}

/** Returns the time of day, rounded up to a second. */
function second(time: number): string {
  return new Date(Math.ceil(time / 1_000) * 1_000).toISOString().slice(11).replace('.000Z', 'Z');
}

/** Destination of log lines. */
export interface LineLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

const LIVE_MS = 250;
const LOGGED_MS = 5_000;

/** Returns a log whose lines replace the live line, which is drawn again below them. */
function besideLiveLine(log: LineLog, stderr: Output): LineLog {
  const over = (level: keyof LineLog) => (facts: object, message: string) => {
    stderr.write(clearLine(stderr));
    log[level](facts, message);
  };
  return { info: over('info'), warn: over('warn') };
}

/** Shows the progress of work while it runs: a live line on a terminal, else a log line every few seconds. */
export async function withProgress<Result>(
  log: LineLog,
  stderr: Output,
  clock: Clock,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const live = stderr.isTTY === true;
  const progress = new Progress(clock, live ? besideLiveLine(log, stderr) : log);
  const over = new AbortController();
  const show = async () => {
    for (;;) {
      await clock.sleep(live ? LIVE_MS : LOGGED_MS, over.signal);
      if (live) stderr.write(`${clearLine(stderr)}${progress.line}`);
      else log.info(progress.facts, progress.words);
    }
  };
  // The abort below ends it.
  show().catch(() => undefined);
  try {
    return await work(progress);
  } finally {
    over.abort();
    if (live) stderr.write(clearLine(stderr));
  }
}
