// A fault as the end of a call: its code, its sentence, and its typed detail as google.rpc.Status (R20).
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import { Fault } from "../../src/base/errors.js";
import type { DescribeFault } from "../../src/contracts/service.js";
import { STATUS_OF } from "../rpc-status.js";

const DETAILS_KEY = "grpc-status-details-bin";
/** Clients take trailers of 8 KiB in all by default, and give up the whole status beyond. */
const MOST_TRAILER_BYTES = 7000;
/** How long a sentence may be in UTF-16 units, tried one after the other until the trailers are small enough. */
const SENTENCE_LENGTHS = [1500, 300] as const;

/** The status of a call that ends with `fault`, which must be fit for the peer to read. */
export function statusOf(fault: Fault, describeFault: DescribeFault): StatusObject {
  const code = STATUS_OF[fault.code];
  let details = "";
  for (const length of SENTENCE_LENGTHS) {
    const told = shortened(fault, length);
    details = wellFormed(told.sentence);
    const bytes = statusBytes(code, details, describeFault(told));
    if (encodeURI(details).length + (bytes.length * 4) / 3 > MOST_TRAILER_BYTES) continue;
    const metadata = new Metadata();
    metadata.set(DETAILS_KEY, Buffer.from(bytes));
    return { code, details, metadata };
  }
  // What the peer sent is quoted at such length that only the sentence is left.
  return { code, details, metadata: new Metadata() };
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

function shortened(fault: Fault, length: number): Fault {
  if (fault.sentence.length <= length) return fault;
  const { code, pointer, tellsSeveral, rule, origin, eventId, retryAfterSeconds } = fault;
  return new Fault(code, `${fault.sentence.slice(0, length)}…`, {
    tellsSeveral,
    origin,
    ...(pointer === undefined ? {} : { pointer }),
    ...(rule === undefined ? {} : { rule }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Half a surrogate pair cannot be percent-encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\u{FFFD}");
}
