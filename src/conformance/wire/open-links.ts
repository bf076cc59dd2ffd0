import { withPackages } from "../../../transports/optional-packages.js";
import { unreachable } from "../../base/exhaustive.js";
import { childLinks } from "./child-links.js";
import type { Endpoint } from "./endpoint.js";
import type { Links } from "./link.js";
import { socketLinks } from "./socket-links.js";

/**
 * The opener of an endpoint's transport. `token`: for services that want one. Throws a Fault "usage" if packages of the transport are not installed.
 */
export async function openLinks(endpoint: Endpoint, token?: string): Promise<Links> {
  switch (endpoint.kind) {
    case "socket":
      return socketLinks(endpoint.path);
    case "child":
      return childLinks(endpoint.command);
    case "grpc": {
      const { grpcLinks } = await withPackages("grpc", () => import("./grpc-links.js"));
      return grpcLinks({ ...endpoint, token });
    }
    case "connect": {
      const { connectLinks } = await withPackages("http", () => import("./connect-links.js"));
      return connectLinks({ ...endpoint, token });
    }
    default:
      return unreachable(endpoint);
  }
}
