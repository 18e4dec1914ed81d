import { runInSlices } from '../slices.ts';

/** The reason of a signal that aborted because the time was up. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * A signal that aborts when the outer one does (with its reason) or after `ms` milliseconds (with DeadlineExceeded), until
 * `end` is called. Real time, not a Clock's: it bounds how long a real peer may take.
 * AbortSignal.any is not used, since Node 20 keeps its sources alive for as long as a long-lived outer signal. The deadlines of
 * thousands of requests come in the same moment: they end in slices.
 */
export function deadlineWithin(
  ms: number,
  outer: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  outer.throwIfAborted();
  const inner = new AbortController();
  const follow = () => inner.abort(outer.reason);
  let ended = false;
  const exceed = (): IteratorReturnResult<void> => {
    if (!ended) inner.abort(new DeadlineExceeded('timed out'));
    return { done: true, value: undefined };
  };
  const timer = setTimeout(() => void runInSlices({ next: exceed }, () => true), ms);
  outer.addEventListener('abort', follow, { once: true });
  const end = () => {
    ended = true;
    clearTimeout(timer);
    outer.removeEventListener('abort', follow);
  };
  return { signal: inner.signal, end };
}

/** Runs `work` under the signal of {@link deadlineWithin}. */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, end } = deadlineWithin(ms, outer);
  try {
    return await work(signal);
  } finally {
    end();
  }
}

/** Waits for `shared` unless the signal aborts first; others may go on waiting for it. */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    // Listened to in any case: a rejection that nobody waits for any more must not end the process.
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
