import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONTENT_TYPES, type ExpositionFormat } from '../exposition/negotiate.ts';
import { type Encoding, encodingFor, formatFor } from './negotiation.ts';
import { isAwaited } from './responses.ts';

/** The bytes that are ready for a scrape, in order. They stay as they are, whatever is polled meanwhile. */
export type ReadExposition = (
  format: ExpositionFormat,
  encoding: Encoding,
) => Promise<readonly Buffer[]> | readonly Buffer[];

/** Written in one go, before waiting for the scraper to take it: large enough that a quick one hardly waits. */
const BURST_BYTES = 4 * 1024 * 1024;

/** Answers a scrape with bytes that are ready; nothing is hashed, copied or compressed here. */
export async function sendExposition(
  request: IncomingMessage,
  response: ServerResponse,
  exposition: ReadExposition,
): Promise<void> {
  const format = formatFor(request);
  const encoding = encodingFor(request);
  const ready = exposition(format, encoding);
  const buffers = ready instanceof Promise ? await ready : ready;
  if (!isAwaited(response)) return;
  let length = 0;
  for (const buffer of buffers) length += buffer.length;
  response.setHeader('Content-Type', CONTENT_TYPES[format]);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  response.setHeader('Content-Length', length);
  if (encoding === 'gzip') response.setHeader('Content-Encoding', 'gzip');
  if (request.method === 'HEAD') response.end();
  else if (length <= BURST_BYTES) writeAll(response, buffers).end();
  else await writeInBursts(response, buffers);
}

/** Writes what fits into one burst, so that it leaves together with the head. */
function writeAll(response: ServerResponse, buffers: readonly Buffer[]): ServerResponse {
  response.cork();
  for (const buffer of buffers) response.write(buffer);
  response.uncork();
  return response;
}

async function writeInBursts(response: ServerResponse, buffers: readonly Buffer[]): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    for (const burst of bursts(buffers)) {
      if (response.destroyed) return;
      writeAll(response, burst);
      if (response.writableNeedDrain) await once(response, 'drain', { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    // A scraper that leaves early is its own affair.
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', leave);
  }
}

function* bursts(buffers: readonly Buffer[]): Generator<readonly Buffer[]> {
  let burst: Buffer[] = [];
  let bytes = 0;
  for (const buffer of buffers) {
    burst.push(buffer);
    bytes += buffer.length;
    if (bytes < BURST_BYTES) continue;
    yield burst;
    burst = [];
    bytes = 0;
  }
  if (burst.length > 0) yield burst;
}
