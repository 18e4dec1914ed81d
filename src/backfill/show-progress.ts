import type { Clock } from '../clock.ts';
import type { Output } from '../text/output.ts';
import type { BackfillProgress } from './progress.ts';

/** Where lines of a log go. */
export interface LineLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface ShowingOptions {
  readonly progress: BackfillProgress;
  readonly stderr: Output;
  readonly log: Pick<LineLog, 'info'>;
  readonly clock: Clock;
}

const LIVE_MS = 250;
const LOGGED_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

/** A log whose lines do not mix with the live line: they replace it, and it is drawn again below them. */
export function besideProgressLine(log: LineLog, stderr: Output): LineLog {
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
    else log.info(progress.facts, progress.words);
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
