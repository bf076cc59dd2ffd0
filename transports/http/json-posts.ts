// A service whose calls are POST requests with a document of JSON in and one out: for protocols that have names in HTTP.
import { Fault } from "../../src/base/errors.js";
import { createSharedRoom, type SharedRoom } from "../../src/base/shared-room.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { After } from "../framing/options.js";
import { answerWhole } from "./answers.js";
import type { Exchange } from "./exchange.js";
import type { HttpService, Refuse } from "./http-service.js";
import type { HttpPageAnswer } from "./options.js";

/** One call. */
export interface JsonPost {
  readonly path: string;
  /** Never rejects by a fault of the client's. */
  readonly answer: (text: string, peer: PeerIdentity) => Promise<HttpPageAnswer>;
}

export interface JsonPostOptions {
  /** Most bytes of a document. */
  readonly maxBodyBytes: number;
  /** The room for the bytes of all documents that have not come whole: a client may begin thousands at once. */
  readonly room: SharedRoom;
  /** How long a document may take to come, ms. Read each time. */
  readonly silentConnectionMs: () => Millis;
  readonly after: After;
}

const MOST_BODIES_BYTES = 16 * 1024 * 1024;

/** Makes the room for the documents of one service. */
export function createBodyRoom(): SharedRoom {
  return createSharedRoom(() => MOST_BODIES_BYTES);
}

const JSON_TYPE = "application/json";

export function createJsonPosts(posts: readonly JsonPost[], options: JsonPostOptions): HttpService {
  const byPath = new Map(posts.map((post) => [post.path, post]));
  return {
    handlerAt: (path) => {
      const post = byPath.get(path);
      return post && ((exchange, refuse) => serve(exchange, refuse, post, options));
    },
    refusalForm: () => undefined,
    cors: { methods: ["POST"], allowedHeaders: ["Content-Type"], exposedHeaders: [] },
    endStreams: () => {},
  };
}

async function serve(exchange: Exchange, refuse: Refuse, post: JsonPost, options: JsonPostOptions): Promise<void> {
  const { request, response, peer } = exchange;
  if (request.method !== "POST") {
    response.setHeader("allow", "POST");
    return refuse(new Fault("unsupported", `${post.path} takes messages: use POST.`), 405);
  }
  const text = await bodyOf(exchange, refuse, options);
  if (text === undefined) return;
  const { status, contentType: type, body } = await post.answer(text, peer);
  if (!exchange.signal.aborted)
    answerWhole(exchange, options.after, { status, contentType: type, body: Buffer.from(body) });
}

/** The document, as UTF-8; undefined if the request was refused, or is gone. */
export function bodyOf(exchange: Exchange, refuse: Refuse, options: JsonPostOptions): Promise<string | undefined> {
  const { maxBodyBytes, room, silentConnectionMs, after } = options;
  const { request, contentType } = exchange;
  return new Promise((resolve) => {
    // A page of another origin can send this type only after a preflight.
    if (contentType !== JSON_TYPE) {
      refuse(new Fault("unsupported", `Send the message as ${JSON_TYPE}.`), 415);
      return resolve(undefined);
    }
    const pieces: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const end = (text: string | undefined, fault?: Fault, status?: number): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      pieces.length = 0;
      room.add(-size);
      if (fault !== undefined) refuse(fault, status);
      resolve(text);
    };
    const cancel = after(silentConnectionMs(), () =>
      end(undefined, new Fault("timed_out", "The message did not come in time. Send it again, at once."), 408),
    );
    exchange.onceGone(() => end(undefined));
    request.on("data", (piece: Buffer) => {
      if (isOver) return;
      const isRoom = room.isRoom(piece.length);
      room.add(piece.length);
      size += piece.length;
      if (!isRoom)
        return end(undefined, new Fault("rate_limit", "Too many messages are on their way. Send it again later."), 503);
      if (size > maxBodyBytes)
        return end(undefined, new Fault("message_too_large", `A message has at most ${maxBodyBytes} bytes.`), 413);
      pieces.push(piece);
    });
    request.once("end", () => {
      try {
        end(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces)));
      } catch {
        end(undefined, new Fault("invalid_json", "Send the message in UTF-8; this one is not."), 400);
      }
    });
  });
}
