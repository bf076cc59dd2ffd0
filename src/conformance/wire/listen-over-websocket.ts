import { WebSocketServer } from "ws";
import { Fault } from "../../base/errors.js";
import type { Link, LinkListener } from "./link.js";
import { linkOver } from "./websocket-links.js";

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
