// The suite as a producer: it listens at an endpoint, and each connection of a subscriber is a link.
import { withPackages } from "../../../transports/optional-packages.js";
import { Fault } from "../../base/errors.js";
import { unreachable } from "../../base/exhaustive.js";
import type { Endpoint } from "./endpoint.js";
import type { Link, LinkListener } from "./link.js";
import { listenAtSocket, type SocketFraming } from "./socket-links.js";

/** Listens until it is stopped. Throws a Fault if that is not possible. */
export type ListenForLinks = (accept: (link: Link) => void) => Promise<LinkListener>;

/**
 * Returns how the suite listens at an endpoint. `framing`: of a socket or a named pipe; undefined: the subscriber's own. Throws a Fault "usage" if
 * nobody can listen there, or if packages of the transport are missing.
 */
export async function listeningAt(endpoint: Endpoint, framing?: SocketFraming | undefined): Promise<ListenForLinks> {
  switch (endpoint.kind) {
    case "ipc":
      return (accept) => listenAtSocket(endpoint.path, framing, accept);
    case "service": {
      const { listenOverService } = await withPackages("http", () => import("./service-links.js"));
      return (accept) => listenOverService(endpoint, accept);
    }
    case "websocket": {
      const { listenOverWebSocket } = await withPackages("http", () => import("./websocket-links.js"));
      return (accept) => listenOverWebSocket(endpoint.url, accept);
    }
    case "sse":
      throw new Fault("usage", "The suite is no producer over Server-Sent Events. Give another endpoint.", {
        origin: "local",
      });
    case "stdio":
      throw new Fault("usage", "A subscriber starts its producer by itself over stdio. Give another endpoint.", {
        origin: "local",
      });
    default:
      return unreachable(endpoint);
  }
}
