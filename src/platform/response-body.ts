import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { PlatformFailure } from './outcome.ts';

const inflate = promisify(gunzip);

/** As much of a refusal as is worth reading for its reason. */
const REFUSAL_BYTES = 65_536;

/**
 * The body of a successful answer, decoded.
 * @param limit most bytes accepted, both as sent and as decoded, so that a gzip bomb ends at the limit too
 * @throws PlatformFailure `undecodable` when it is larger or in an encoding not asked for, and the connection's own errors
 */
export async function readBody(response: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const { statusCode } = response;
  if (Number(response.headers['content-length']) > limit) throw drop(response, tooLarge(limit, statusCode));
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
    const reason = `content encoding ${encoding.slice(0, 20)} was not asked for`;
    throw drop(response, new PlatformFailure('undecodable', reason, statusCode));
  }
  const sent = await receive(response, limit);
  if (sent.length > limit) throw tooLarge(limit, statusCode);
  return encoding === 'identity' ? sent : await decompress(sent, limit, statusCode);
}

function tooLarge(limit: number, status: number): PlatformFailure {
  return new PlatformFailure('undecodable', `the answer is larger than ${limit} bytes`, status);
}

/**
 * The beginning of a refusal's body. Whatever goes wrong with it, the refusal stands: what could be read is returned.
 */
export async function readRefusal(response: Dispatcher.ResponseData): Promise<string> {
  try {
    const sent = (await receive(response, REFUSAL_BYTES)).subarray(0, REFUSAL_BYTES);
    const encoding = response.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return sent.toString();
    const decoded = await inflate(sent, {
      maxOutputLength: REFUSAL_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return decoded.toString();
  } catch (error) {
    return `(its body cannot be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Discards an unread answer and closes its connection. */
function drop(response: Dispatcher.ResponseData, reason: PlatformFailure): PlatformFailure {
  // Destroying a body emits the reason once more; it is the caller's to throw.
  response.body.on('error', () => undefined);
  response.body.destroy();
  return reason;
}

/** Reads until the end or until more than `limit` bytes came, whichever is first. */
async function receive({ body }: Dispatcher.ResponseData, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}

async function decompress(sent: Buffer, limit: number, status: number): Promise<Buffer> {
  try {
    return await inflate(sent, { maxOutputLength: limit });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit, status);
    const words = code === 'Z_BUF_ERROR' ? 'the answer was cut off' : 'the answer is not valid gzip';
    throw new PlatformFailure('undecodable', words, status);
  }
}
