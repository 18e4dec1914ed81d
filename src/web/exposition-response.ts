import { once } from 'node:events';
import type { Request, Response } from 'express';
import { CONTENT_TYPES, type ExpositionFormat, negotiateFormat } from '../exposition/negotiate.ts';

/** How the bytes are packed. */
export type ExpositionEncoding = 'identity' | 'gzip';

/** The bytes that are ready for a scrape, in order. They stay as they are, whatever is polled meanwhile. */
export type ReadExposition = (
  format: ExpositionFormat,
  encoding: ExpositionEncoding,
) => Promise<readonly Buffer[]> | readonly Buffer[];

/** Written in one go, before waiting for the scraper to take it: large enough that a quick one hardly waits. */
const BURST_BYTES = 4 * 1024 * 1024;

/** Answers a scrape with bytes that are ready; nothing is hashed, copied or compressed here. */
export async function sendExposition(
  request: Request,
  response: Response,
  exposition: ReadExposition,
): Promise<void> {
  const format = negotiateFormat(request.get('accept'));
  const encoding = request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity';
  const buffers = await exposition(format, encoding);
  response.setHeader('Content-Type', CONTENT_TYPES[format]);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  response.setHeader(
    'Content-Length',
    buffers.reduce((sum, buffer) => sum + buffer.length, 0),
  );
  if (encoding === 'gzip') response.setHeader('Content-Encoding', 'gzip');
  if (request.method !== 'HEAD') await writeBuffers(response, buffers);
  response.end();
}

async function writeBuffers(response: Response, buffers: readonly Buffer[]): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    for (const burst of bursts(buffers)) {
      if (response.destroyed) return;
      response.cork();
      for (const buffer of burst) response.write(buffer);
      response.uncork();
      if (response.writableNeedDrain) await once(response, 'drain', { signal: gone.signal });
    }
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
