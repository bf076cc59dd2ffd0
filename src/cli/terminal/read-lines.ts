// Reads lines of a file or of standard input. Cut on bytes, and only at line feeds: JSON may contain characters that other tools take for the end of
// a line.
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { isFolder, isForbidden, isMissing, nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault, faultFrom, usage } from "../../base/errors.js";
import { parseJsonDocument } from "../../base/json-document.js";

export interface InputLine {
  /** Number of the line, from 1. */
  readonly number: number;
  /** Text without the line end; undefined if `fault` reports a line that is not UTF-8 or too long. */
  readonly text: string | undefined;
  readonly fault: Fault | undefined;
}

/** More than any event may have (AAEP §8.3), so that a file without line ends cannot fill the memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

const TOO_LONG = `The line is longer than ${MAX_LINE_BYTES} bytes. Write one event a line.`;
const ONE_A_LINE = "Write one event a line, as `jq -c .` does, and `jq -c '.[]'` for an array.";
const NOT_UTF8 = "The line is not UTF-8. Write the file in UTF-8.";

/** "-" is standard input. Throws a Fault "usage" if the file cannot be read. */
export async function openInput(file: string, stdin: Readable): Promise<Readable> {
  if (file === "-") return stdin;
  try {
    return (await open(file)).createReadStream();
  } catch (caught) {
    throw unreadable(file, caught);
  }
}

function unreadable(name: string, caught: unknown): Fault {
  const sentence = `${name} cannot be read: ${reasonOf(caught)}. Give a file of events, or - for standard input.`;
  return usage(sentence, caught);
}

function reasonOf(caught: unknown): string {
  if (isMissing(caught)) return "there is no such file";
  if (isFolder(caught)) return "it is a folder";
  if (isForbidden(caught)) return "this user may not read it";
  return nodeErrorCode(caught) ?? String(caught);
}

/** Blank lines are counted, and left out unless `keepsBlank`. */
export async function* readLines(
  input: Readable,
  name: string,
  { keepsBlank = false }: { readonly keepsBlank?: boolean } = {},
): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let parts: Buffer[] = [];
  let bytes = 0;

  function finish(last: Buffer): InputLine | undefined {
    number += 1;
    bytes += last.length;
    const isTooLong = bytes > MAX_LINE_BYTES;
    const line = isTooLong ? last : Buffer.concat([...parts, last]);
    parts = [];
    bytes = 0;
    if (isTooLong)
      return {
        number,
        text: undefined,
        fault: new Fault("message_too_large", TOO_LONG, { pointer: "", rule: "AAEP §8.3" }),
      };
    try {
      const text = decoder.decode(line);
      return text.trim() === "" && !keepsBlank ? undefined : { number, text, fault: undefined };
    } catch {
      return { number, text: undefined, fault: notUtf8() };
    }
  }

  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      let start = 0;
      for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
        const line = finish(data.subarray(start, end));
        start = end + 1;
        if (line !== undefined) yield line;
      }
      bytes += data.length - start;
      if (bytes > MAX_LINE_BYTES) parts = [];
      else if (start < data.length) parts.push(data.subarray(start));
    }
  } catch (caught) {
    throw unreadable(name, caught);
  }
  if (bytes > 0) {
    const line = finish(Buffer.alloc(0));
    if (line !== undefined) yield line;
  }
}

function notUtf8(): Fault {
  return new Fault("invalid_json", NOT_UTF8, { pointer: "", rule: "AAEP §3.8" });
}

export type ReadJson =
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "fault"; readonly fault: Fault };

/** Reads a line as the daemon reads an event: what it would refuse as JSON, or as no object, is a fault here too (R19, R41). */
export function readJson({ text, fault }: InputLine): ReadJson {
  if (text === undefined) return { kind: "fault", fault: fault ?? notUtf8() };
  try {
    const value = parseJsonDocument(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject) return { kind: "object", fields: value as Readonly<Record<string, unknown>> };
    const sentence = `An event is a JSON object. ${ONE_A_LINE}`;
    return { kind: "fault", fault: new Fault("invalid_event", sentence, { pointer: "", rule: "AAEP §3.9" }) };
  } catch (caught) {
    const refusal = faultFrom(caught);
    if (refusal.code !== "invalid_json") return { kind: "fault", fault: refusal };
    const sentence = `The line is not JSON: ${faultFrom(refusal.cause).sentence}. ${ONE_A_LINE}`;
    return { kind: "fault", fault: new Fault("invalid_json", sentence, { pointer: "", rule: "AAEP §3.8" }) };
  }
}
