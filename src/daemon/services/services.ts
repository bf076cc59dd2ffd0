// The services of the daemon over gRPC and Connect: one list of methods, served at every configured address. Loaded only if there is an address.
import { platformAfter } from "../../../transports/framing/options.js";
import { unfinishedOf } from "../../../transports/framing/unfinished.js";
import { createJsonPosts, type JsonPost } from "../../../transports/http/json-posts.js";
import { firstFreeInstance } from "../../../transports/ipc/instances.js";
import { isPipeName } from "../../../transports/ipc/paths.js";
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { Admit, ServiceListener, ServiceMethod } from "../../contracts/service.js";
import type { ServiceAddress } from "../../contracts/service-address.js";
import { describeFault } from "../../protocols/aaep/services/error-detail.js";
import { admitEverybody, admitTokenHolders } from "../../security/admission.js";
import type { Configuration } from "../config/config.js";
import type { ServiceChoice } from "../config/service-choices.js";
import { serviceSocketPath } from "./own-addresses.js";
import type { Page } from "./service-pages.js";
import type { ServiceTransports } from "./service-transports.js";

type ServiceKind = "grpc" | "http";

type ServiceConfiguration = Pick<
  Configuration,
  "grpc" | "http" | "corsOrigins" | "compression" | "producerId" | "maxFrameBytes" | "handshakeTimeoutSeconds"
>;

export interface ServiceOptions {
  /** Options that may change are read from here each time. */
  readonly configuration: ServiceConfiguration;
  /** The token for peers over TCP. Read for each call. */
  readonly token: () => string;
  /** As `DaemonOptions.mostInstances`. */
  readonly mostInstances?: number | undefined;
  /** Longest delay of the end by a peer that does not read, ms. */
  readonly closeTimeoutMs: number;
  readonly log: Log;
}

/** One kind of service, as it listens at each of its addresses. */
interface ServiceWay {
  readonly kind: ServiceKind;
  /** Paths that show no more than whether the daemon runs, and so need no token. */
  readonly openPaths: ReadonlySet<string>;
  readonly listen: (at: ListeningPlace) => Promise<ServiceListener>;
}

interface ListeningPlace {
  readonly address: ServiceAddress;
  readonly admit: Admit;
}

export interface RunningServices {
  /** Addresses by kind. */
  readonly endpoints: Readonly<Partial<Record<ServiceKind, readonly string[]>>>;
  /** Paths of the Unix sockets. */
  readonly socketPaths: readonly string[];
  /** Whether any address requires a token. */
  readonly needsToken: boolean;
  /** As `Listener.renew`, of each address. */
  readonly renewals: readonly (() => Promise<boolean>)[];
  /** Takes no new calls. */
  readonly stop: () => Promise<void>;
  /** Ends the rest after the streams have ended. Answers under way have `withinMs` to leave, by default `closeTimeoutMs`. */
  readonly drain: (withinMs?: Millis) => Promise<void>;
}

/** Listens at every address or at none. Throws the Fault of the first address that fails. */
export async function startServices(
  transports: ServiceTransports,
  options: ServiceOptions,
  methods: readonly ServiceMethod[],
  pages: readonly Page[],
  posts: readonly JsonPost[],
): Promise<RunningServices> {
  const { configuration, closeTimeoutMs, log } = options;
  const listeners: {
    readonly kind: ServiceKind;
    readonly address: ServiceAddress;
    readonly listener: ServiceListener;
  }[] = [];
  const shared = {
    methods,
    describeFault,
    compression: configuration.compression,
    maxMessageBytes: configuration.maxFrameBytes,
    // One for all addresses.
    unfinished: unfinishedOf(configuration.maxFrameBytes),
    closeTimeoutMs,
    silentConnectionMs: () => configuration.handshakeTimeoutSeconds * 1000,
    log,
    onAcceptFault: (fault: Fault) => log.warn({ code: fault.code }, fault.sentence),
  };
  const { grpc, http } = transports;
  const ways: readonly ServiceWay[] = [
    ...(grpc === undefined
      ? []
      : [
          {
            kind: "grpc" as const,
            openPaths: new Set(grpc.openPaths),
            listen: (at: ListeningPlace) => grpc.listen({ ...shared, ...at }),
          },
        ]),
    ...(http === undefined
      ? []
      : [
          {
            kind: "http" as const,
            openPaths: new Set(pages.filter(({ needsToken }) => !needsToken).map(({ path }) => path)),
            listen: (at: ListeningPlace) =>
              http.listen({ ...shared, ...at, pages, corsOrigins: () => configuration.corsOrigins }, [
                http.createConnectService(shared),
                createJsonPosts(posts, {
                  maxBodyBytes: configuration.maxFrameBytes,
                  unfinished: shared.unfinished,
                  silentConnectionMs: shared.silentConnectionMs,
                  after: platformAfter,
                }),
              ]),
          },
        ]),
  ];

  const listenAt = ({ openPaths, listen }: ServiceWay, address: ServiceAddress): Promise<ServiceListener> =>
    listen({
      address,
      admit: address.kind === "unix" ? admitEverybody : admitTokenHolders(options.token, openPaths, address.host),
    });

  const listenAll = async (way: ServiceWay, choice: ServiceChoice): Promise<void> => {
    const { kind } = way;
    switch (choice.kind) {
      case "off":
        return;
      case "auto":
        listeners.push({ kind, ...(await listenAuto(kind, options, (address) => listenAt(way, address))) });
        return;
      case "addresses":
        for (const address of choice.addresses)
          listeners.push({ kind, address, listener: await listenAt(way, address) });
    }
  };

  const stop = async (): Promise<void> => {
    await Promise.all(listeners.map(({ listener }) => listener.stop()));
  };
  const drain = async (withinMs?: Millis): Promise<void> => {
    await Promise.all(listeners.map(({ listener }) => listener.drain(withinMs)));
  };

  try {
    for (const way of ways) await listenAll(way, configuration[way.kind]);
  } catch (caught) {
    await stop();
    await drain();
    throw caught;
  }
  const addresses = (kind: ServiceKind) =>
    listeners.filter((one) => one.kind === kind).map(({ listener }) => listener.address);
  const endpoints: Partial<Record<ServiceKind, readonly string[]>> = {};
  for (const kind of ["grpc", "http"] as const) if (addresses(kind).length > 0) endpoints[kind] = addresses(kind);
  return {
    endpoints,
    socketPaths: listeners.flatMap(({ address }) => (address.kind === "unix" ? [address.path] : [])),
    renewals: listeners.flatMap(({ listener: { renew } }) => (renew === undefined ? [] : [renew])),
    needsToken: listeners.some(({ address }) => address.kind === "tcp"),
    stop,
    drain,
  };
}

/** `<producer id>.grpc` in the runtime folder; if a live daemon has it, `<producer id>-2.grpc` and so on. */
function listenAuto(
  kind: ServiceKind,
  { configuration: { producerId }, mostInstances }: Pick<ServiceOptions, "configuration" | "mostInstances">,
  listen: (address: ServiceAddress) => Promise<ServiceListener>,
): Promise<{ readonly address: ServiceAddress; readonly listener: ServiceListener }> {
  return firstFreeInstance(async (instance) => {
    const path = serviceSocketPath(kind, producerId, instance);
    if (isPipeName(path)) {
      const sentence = `Give --${kind} an address of loopback such as 127.0.0.1:0: no client of these services speaks over a named pipe.`;
      throw new Fault("unsupported", sentence, { origin: "local" });
    }
    const address: ServiceAddress = { kind: "unix", path };
    return { address, listener: await listen(address) };
  }, mostInstances);
}
