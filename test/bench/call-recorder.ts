/**
 * Loaded into a process whose functions say when they are entered (`call-trace.ts`): keeps the last of these moments, and those at
 * which requests leave, and sends them to the parent that asks.
 */
import { channel } from 'node:diagnostics_channel';
import { isMainThread } from 'node:worker_threads';

/** What happened in a process, in its order. */
export interface Recorded {
  /** Indexes of functions; below 0 `-1 - index` of a request. */
  readonly entries: Int32Array;
  /** When (ms since the epoch). */
  readonly times: Float64Array;
  /** The paths of all requests. */
  readonly requests: readonly string[];
}

/** More than a process of one metric enters within five minutes. */
const KEPT = 4_000_000;

const entries = isMainThread ? new Int32Array(KEPT) : new Int32Array();
const times = new Float64Array(entries.length);
let count = 0;
const requests: string[] = [];

const entered = (entry: number) => {
  if (count >= entries.length) return;
  times[count] = performance.now();
  entries[count++] = entry;
};
Object.assign(globalThis, { entered });

// What is measured every second would be in the midst of polls, in some and not in others.
const { setInterval } = globalThis;
const kept = (work: () => void, ms: number) => setInterval(work, ms === 1_000 ? 2 ** 31 - 1 : ms);
Object.assign(globalThis, { setInterval: kept });

channel('undici:client:sendHeaders').subscribe((message) => {
  if (!isSent(message)) return;
  entered(-1 - requests.length);
  requests.push(message.request.path);
});

function isSent(message: unknown): message is { readonly request: { readonly path: string } } {
  return typeof message === 'object' && message !== null && 'request' in message;
}

if (isMainThread)
  process.on('message', () => {
    const recorded: Recorded = {
      entries: entries.slice(0, count),
      times: times.slice(0, count).map((time) => performance.timeOrigin + time),
      requests,
    };
    count = 0;
    process.send?.(recorded);
  });
