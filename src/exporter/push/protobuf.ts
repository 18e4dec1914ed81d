/** Writes a protobuf message, field by field. Nested messages are written by a function of their own. */
export class ProtobufWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param capacity bytes that it has room for at first */
  constructor(capacity = FIRST_CAPACITY) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A field of a whole number that is not negative (varint): an enum, uint32, or int64 up to 2^53. */
  integer(field: number, value: number): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** A double that is Prometheus' stale marker: a NaN of bits of its own, which numbers of JavaScript do not keep. */
  staleMarker(field: number): void {
    this.fixed64(field, STALE_NAN);
  }

  /** An unsigned 64-bit number of fixed length. */
  fixed64(field: number, value: bigint): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length);
  }

  /** Text as UTF-8; a surrogate without its partner becomes U+FFFD. */
  text(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.#varint(field * 8 + 2);
    this.#varint(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Fields that another writer has written. */
  written(fields: Uint8Array): void {
    this.#reserve(fields.length);
    this.#bytes.set(fields, this.#length);
    this.#length += fields.length;
  }

  /** Numbers of a repeated field in one piece, those of all the lists. */
  packed(field: number, ...lists: readonly (readonly number[])[]): void {
    const start = this.#begin(field);
    for (const values of lists) for (const value of values) this.#varint(value);
    this.#end(start);
  }

  /** A nested message. */
  message(field: number, write: (inner: this) => void): void {
    const start = this.#begin(field);
    write(this);
    this.#end(start);
  }

  /** Leaves a byte for the length, which is enough for most messages; returns where the content begins. */
  #begin(field: number): number {
    this.#varint(field * 8 + 2);
    this.#reserve(1);
    this.#length += 1;
    return this.#length;
  }

  #end(start: number): void {
    const length = this.#length - start;
    if (length < 0x80) {
      this.#bytes[start - 1] = length;
      return;
    }
    let more = 0;
    for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) more += 1;
    this.#reserve(more);
    this.#bytes.copyWithin(start + more, start, this.#length);
    this.#length = start - 1;
    this.#varint(length);
    this.#length += length;
  }

  #varint(value: number): void {
    if (this.#length + 10 > this.#bytes.length) this.#reserve(10);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#bytes.length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Prometheus' `value.StaleNaN`. */
const STALE_NAN = 0x7ff0000000000002n;

/** A request of 2,000 samples takes some 150 KB. */
const FIRST_CAPACITY = 192 * 1_024;
