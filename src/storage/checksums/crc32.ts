import * as zlib from "node:zlib";

/** Of the polynomial of zlib, one entry a byte. */
function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320;
    return value >>> 0;
  });
}

/** The CRC-32 of zlib, by hand: Node 20.19 has one of its own, and runtimes that stand in for it may not. */
export function crc32ByTable(bytes: Uint8Array, table: Uint32Array = makeTable()): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

/** The CRC-32 of `bytes`, from 0 to 2^32 - 1. */
export const crc32: (bytes: Uint8Array) => number = typeof zlib.crc32 === "function" ? zlib.crc32 : crc32ByTable;
