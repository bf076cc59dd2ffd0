// What a status says of a fault, short enough for every client: what is in trailers must not be long.
import { Fault } from "../../src/base/errors.js";
import type { DescribeFault } from "../../src/contracts/service.js";

/** Clients take trailers of 8 KiB in all by default, and give up the whole status beyond. */
const MOST_TRAILER_BYTES = 7000;
/** How long a sentence may be in UTF-16 units, tried one after the other until the trailers are small enough. */
const SENTENCE_LENGTHS = [1500, 300] as const;

export interface StatusWords {
  /** The sentence; the detail has the code. Without halves of surrogate pairs, which cannot be percent-encoded. */
  readonly text: string;
  /** Undefined where even a short one would be too long, because of what it quotes. */
  readonly detail: ReturnType<DescribeFault> | undefined;
}

/** `fault` must be fit for the peer to read. Text and detail together are at most 7,000 bytes in trailers, where both are encoded. */
export function statusWords(fault: Fault, describeFault: DescribeFault): StatusWords {
  let text = "";
  for (const length of SENTENCE_LENGTHS) {
    const told = shortened(fault, length);
    text = wellFormed(told.sentence);
    const detail = describeFault(told);
    // The text stands in the message of the status, and once more beside the detail.
    const bytes = encodeURIComponent(text).length + ((Buffer.byteLength(text) + detail.bytes.length) * 4) / 3;
    if (bytes <= MOST_TRAILER_BYTES) return { text, detail };
  }
  return { text, detail: undefined };
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

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\u{FFFD}");
}
