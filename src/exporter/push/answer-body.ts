/** Maximum number of bytes read of a response. */
const MOST_BYTES = 64 * 1_024;

/** Time limit (ms) for reading a body, because the status already determines the result. */
const LONGEST_BODY_MS = 1_000;

/** Returns the beginning of a body, as far as it arrives in time. Discards the rest. */
export async function beginningOf(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  longestMs = LONGEST_BODY_MS,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), longestMs);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) break;
    }
  } catch {
    // The status has already decided the result.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
