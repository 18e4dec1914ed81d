import { createHook } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Worker } from 'node:worker_threads';

/** What is under way in this process, seen from outside, without a hook in the code under test. */
export interface PendingWork {
  /** HTTP requests without a whole answer, files being read, compressions, questions to threads, immediates. */
  readonly count: () => number;
  /** The same by kind, for a message. */
  readonly kinds: () => Record<string, number>;
  readonly stop: () => void;
}

/** Asynchronous resources whose work is over when their callback starts. */
const ONE_SHOT = new Set(['FSREQCALLBACK', 'FSREQPROMISE', 'Immediate']);

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
  const threads = watchThreads();
  const compressing = () => {
    // One that has nothing to work on is over: all compressions here are of one buffer. Thousands may await collection.
    for (const [id, compressor] of compressors) if (!compressor.deref()?.buffer) compressors.delete(id);
    return compressors.size;
  };
  return {
    count: () => requests.inFlight.size + threads.asked() + oneShot.size + compressing(),
    kinds: () => ({
      request: requests.inFlight.size,
      thread: threads.asked(),
      compression: compressing(),
      ...countEach(oneShot.values()),
    }),
    stop() {
      hook.disable();
      requests.stop();
      threads.stop();
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

/** A thread answers each message that it is sent, such as a commit, with one of its own. */
function watchThreads() {
  const asked = new Map<Worker, number>();
  const { postMessage, emit } = Worker.prototype;
  const count = (worker: Worker, more: number) =>
    asked.set(worker, Math.max(0, (asked.get(worker) ?? 0) + more));
  Worker.prototype.postMessage = function (...message: Parameters<typeof postMessage>) {
    count(this, 1);
    return postMessage.apply(this, message);
  };
  Worker.prototype.emit = function (this: Worker, ...event: Parameters<typeof emit>) {
    if (event[0] === 'message') count(this, -1);
    if (event[0] === 'exit') asked.delete(this);
    return emit.apply(this, event);
  };
  return {
    asked: () => [...asked.values()].reduce((sum, each) => sum + each, 0),
    stop: () => void Object.assign(Worker.prototype, { postMessage, emit }),
  };
}

function requestOf(message: unknown): unknown {
  return (message as { readonly request: unknown }).request;
}
