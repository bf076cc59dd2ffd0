// The parts of the services that need packages of a group: the transports, and the metrics page of the HTTP server.
import { withPackages } from "../../../transports/optional-packages.js";
import type { Configuration } from "../config/config.js";

/** Loads the parts of the configured services alone. Throws a Fault "usage" if packages of one are not installed. */
export async function loadServiceTransports({ grpc, http }: Pick<Configuration, "grpc" | "http">) {
  const configured = { grpc, http };
  const groups = (["grpc", "http"] as const).filter((kind) => configured[kind].kind !== "off");
  return withPackages(groups, async () => ({
    grpc: grpc.kind === "off" ? undefined : await loadGrpc(),
    http: http.kind === "off" ? undefined : await loadHttp(),
  }));
}

export type ServiceTransports = Awaited<ReturnType<typeof loadServiceTransports>>;

async function loadGrpc() {
  const [{ listenGrpc }, { HEALTH_PATHS }] = await Promise.all([
    import("../../../transports/grpc/listen.js"),
    import("../../../transports/grpc/health.js"),
  ]);
  return { listen: listenGrpc, openPaths: HEALTH_PATHS };
}

async function loadHttp() {
  const [{ listenHttp }, { createConnectService }, { createMetrics }] = await Promise.all([
    import("../../../transports/http/listen.js"),
    import("../../../transports/connect/connect-service.js"),
    import("../status/metrics.js"),
  ]);
  return { listen: listenHttp, createConnectService, createMetrics };
}
