/** More of an answer is not read. */
const MOST_BYTES = 64 * 1_024;

/** Time limit (ms) for a body whose status has decided. */
const LONGEST_BODY_MS = 1_000;

/** Reads the beginning of a body, as far as it arrives in time. Drops the rest. */
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
