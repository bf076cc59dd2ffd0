import { unreachable } from "../../base/exhaustive.js";
import { childLinks } from "./child-links.js";
import { connectLinks } from "./connect-links.js";
import type { Endpoint } from "./endpoint.js";
import { grpcLinks } from "./grpc-links.js";
import type { Links } from "./link.js";
import { socketLinks } from "./socket-links.js";

/** The opener of an endpoint's transport. `token`: for services that want one. */
export function openLinks(endpoint: Endpoint, token?: string): Links {
  switch (endpoint.kind) {
    case "socket":
      return socketLinks(endpoint.path);
    case "child":
      return childLinks(endpoint.command);
    case "grpc":
      return grpcLinks({ ...endpoint, token });
    case "connect":
      return connectLinks({ ...endpoint, token });
    default:
      return unreachable(endpoint);
  }
}
