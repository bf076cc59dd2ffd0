// A fault as the end of a call: its code, its sentence, and its typed detail as google.rpc.Status (R20).
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import type { Fault } from "../../src/base/errors.js";
import type { DescribeFault } from "../../src/contracts/service.js";
import { STATUS_OF } from "../rpc-status.js";
import { statusWords } from "../service-calls/status-words.js";

const DETAILS_KEY = "grpc-status-details-bin";

/** Makes the status of a call that ends with `fault`. The peer may read all of it, so `fault` must be public. */
export function statusOf(fault: Fault, describeFault: DescribeFault): StatusObject {
  const code = STATUS_OF[fault.code];
  const { text, detail } = statusWords(fault, describeFault);
  const metadata = new Metadata();
  if (detail !== undefined) metadata.set(DETAILS_KEY, Buffer.from(statusBytes(code, text, detail)));
  return { code, details: text, metadata };
}

/** google.rpc.Status: code = 1, message = 2, details = 3, each a google.protobuf.Any of type_url = 1 and value = 2. */
function statusBytes(code: number, message: string, detail: ReturnType<DescribeFault>): Uint8Array {
  return new BinaryWriter()
    .tag(1, 0)
    .int32(code)
    .tag(2, 2)
    .string(message)
    .tag(3, 2)
    .fork()
    .tag(1, 2)
    .string(`type.googleapis.com/${detail.typeName}`)
    .tag(2, 2)
    .bytes(detail.bytes)
    .join()
    .finish();
}

/** The first typed detail of a status, for the side that made the call. Undefined if there is none, or if it cannot be read. */
export function detailIn(metadata: Metadata): ReturnType<DescribeFault> | undefined {
  const [status] = metadata.get(DETAILS_KEY);
  if (!Buffer.isBuffer(status)) return undefined;
  try {
    const any = fieldIn(status, 3);
    if (any === undefined) return undefined;
    const url = Buffer.from(fieldIn(any, 1) ?? []).toString();
    return { typeName: url.slice(url.lastIndexOf("/") + 1), bytes: fieldIn(any, 2) ?? new Uint8Array() };
  } catch {
    return undefined;
  }
}

/** The bytes of the first field with this number. */
function fieldIn(message: Uint8Array, wanted: number): Uint8Array | undefined {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === wanted) return reader.bytes();
    reader.skip(wireType, number);
  }
  return undefined;
}
