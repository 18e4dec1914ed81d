/** A varint at a place: its value, and where the next byte is. Numbers beyond 2^53 lose precision. */
type Varint = readonly [value: number, next: number];

function varint(bytes: Uint8Array, from: number): Varint {
  let value = 0;
  let factor = 1;
  for (let at = from; ; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new RangeError('the message ends within a number');
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (byte < 0x80) return [value, at + 1];
  }
}

/** The bytes or the number of each field, as far as they are of the types that an answer has. */
function* fields(bytes: Uint8Array): Generator<readonly [field: number, content: Uint8Array | number]> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, begin] = varint(bytes, at);
    const [number, next] = varint(bytes, begin);
    const isBytes = tag % 8 === 2;
    if (!isBytes && tag % 8 !== 0) return;
    at = isBytes ? next + number : next;
    yield [Math.floor(tag / 8), isBytes ? bytes.subarray(next, at) : number];
  }
}

/**
 * How many data points an `ExportMetricsServiceResponse` says were rejected: `partial_success.rejected_data_points`.
 * An answer that is something else, which some receivers give with success, rejects none.
 */
export function partialSuccess(body: Uint8Array): number {
  try {
    for (const [field, success] of fields(body)) {
      if (field !== 1 || typeof success === 'number') continue;
      for (const [inner, rejected] of fields(success)) {
        if (inner === 1 && typeof rejected === 'number') return rejected;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return 0;
}
