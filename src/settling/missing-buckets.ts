/** How often a span of time was asked for without an answer that had its buckets. */
export interface Evidence {
  /** When the first answer lacked it (platform ms); of what was never asked for, when it fell due. */
  readonly since: number;
  /** When the latest answer lacked it (platform ms). */
  readonly until: number;
  /** Answers that lacked it. */
  readonly asked: number;
  /** Answers among them that were whole: they had rows, and none was dropped. */
  readonly whole: number;
}

/** When a bucket that stays missing is skipped. */
export interface MissingBucketTimeout {
  /** How long after the first answer that lacked it (ms). */
  readonly after: number;
  /** After this many whole answers without it. */
  readonly whole: number;
  /** After this many answers without it in all: a row that an answer dropped may have been the bucket's. */
  readonly asked: number;
}

/** The evidence after one more answer that lacked the span. */
export function missedAgain({ since, asked, whole }: Evidence, isWhole: boolean, now: number): Evidence {
  // A time to come was noted before the clock was set back.
  const first = asked === 0 ? now : Math.min(since, now);
  return { since: first, until: now, asked: asked + 1, whole: whole + (isWhole ? 1 : 0) };
}

/** Whether the platform was asked so often and for so long that missing buckets are to be skipped. */
export function isTimedOut({ since, until, asked, whole }: Evidence, timeout: MissingBucketTimeout): boolean {
  return until - since >= timeout.after && (whole >= timeout.whole || asked >= timeout.asked);
}
