import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

/** Below this, compressing saves no packet. */
const WORTH_COMPRESSING_BYTES = 2048;

/** A plain text answer for people and `curl`; one line each. */
export function sendText(response: Response, status: number, lines: readonly string[]): void {
  response.status(status).type('text/plain').set('Cache-Control', 'no-store');
  response.send(`${lines.join('\n')}\n`);
}

/** An answer that is made for this request and differs for the next. */
export async function sendDocument(
  request: Request,
  response: Response,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  response.type(type).set({ 'Cache-Control': 'no-store', Vary: 'Accept-Encoding' });
  const bytes = Buffer.from(body);
  const small = bytes.length < WORTH_COMPRESSING_BYTES;
  if (small || request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') {
    response.send(bytes);
    return;
  }
  const packed = await compress(bytes, { level: 1 });
  response.set('Content-Encoding', 'gzip').send(packed);
}
