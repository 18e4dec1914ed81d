import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';

const CHECKSUM_BYTES = 4;

const msgpack = new Packr({ useRecords: false, copyBuffers: true });

/** The stored bytes of a value: a CRC-32 over key and content, then the content in MessagePack. */
export function sealRecord(name: string, value: unknown): Buffer {
  const content = msgpack.pack(value);
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + content.length);
  bytes.set(content, CHECKSUM_BYTES);
  bytes.writeUInt32LE(checksum(name, content));
  return bytes;
}

/** The value of stored bytes that are intact. */
export function unsealRecord(bytes: Uint8Array): unknown {
  return msgpack.unpack(bytes.subarray(CHECKSUM_BYTES));
}

/** Whether every bit of key and content is as sealed: SQLite itself does not notice a changed value. */
export function isIntact(name: string, bytes: Uint8Array): boolean {
  return (
    bytes.length > CHECKSUM_BYTES && checksum(name, bytes.subarray(CHECKSUM_BYTES)) === storedChecksum(bytes)
  );
}

/** The checksum at the head of the bytes. */
export function storedChecksum(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

function checksum(name: string, content: Uint8Array): number {
  return crc32(content, crc32(name));
}
