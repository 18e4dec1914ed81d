/** How much longer (ms) than its deadline a part of a poll may take before it is reported. */
const GRACE_MS = 1_000;

/** After an event loop that was blocked, what is due ends first (ms). */
const SETTLING_MS = 100;

/**
 * A part of a poll that has a deadline of its own: `report` is called when it goes on for a second longer, which means
 * that the deadline does not work. Real time, like the deadlines.
 */
export async function watched<T>(part: Promise<T>, deadlineMs: number, report: () => void): Promise<T> {
  let timer = setTimeout(() => {
    timer = setTimeout(report, SETTLING_MS);
  }, deadlineMs + GRACE_MS);
  try {
    return await part;
  } finally {
    clearTimeout(timer);
  }
}
