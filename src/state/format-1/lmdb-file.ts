import type { StoredRecord } from '../database.ts';

/** https://git.openldap.org/openldap/openldap, branch mdb.master3, libraries/liblmdb/mdb.c: the layout of a file. */
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const PAGE_HEADER = 24;
const NODE_HEADER = 8;
const BRANCH_PAGE = 1;
const LEAF_PAGE = 2;
const OVERFLOW_NODE = 1;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

interface Meta {
  readonly transaction: bigint;
  readonly pageSize: number;
  readonly root: bigint;
}

/**
 * Every record of the main database in the bytes of an LMDB file, as its last transaction left them. Throws a
 * RangeError where the bytes cannot be read so.
 */
export function* lmdbRecords(file: Buffer): Generator<StoredRecord> {
  const { pageSize, root } = newestMeta(file);
  if (root === NO_PAGE) return;
  const pages = [root];
  let left = file.length / pageSize;
  for (let number = pages.pop(); number !== undefined; number = pages.pop()) {
    // A damaged tree can lead in circles.
    left -= 1;
    if (left < 0) throw new RangeError('more pages than the file has');
    const page = file.subarray(Number(number) * pageSize, (Number(number) + 1) * pageSize);
    const kind = page.readUInt16LE(18);
    if (kind === BRANCH_PAGE) pages.push(...nodesOf(page).map(childOf));
    else if (kind === LEAF_PAGE) for (const node of nodesOf(page)) yield recordOf(node, file, pageSize);
    else throw new RangeError(`a page of kind ${kind}`);
  }
}

/** Two pages take turns in holding where the tree begins. */
function newestMeta(file: Buffer): Meta {
  const first = metaAt(file, 0);
  const second = metaAt(file, first.pageSize);
  return second.transaction > first.transaction ? second : first;
}

function metaAt(file: Buffer, page: number): Meta {
  const meta = file.subarray(page + PAGE_HEADER);
  if (meta.readUInt32LE(0) !== MAGIC || meta.readUInt32LE(4) !== VERSION) {
    throw new RangeError('no LMDB database');
  }
  const pageSize = meta.readUInt32LE(24);
  if (pageSize < 512 || pageSize > 65_536) throw new RangeError(`pages of ${pageSize} bytes`);
  return { pageSize, root: meta.readBigUInt64LE(112), transaction: meta.readBigUInt64LE(128) };
}

/** The nodes of a page, each from its header to the page's end. */
function nodesOf(page: Buffer): Buffer[] {
  const count = page.readUInt16LE(20) / 2;
  return Array.from({ length: count }, (_, index) =>
    page.subarray(PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + 2 * index)),
  );
}

function childOf(node: Buffer): bigint {
  return BigInt(node.readUInt32LE(0)) + (BigInt(node.readUInt16LE(4)) << 32n);
}

function recordOf(node: Buffer, file: Buffer, pageSize: number): StoredRecord {
  const size = node.readUInt32LE(0);
  const flags = node.readUInt16LE(4);
  const end = NODE_HEADER + node.readUInt16LE(6);
  const name = node.toString('latin1', NODE_HEADER, end);
  if (flags === 0) return { name, bytes: exactly(node, end, size) };
  if (flags !== OVERFLOW_NODE) throw new RangeError(`a record of kind ${flags}`);
  return { name, bytes: exactly(file, Number(node.readBigUInt64LE(end)) * pageSize + PAGE_HEADER, size) };
}

function exactly(bytes: Buffer, from: number, size: number): Buffer {
  if (from + size > bytes.length) throw new RangeError('a record beyond its page');
  return bytes.subarray(from, from + size);
}
