import { createHook } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

/** What is under way in this process, seen from outside, without a hook in the code under test. */
export interface PendingWork {
  /** HTTP requests without a whole answer, files being read, compressions, LMDB commits, immediates. */
  readonly count: () => number;
  /** The same by kind, for a message. */
  readonly kinds: () => Record<string, number>;
  readonly stop: () => void;
}

/** Asynchronous resources whose work is over when their callback starts. LMDB's commits are called `write`. */
const ONE_SHOT = new Set(['write', 'FSREQCALLBACK', 'FSREQPROMISE', 'Immediate']);

/**
 * Watches this process' work until stopped. HTTP requests are those of undici and `fetch`, from their creation to
 * the end of the answer; so a server in the same process is covered by its clients.
 */
export function watchPendingWork(): PendingWork {
  const oneShot = new Map<number, string>();
  const compressors = new Map<number, WeakRef<Compressor>>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (ONE_SHOT.has(type)) oneShot.set(id, type);
      if (type === 'ZLIB') compressors.set(id, new WeakRef(resource));
    },
    before: (id) => void oneShot.delete(id),
    destroy(id) {
      oneShot.delete(id);
      compressors.delete(id);
    },
  }).enable();
  const requests = watchRequests();
  const compressing = () => {
    // One that has nothing to work on is over: all compressions here are of one buffer. Thousands may await collection.
    for (const [id, compressor] of compressors) if (!compressor.deref()?.buffer) compressors.delete(id);
    return compressors.size;
  };
  return {
    count: () => requests.inFlight.size + oneShot.size + compressing(),
    kinds: () => ({
      request: requests.inFlight.size,
      compression: compressing(),
      ...countEach(oneShot.values()),
    }),
    stop() {
      hook.disable();
      requests.stop();
    },
  };
}

/** Node's native side of a compression stream, which lives until it is collected; its buffer is what it works on. */
interface Compressor {
  readonly buffer?: unknown;
}

function countEach(kinds: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function watchRequests() {
  const inFlight = new Set<unknown>();
  const begin = (message: unknown) => inFlight.add(requestOf(message));
  const end = (message: unknown) => inFlight.delete(requestOf(message));
  channel('undici:request:create').subscribe(begin);
  channel('undici:request:trailers').subscribe(end);
  channel('undici:request:error').subscribe(end);
  return {
    inFlight,
    stop() {
      channel('undici:request:create').unsubscribe(begin);
      channel('undici:request:trailers').unsubscribe(end);
      channel('undici:request:error').unsubscribe(end);
    },
  };
}

function requestOf(message: unknown): unknown {
  return (message as { readonly request: unknown }).request;
}
