// Links over WebSocket (AAEP §B.2): one message a text frame.
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { Fault } from "../../base/errors.js";
import { endpointText } from "./endpoint.js";
import { bearerOf, noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, LinkListener, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";

export function webSocketLinks(url: string, token: string | undefined): Links {
  const endpoint = endpointText({ kind: "websocket", url });
  const open = new Set<WebSocket>();
  return {
    stop: async () => {
      for (const socket of open) socket.terminate();
    },
    open: async () => {
      const socket = new WebSocket(url, "aaep.v1", {
        headers: bearerOf(token),
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

/** Listens at any path of the address. Throws a Fault if that is not possible. */
export async function listenOverWebSocket(url: string, accept: (link: Link) => void): Promise<LinkListener> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const server = new WebSocketServer({ host, port: Number(port), perMessageDeflate: false });
  server.on("connection", (socket) => accept(linkOver(socket)));
  await new Promise<void>((resolve, reject) => {
    server.once("listening", () => resolve());
    server.once("error", ({ message }) =>
      reject(new Fault("address_in_use", `The suite cannot listen at ${url}: ${message}`, { origin: "local" })),
    );
  });
  return {
    stop: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function linkOver(socket: WebSocket): Link {
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
