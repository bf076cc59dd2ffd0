// Calls in the JSON of protobuf whose texts are written by hand: a client's library would write each member once.
import type { ClientHttp2Session } from "node:http2";
import { createMessageQueue, type MessageQueue } from "../peers/message-queue.js";
import { rawSession } from "../peers/raw-http2.js";
import { enveloped, type RawAnswer, rawHttp } from "./raw-calls.js";

type Message = Readonly<Record<string, unknown>>;

/** A stream of Connect, or of gRPC or gRPC-Web with JSON in it. */
export interface JsonStream {
  readonly say: (text: string) => void;
  readonly halfClose: () => void;
  /** What the daemon says, and at last what ends the stream. */
  readonly messages: MessageQueue<Message>;
}

/** `path` of a Unix socket, as in "unix:/path". */
export async function openJsonStream(
  address: string,
  method: string,
  contentType = "application/connect+json",
): Promise<JsonStream> {
  const session: ClientHttp2Session = await rawSession(address.slice("unix:".length));
  const stream = session.request({
    ":method": "POST",
    ":path": `/aaep.v1.${method}`,
    "content-type": contentType,
    ...(contentType.startsWith("application/grpc") ? { te: "trailers" } : {}),
  });
  const messages = createMessageQueue<Message>(method);
  let rest = Buffer.alloc(0);
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      // The trailers of gRPC-Web are no JSON.
      if ((rest.readUInt8(0) & 0x80) === 0) messages.push(JSON.parse(rest.subarray(5, end).toString()) as Message);
      rest = rest.subarray(end);
    }
  });
  stream.on("close", messages.end);
  return {
    say: (text) => void stream.write(enveloped(Buffer.from(text))),
    halfClose: () => void stream.end(),
    messages,
  };
}

/** One call of Connect that is answered once. */
export function jsonCall(address: string, method: string, text: string): Promise<RawAnswer> {
  const headers = { "content-type": "application/json" };
  return rawHttp(address, `/aaep.v1.${method}`, { headers, body: Buffer.from(text) });
}
