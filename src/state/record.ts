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

/**
 * The value of stored bytes, in an envelope of its own; undefined where a bit of key or content is not as
 * sealed.
 */
export function openRecord(name: string, bytes: Uint8Array): { readonly value: unknown } | undefined {
  if (!isIntact(name, bytes)) return undefined;
  return { value: msgpack.unpack(bytes.subarray(CHECKSUM_BYTES)) };
}

export function isIntact(name: string, bytes: Uint8Array): boolean {
  return bytes.length > CHECKSUM_BYTES && actualChecksum(name, bytes) === storedChecksum(bytes);
}

/** The checksum written at the head of the bytes; 0 where they are too short to hold one. */
export function storedChecksum(bytes: Uint8Array): number {
  if (bytes.length < CHECKSUM_BYTES) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** The checksum that the bytes should have at their head. */
export function actualChecksum(name: string, bytes: Uint8Array): number {
  return checksum(name, bytes.subarray(CHECKSUM_BYTES));
}

function checksum(name: string, content: Uint8Array): number {
  return crc32(content, crc32(name));
}
