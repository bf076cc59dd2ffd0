// Reads the pages of an LMDB file without LMDB, which believes whatever stands in one: a page that is not there, or that points out of itself,
// would end the process. Only what leads to records is looked at; what is in a record has its own checksum. Little-endian, as `lmdb` writes it on
// every platform it has.

/** Bytes of a file, from `position`; false where it has not got that many. */
export type ReadBytes = (target: Buffer, position: number) => boolean;

interface Tree {
  readonly root: number;
  readonly depth: number;
}

/** What one of the two meta pages says. */
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
/** A page of several that a record has for itself: its number, its transaction, how many there are. */
const BIG_BYTES = 24;
/** A list of free pages begins with how long it is, in numbers of this size. */
const COUNT_BYTES = 8;

/** What a record of a leaf holds: all of it, or, where it has pages of its own, its beginning. */
interface Value {
  readonly start: Buffer;
  readonly length: number;
  readonly flags: number;
}

class Damage extends Error {}

function damage(where: string): never {
  throw new Damage(where);
}

/** A number that fits; page numbers are far below 2^53 in any file there is. */
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

/** The meta page at `position`; undefined where there is none that can be believed. */
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

/** What is wrong with the trees that a meta page leads to, in a few words; undefined where nothing is. */
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

  /** Claims pages for one use: LMDB would free them twice. */
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
    // A checksum tells of what is in it.
    if (first * pageBytes + PAGE_HEAD_BYTES + length > fileBytes) damage(`page ${first} is missing its end`);
    const start = Buffer.alloc(Math.min(length, COUNT_BYTES));
    leafValue({
      start: read(start, first * pageBytes + PAGE_HEAD_BYTES) ? start : start.subarray(0, 0),
      length,
      flags,
    });
  };

  // What is in a list of free pages is LMDB's own business; how long one says it is must be true, because memory is read by it.
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
