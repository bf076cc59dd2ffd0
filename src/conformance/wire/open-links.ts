import { withPackages } from "../../../transports/optional-packages.js";
import { unreachable } from "../../base/exhaustive.js";
import { childLinks } from "./child-links.js";
import type { Endpoint } from "./endpoint.js";
import type { Links } from "./link.js";
import { type SocketFraming, socketLinks } from "./socket-links.js";

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
      return webSocketLinks({ ...endpoint, token });
    }
    case "sse": {
      const { sseLinks } = await import("./sse-links.js");
      return sseLinks({ ...endpoint, token });
    }
    default:
      return unreachable(endpoint);
  }
}
