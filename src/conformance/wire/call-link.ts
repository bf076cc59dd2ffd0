// A link over a call of the service of AAEP §B.5, whichever library makes the call.
import { create } from "@bufbuild/protobuf";
import { type AaepMessage, AaepMessageSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { Link } from "./link.js";
import { textIn } from "./message-text.js";

/** A call with a stream in both directions. */
export interface MessageCall {
  readonly write: (message: AaepMessage) => void;
  readonly responses: AsyncIterable<AaepMessage>;
  /** Ends this side's stream. */
  readonly end: () => void;
  readonly cancel: () => void;
}

export function callLink({ write, responses, end, cancel }: MessageCall): Link {
  const encoder = new TextEncoder();
  let isOver = false;
  const { promise: over, resolve: tellOver } = withResolvers();
  async function* texts(): AsyncGenerator<string> {
    try {
      for await (const { json } of responses) yield textIn(json);
    } catch (caught) {
      if (!isOver) throw caught;
    } finally {
      tellOver();
    }
  }
  return {
    send: (text) => {
      if (!isOver) write(create(AaepMessageSchema, { json: encoder.encode(text), messageType: typeIn(text) }));
    },
    incoming: texts(),
    close: async () => {
      isOver = true;
      end();
      const patience = setTimeout(cancel, CLOSING_MS);
      await over;
      clearTimeout(patience);
    },
    vanish: async () => {
      isOver = true;
      cancel();
      await over;
    },
  };
}

/** How long the other side has to end its stream, ms. */
const CLOSING_MS = 1000;

function typeIn(text: string): string {
  try {
    const { type } = JSON.parse(text) as { readonly type?: unknown };
    return typeof type === "string" ? type : "";
  } catch {
    return "";
  }
}
