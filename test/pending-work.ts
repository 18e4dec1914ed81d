import { channel } from 'node:diagnostics_channel';
import type { Transform } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { createGzip } from 'node:zlib';
import { watchFiles } from './pending-files.ts';

/** Work in progress in this process, observed from outside the code under test. */
export interface PendingWork {
  /**
   * Returns the number of HTTP requests without a complete answer, file requests, compressions, messages to
   * threads, and immediates.
   * @param enough number after which counting may stop; default: none
   */
  readonly count: (enough?: number) => number;
  readonly kinds: () => Record<string, number>;
  readonly stop: () => void;
}

/**
 * Watches the work of this process until stopped. It observes requests of undici and `fetch` from creation to
 * the end of the answer, so it also covers a server in the same process.
 */
export function watchPendingWork(): PendingWork {
  const requests = watchRequests();
  const threads = watchThreads();
  const compressions = watchCompressions();
  const files = watchFiles();
  const immediatesIn = (resources: readonly string[]) =>
    resources.filter((kind) => kind === 'Immediate').length;
  return {
    count(enough = Number.POSITIVE_INFINITY) {
      const known = requests.inFlight.size + threads.asked() + compressions.running();
      if (known > enough) return known;
      // Node.js lists every socket and timer. Skipping the list if it cannot change the result saves 5 % of a
      // simulation's CPU time.
      const resources = process.getActiveResourcesInfo();
      return known + files.count(resources) + immediatesIn(resources);
    },
    kinds() {
      const resources = process.getActiveResourcesInfo();
      return {
        request: requests.inFlight.size,
        thread: threads.asked(),
        compression: compressions.running(),
        file: files.count(resources),
        immediate: immediatesIn(resources),
      };
    },
    stop() {
      requests.stop();
      threads.stop();
      compressions.stop();
      files.stop();
    },
  };
}

function watchCompressions() {
  const streams = new Set<Transform>();
  const shared = owner(createGzip(), '_transform');
  const transform = shared._transform;
  shared._transform = function (this: Transform, chunk, encoding, done) {
    streams.add(this);
    transform.call(this, chunk, encoding, (...result) => {
      streams.delete(this);
      done(...result);
    });
  };
  return {
    running() {
      // A failed stream does not call its callback.
      for (const stream of streams) if (stream.destroyed) streams.delete(stream);
      return streams.size;
    },
    stop: () => void Object.assign(shared, { _transform: transform }),
  };
}

function owner(stream: Transform, property: string): Transform {
  let object = stream;
  while (!Object.hasOwn(object, property)) object = Object.getPrototypeOf(object);
  return object;
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
