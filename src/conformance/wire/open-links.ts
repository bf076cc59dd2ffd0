// How the suite reaches an endpoint, as a subscriber or as a producer: each connection is a link.
import { withPackages } from "../../../transports/optional-packages.js";
import { usage } from "../../base/errors.js";
import { unreachable } from "../../base/exhaustive.js";
import { childLinks } from "./child-links.js";
import type { Endpoint } from "./endpoint.js";
import type { Link, LinkListener, Links } from "./link.js";
import { listenAtSocket, type SocketFraming, socketLinks } from "./socket-links.js";

export interface LinkChoices {
  /** For services that want one. */
  readonly token?: string | undefined;
  /** Of a socket or a named pipe. Default "length-prefixed". */
  readonly framing?: SocketFraming | undefined;
}

/** The opener of an endpoint's transport. Throws a Fault "usage" if packages of the transport are not installed. */
export async function openLinks(
  endpoint: Endpoint,
  { token, framing = "length-prefixed" }: LinkChoices = {},
): Promise<Links> {
  switch (endpoint.kind) {
    case "ipc":
      return socketLinks(endpoint.path, framing);
    case "stdio":
      return childLinks(endpoint.command);
    case "service": {
      const { serviceLinks } = await withPackages("http", () => import("./service-links.js"));
      return serviceLinks(endpoint, token);
    }
    case "websocket": {
      const { webSocketLinks } = await withPackages("http", () => import("./websocket-links.js"));
      return webSocketLinks(endpoint.url, token);
    }
    case "sse": {
      const { sseLinks } = await import("./sse-links.js");
      return sseLinks(endpoint.baseUrl, token);
    }
    default:
      return unreachable(endpoint);
  }
}

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
      throw usage("The suite is no producer over Server-Sent Events. Give another endpoint.");
    case "stdio":
      throw usage("A subscriber starts its producer by itself over stdio. Give another endpoint.");
    default:
      return unreachable(endpoint);
  }
}
