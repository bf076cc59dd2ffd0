// Small records: JSON behind a checksum, because LMDB has none of its own.
import { crc32 } from "node:zlib";

const CHECKSUM_BYTES = 4;

/** `value` must have a text in JSON. */
export function seal(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const sealed = Buffer.allocUnsafe(CHECKSUM_BYTES + Buffer.byteLength(text));
  sealed.write(text, CHECKSUM_BYTES);
  sealed.writeUInt32LE(crc32(sealed.subarray(CHECKSUM_BYTES)), 0);
  return sealed;
}

/** The value of a record; undefined if the record is damaged. */
export function unseal(bytes: Buffer): unknown {
  const text = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.length < CHECKSUM_BYTES || crc32(text) !== bytes.readUInt32LE(0)) return undefined;
  return JSON.parse(text.toString("utf8"));
}
