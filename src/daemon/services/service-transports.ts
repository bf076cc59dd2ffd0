// The parts of the services that need packages of a group: how each service listens, and the metrics page of the HTTP server.
import type { ConnectOptions } from "../../../transports/connect/options.js";
import { createBodyRoom, createJsonPosts, type JsonPost } from "../../../transports/http/json-posts.js";
import type { HttpListenOptions, HttpPage } from "../../../transports/http/options.js";
import { withPackages } from "../../../transports/optional-packages.js";
import type { ServiceListenOptions } from "../../../transports/service-calls/listen.js";
import { isOpen, SERVICE_NAMES, type ServiceName } from "../../../transports/ways.js";
import type { StreamAddresses } from "../../contracts/event-streams.js";
import type { Admit, ServiceListener } from "../../contracts/service.js";
import type { ServiceAddress } from "../../contracts/transport.js";
import type { Configuration } from "../config/config.js";

/** The parts of all services. A service takes those that it has a use for. */
export interface ServiceParts
  extends Required<ConnectOptions>,
    Required<Pick<ServiceListenOptions, "onAcceptFault">>,
    Required<Pick<HttpListenOptions, "corsOrigins">> {
  readonly pages: readonly HttpPage[];
  readonly posts: readonly JsonPost[];
  readonly addresses: StreamAddresses;
}

/** A service, as it listens at each of its addresses. */
export interface Service {
  /** Paths that show no more than whether the daemon runs, and so need no token. */
  readonly openPaths: ReadonlySet<string>;
  readonly listen: (at: { readonly address: ServiceAddress; readonly admit: Admit }) => Promise<ServiceListener>;
}

const LOADERS: Readonly<Record<ServiceName, () => Promise<(parts: ServiceParts) => Service>>> = {
  grpc: async () => {
    const [{ listenGrpc }, { HEALTH_PATHS }] = await Promise.all([
      import("../../../transports/grpc/listen.js"),
      import("../../../transports/grpc/health.js"),
    ]);
    return (parts) => ({ openPaths: new Set(HEALTH_PATHS), listen: (at) => listenGrpc({ ...parts, ...at }) });
  },
  http: async () => {
    const [{ listenHttp }, { createConnectService }, { createEventStreamService }] = await Promise.all([
      import("../../../transports/http/listen.js"),
      import("../../../transports/connect/connect-service.js"),
      import("../../../transports/event-streams/event-stream-service.js"),
    ]);
    return (parts) => ({
      openPaths: new Set(parts.pages.filter(({ needsToken }) => !needsToken).map(({ path }) => path)),
      listen: (at) =>
        listenHttp({ ...parts, ...at }, [
          createConnectService(parts),
          createEventStreamService(parts),
          createJsonPosts(parts.posts, { ...parts, maxBodyBytes: parts.maxMessageBytes, room: createBodyRoom() }),
        ]),
    });
  },
};

/** Loads the parts of the configured services alone. Throws a Fault "usage" if packages of one are not installed. */
export async function loadServiceTransports(configuration: Configuration) {
  const names = SERVICE_NAMES.filter((name) => isOpen(name, configuration));
  return withPackages(names, async () => ({
    services: await Promise.all(names.map(async (name) => ({ name, make: await LOADERS[name]() }))),
    createMetrics: names.includes("http") ? (await import("../status/metrics.js")).createMetrics : undefined,
  }));
}

export type ServiceTransports = Awaited<ReturnType<typeof loadServiceTransports>>;
