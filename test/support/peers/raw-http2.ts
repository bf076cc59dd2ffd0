// Calls below any client's library: headers as they are given.
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientSessionOptions,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { rawSocket } from "./raw-socket.js";

/** What came back: a status of gRPC, one of HTTP, or the code of a reset. */
export interface RawAnswer {
  readonly grpcStatus: number | undefined;
  readonly httpStatus: number | undefined;
  /** 0 where the stream was not reset. */
  readonly resetCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A session over `socket`; ended when the test has finished. */
export function sessionOver(socket: Socket, options: ClientSessionOptions = {}): ClientHttp2Session {
  const session = connectHttp2("http://localhost", {
    createConnection: () => socket,
    // What is too much is for the other side to say.
    maxSendHeaderBlockLength: 1024 * 1024,
    ...options,
  });
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** A session to an address of `rawSocket`. */
export async function rawSession(address: string): Promise<ClientHttp2Session> {
  const session = sessionOver(rawSocket(address));
  await once(session, "connect");
  return session;
}

export function rawCall(
  session: ClientHttp2Session,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body: Uint8Array = new Uint8Array(5),
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    let told: Readonly<Record<string, unknown>> = {};
    stream.on("response", (response) => {
      told = { ...told, ...response };
    });
    stream.on("trailers", (trailers) => {
      told = { ...told, ...trailers };
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      const grpcStatus = told["grpc-status"] === undefined ? undefined : Number(told["grpc-status"]);
      const httpStatus = told[":status"] === undefined ? undefined : Number(told[":status"]);
      resolve({ grpcStatus, httpStatus, resetCode: stream.rstCode ?? 0, headers: told });
    });
    stream.resume();
    stream.end(body);
  });
}
