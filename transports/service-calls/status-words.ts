// The text of a status, short enough for every client, because trailers must not be long.
import { Fault } from "../../src/base/errors.js";
import type { DescribeFault } from "../../src/contracts/service.js";

/** By default clients accept trailers of 8 KiB in all, and drop the whole status beyond that. */
const MOST_TRAILER_BYTES = 7000;
/** Longest sentences in UTF-16 units, tried in order until the trailers are small enough. */
const SENTENCE_LENGTHS = [1500, 300] as const;

export interface StatusWords {
  /** The sentence; the detail has the code. Without halves of surrogate pairs, which cannot be percent-encoded. */
  readonly text: string;
  /** Undefined if even the short form would be too long, because of its quotations. */
  readonly detail: ReturnType<DescribeFault> | undefined;
}

/** The peer may read all of it, so `fault` must be public. Text and detail together take at most 7,000 bytes in trailers, where both are encoded. */
export function statusWords(fault: Fault, describeFault: DescribeFault): StatusWords {
  let text = "";
  for (const length of SENTENCE_LENGTHS) {
    const told = shortened(fault, length);
    text = wellFormed(told.sentence);
    const detail = describeFault(told);
    // The text stands in the message of the status, and again beside the detail.
    const bytes = encodeURIComponent(text).length + ((Buffer.byteLength(text) + detail.bytes.length) * 4) / 3;
    if (bytes <= MOST_TRAILER_BYTES) return { text, detail };
  }
  return { text, detail: undefined };
}

function shortened(fault: Fault, length: number): Fault {
  if (fault.sentence.length <= length) return fault;
  return new Fault(fault.code, `${fault.sentence.slice(0, length)}…`, fault);
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\u{FFFD}");
}
