// Reads the pages of an LMDB file without LMDB. LMDB trusts its pages: a page that is missing, or that points out of itself, would end the process.
// This file reads only the pages that lead to records, because records have checksums. Numbers are little-endian, as `lmdb` writes them on all its
// platforms.

/** Fills `target` from `position` of a file. Returns false if the file has fewer bytes. */
export type ReadBytes = (target: Buffer, position: number) => boolean;

interface Tree {
  readonly root: number;
  readonly depth: number;
}

/** Contents of one of the two meta pages. */
export interface MetaPage {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: Tree;
  readonly main: Tree;
}

const PAGE_HEAD_BYTES = 24;
const META_BYTES = 168;
const MAGIC = 0xbeefc0de;
const FORMAT = 2;
const NO_PAGE = 0xffffffffffffffffn;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const META = 8;
const NODE_HEAD_BYTES = 8;
const IS_BIG = 1;
const IS_TREE = 2;
const TREE_BYTES = 48;
/** Head of a record's own pages: page number, transaction, number of pages. */
const BIG_BYTES = 24;
/** Size of a number in a list of free pages. The first number is the list's length. */
const COUNT_BYTES = 8;

/** Contents of a leaf's record; of a record with pages of its own, the beginning. */
interface Value {
  readonly start: Buffer;
  readonly length: number;
  readonly flags: number;
}

class Damage extends Error {}

function damage(where: string): never {
  throw new Damage(where);
}

/** Reads 64 bits as a number: page numbers of real files are far below 2^53. */
function wide(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value === NO_PAGE
    ? -1
    : value > BigInt(Number.MAX_SAFE_INTEGER)
      ? damage("a number out of all bounds")
      : Number(value);
}

function treeAt(bytes: Buffer, at: number): Tree {
  return { root: wide(bytes, at + 40), depth: bytes.readUInt16LE(at + 6) };
}

/** The meta page at `position`; undefined if it is damaged or missing. */
export function readMeta(read: ReadBytes, position: number): MetaPage | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (!read(bytes, position)) return undefined;
  const pageBytes = bytes.readUInt32LE(PAGE_HEAD_BYTES + 24);
  const isMeta = (bytes.readUInt16LE(18) & META) !== 0 && bytes.readUInt32LE(PAGE_HEAD_BYTES) === MAGIC;
  if (!isMeta || (bytes.readUInt32LE(PAGE_HEAD_BYTES + 4) & 0xffff) !== FORMAT) return undefined;
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return undefined;
  try {
    const lastPage = wide(bytes, PAGE_HEAD_BYTES + 120);
    const transaction = wide(bytes, PAGE_HEAD_BYTES + 128);
    if (lastPage < 1 || transaction < 0) return undefined;
    return {
      pageBytes,
      lastPage,
      transaction,
      free: treeAt(bytes, PAGE_HEAD_BYTES + 24),
      main: treeAt(bytes, PAGE_HEAD_BYTES + 72),
    };
  } catch (caught) {
    if (caught instanceof Damage) return undefined;
    throw caught;
  }
}

/** The fault in the trees below a meta page, in a few words; undefined for sound trees. */
export function walkPages(read: ReadBytes, fileBytes: number, meta: MetaPage): string | undefined {
  try {
    walk(read, fileBytes, meta);
    return undefined;
  } catch (caught) {
    if (caught instanceof Damage) return caught.message;
    throw caught;
  }
}

function walk(read: ReadBytes, fileBytes: number, { pageBytes, lastPage, transaction, free, main }: MetaPage): void {
  const seen = new Uint8Array(lastPage + 1);

  /** Claims pages for one use: LMDB would free a page with two uses twice. */
  const claim = (first: number, count: number): void => {
    if (first < 2 || count < 1 || first + count - 1 > lastPage) damage(`page ${first} is not in the file`);
    for (let page = first; page < first + count; page += 1) {
      if (seen[page] !== 0) damage(`page ${page} is used twice`);
      seen[page] = 1;
    }
  };

  const readPage = (page: number, target: Buffer): Buffer => {
    if (!read(target, page * pageBytes)) damage(`page ${page} is missing`);
    if (wide(target, 0) !== page) damage(`page ${page} holds another one`);
    if (wide(target, 8) > transaction) damage(`page ${page} is of a later transaction`);
    return target;
  };

  const walkTree = ({ root, depth }: Tree, leafValue: (value: Value) => void): void => {
    if (root === -1) return;
    if (depth < 1 || depth > 32) damage("a tree has no depth");
    walkPage(root, depth, leafValue);
  };

  const walkPage = (page: number, depth: number, leafValue: (value: Value) => void): void => {
    claim(page, 1);
    const bytes = readPage(page, Buffer.allocUnsafe(pageBytes));
    const flags = bytes.readUInt16LE(18);
    if (flags !== (depth === 1 ? LEAF : BRANCH)) damage(`page ${page} is of another kind`);
    const lower = bytes.readUInt16LE(20) + PAGE_HEAD_BYTES;
    const upper = bytes.readUInt16LE(22) + PAGE_HEAD_BYTES;
    if (lower > upper || upper > pageBytes || (lower & 1) !== 0) damage(`page ${page} has no order`);
    const count = (lower - PAGE_HEAD_BYTES) >> 1;
    if (count < (depth === 1 ? 1 : 2)) damage(`page ${page} is empty`);
    for (let index = 0; index < count; index += 1) {
      const node = bytes.readUInt16LE(PAGE_HEAD_BYTES + 2 * index) + PAGE_HEAD_BYTES;
      if (node < upper || node + NODE_HEAD_BYTES > pageBytes) damage(`page ${page} points out of itself`);
      const keyBytes = bytes.readUInt16LE(node + 6);
      const value = node + NODE_HEAD_BYTES + keyBytes;
      if (value > pageBytes) damage(`page ${page} has a key that is longer than itself`);
      const low = bytes.readUInt32LE(node);
      const nodeFlags = bytes.readUInt16LE(node + 4);
      if (depth > 1) walkPage(low + nodeFlags * 2 ** 32, depth - 1, leafValue);
      else walkRecord(bytes, page, value, low, nodeFlags, leafValue);
    }
  };

  const head = Buffer.alloc(PAGE_HEAD_BYTES);
  const walkRecord = (
    bytes: Buffer,
    page: number,
    at: number,
    length: number,
    flags: number,
    leafValue: (value: Value) => void,
  ): void => {
    if ((flags & ~(IS_BIG | IS_TREE)) !== 0) damage(`page ${page} has a record of an unknown kind`);
    if (at + ((flags & IS_BIG) === 0 ? length : BIG_BYTES) > pageBytes)
      damage(`page ${page} has a record that is longer than itself`);
    if ((flags & IS_BIG) === 0) {
      leafValue({ start: bytes.subarray(at, at + length), length, flags });
      return;
    }
    const first = wide(bytes, at);
    const count = wide(bytes, at + 16);
    if (count !== Math.floor((PAGE_HEAD_BYTES - 1 + length) / pageBytes) + 1)
      damage(`page ${page} has a record of another length`);
    claim(first, count);
    readPage(first, head);
    if ((head.readUInt16LE(18) & OVERFLOW) === 0 || head.readUInt32LE(20) !== count)
      damage(`page ${first} is of another kind`);
    // The record has a checksum of its own.
    if (first * pageBytes + PAGE_HEAD_BYTES + length > fileBytes) damage(`page ${first} is missing its end`);
    const start = Buffer.alloc(Math.min(length, COUNT_BYTES));
    leafValue({
      start: read(start, first * pageBytes + PAGE_HEAD_BYTES) ? start : start.subarray(0, 0),
      length,
      flags,
    });
  };

  // LMDB reads memory by the length of a list of free pages, so the length must be true. The pages in the list are not checked.
  walkTree(free, ({ start, length }) => {
    if (start.length < COUNT_BYTES || (wide(start, 0) + 1) * COUNT_BYTES > length) {
      damage("a list of free pages is longer than itself");
    }
  });
  walkTree(main, ({ start, flags }) => {
    if ((flags & IS_TREE) === 0) return;
    if (start.length !== TREE_BYTES) damage("a table has no place");
    walkTree(treeAt(start, 0), (value) => {
      if ((value.flags & IS_TREE) !== 0) damage("a table is within a table");
    });
  });
}
