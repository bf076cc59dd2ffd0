// Sessions of HTTP/2, for every library that serves them.
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { ServiceConnection } from "./connections.js";
import type { Turnstile } from "./turnstile.js";

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: readonly unknown[]) => void;

/**
 * Lets the streams of a new session begin in turn. A stream cancelled before its turn costs nothing more. If the connection is cut off, a client that
 * reads learns the reason. `begun` is called when a stream has begun.
 */
export function takeTurns(
  session: ServerHttp2Session,
  connection: ServiceConnection,
  turnstile: Turnstile,
  begun: OnStream = () => {},
): void {
  connection.cutOffBy(() => {
    if (session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // GOAWAY leaves at the end of the turn. The session by itself would wait for a client that does not read.
    setImmediate(() => {
      session.destroy();
      connection.socket.destroy();
    });
  });
  // Node's own listeners, which inform the server.
  const listeners = session.listeners("stream") as OnStream[];
  session.removeAllListeners("stream");
  session.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: readonly unknown[]) => {
    // Before the stream begins, it has no other listener for errors.
    stream.on("error", () => {});
    stream.once("close", connection.ended);
    const passes = turnstile.pass(connection, () => {
      if (stream.closed || stream.destroyed) return;
      for (const listener of listeners) listener.call(session, stream, headers, ...rest);
      begun(stream, headers);
    });
    if (!passes) connection.cutOff();
  });
}
