// The gate of held tools. The relay asks it about each line of the host, and a call of a held tool never passes here, whatever fails behind it.

import type { Reading } from "../adapter.js";
import type { LineReader, Verdict } from "../proxy/line-relay.js";
import { readMessage } from "../rpc-message.js";
import { lineKind } from "./held-lines.js";
import { isModern, notDone, refusedLine } from "./mcp-message.js";

export interface HostReaderOptions {
  /** Names of the tools to be held, folded. Without one every line passes unread before it is looked at. */
  readonly held: ReadonlySet<string>;
  /** Reads a line that is no call of a held tool. */
  readonly read: (text: string) => Reading;
  /** Asks about a line that may be a call of a held tool. */
  readonly hold: (text: string) => Reading;
  /** Tells and sends what a reading has. */
  readonly follow: (reading: Reading) => void;
  /** Receives what was thrown. Must not throw. */
  readonly onFault: (caught: unknown) => void;
}

/** Bytes of a line that is read while tools are held. Longer ones do not pass then. */
const MOST_HELD_BYTES = 16 * 1024 * 1024;

const CRASHED = "aaepd failed, and so nobody could be asked.";
export function createHostReader({ held, read, hold, follow, onFault }: HostReaderOptions): LineReader {
  const observe = (text: string): Verdict => {
    const reading = read(text);
    follow(reading);
    return reading.verdict ?? "pass";
  };
  const stop = (work: () => Reading, otherwise: () => Reading): Verdict => {
    try {
      follow(work());
    } catch (caught) {
      onFault(caught);
      try {
        follow(otherwise());
      } catch (again) {
        onFault(again);
      }
    }
    return "swallow";
  };
  const refuse = (): Reading => ({ signs: [], toHost: [refusedLine()] });
  const isHolding = held.size > 0;
  return {
    holds: () => isHolding,
    ...(isHolding ? { mostBytes: MOST_HELD_BYTES } : {}),
    read: (line, isWhole) => {
      if (!isHolding) return isWhole ? observe(line.toString("utf8")) : "pass";
      let kind: ReturnType<typeof lineKind> = "unclear";
      try {
        kind = isWhole ? lineKind(line, held) : "unclear";
      } catch (caught) {
        onFault(caught);
      }
      if (kind === "unclear") return stop(refuse, refuse);
      const text = line.toString("utf8");
      return kind === "held"
        ? stop(
            () => hold(text),
            () => crashed(text),
          )
        : observe(text);
    },
  };
}

/** The answer to a held call that could not be asked about. */
function crashed(text: string): Reading {
  const message = readMessage(text);
  return message?.kind === "request"
    ? { signs: [], toHost: [notDone(message.id, CRASHED, isModern(message.params))] }
    : { signs: [] };
}
