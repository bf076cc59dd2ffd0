// Links over WebSocket (AAEP §B.2): one message a text frame.
import { type RawData, WebSocket } from "ws";
import { endpointText } from "./endpoint.js";
import { noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";

export interface WebSocketTarget {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export function webSocketLinks({ url, token }: WebSocketTarget): Links {
  const endpoint = endpointText({ kind: "websocket", url });
  const open = new Set<WebSocket>();
  return {
    isShared: false,
    isLocal: false,
    manifest: undefined,
    stop: async () => {
      for (const socket of open) socket.terminate();
    },
    open: async () => {
      const socket = new WebSocket(url, "aaep.v1", {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        perMessageDeflate: false,
      });
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      const link = linkOver(socket);
      await new Promise<void>((resolve, reject) => {
        socket.once("open", () => resolve());
        socket.once("unexpected-response", (_, { statusCode }) => {
          socket.terminate();
          reject(statusCode === 401 ? tokenRefused(endpoint) : noConnection(endpoint, new Error(`${statusCode}`)));
        });
        socket.once("error", (error) => reject(noConnection(endpoint, error)));
      });
      return link;
    },
  };
}

export function linkOver(socket: WebSocket): Link {
  const incoming = createSentMessages<string>();
  socket.on("message", (data: RawData) => incoming.push(data.toString()));
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  void ended.then(() => incoming.end());
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    incoming: incoming.messages,
    close: () => {
      socket.close(1000);
      return ended;
    },
    vanish: () => {
      socket.terminate();
      return ended;
    },
  };
}
