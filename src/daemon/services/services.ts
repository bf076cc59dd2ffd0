// The services of the daemon over gRPC and Connect: one list of methods, served at every configured address. Loaded only if there is an address.
import { platformAfter } from "../../../transports/framing/options.js";
import { firstFreeInstance } from "../../../transports/ipc/bind.js";
import { isPipeName } from "../../../transports/ipc/paths.js";
import type { ServiceName } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { ServiceListener } from "../../contracts/service.js";
import type { ServiceAddress } from "../../contracts/transport.js";
import { describeFault } from "../../protocols/aaep/services/service-messages.js";
import { admitEverybody, admitTokenHolders } from "../../security/admission.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { serviceSocketPath } from "./own-addresses.js";
import type { Service, ServiceParts, ServiceTransports } from "./service-transports.js";

/** Listens at every address or at none. Options that may change are read each time. Throws the Fault of the first address that fails. */
export async function startServices(
  { services }: Pick<ServiceTransports, "services">,
  options: DaemonOptions,
  /** `token`: the token for peers over TCP, read for each call. `closeTimeoutMs`: longest delay of the end by a peer that does not read. */
  {
    token,
    ...content
  }: Pick<ServiceParts, "addresses" | "methods" | "pages" | "posts" | "closeTimeoutMs"> & {
    readonly token: () => string;
  },
) {
  const { maxFrameBytes, compression, log } = options;
  const { addresses } = content;
  const listeners: {
    readonly name: ServiceName;
    readonly address: ServiceAddress;
    readonly listener: ServiceListener;
  }[] = [];
  const parts: ServiceParts = {
    ...content,
    describeFault,
    compression,
    maxMessageBytes: maxFrameBytes,
    silentConnectionMs: () => options.handshakeTimeoutSeconds * 1000,
    corsOrigins: () => options.corsOrigins,
    log,
    onAcceptFault: (fault: Fault) => log.warn({ code: fault.code }, fault.sentence),
    after: platformAfter,
  };

  const listenAll = async (name: ServiceName, { openPaths, listen }: Service): Promise<void> => {
    const listenAt = (address: ServiceAddress): Promise<ServiceListener> =>
      listen({
        address,
        admit:
          address.kind === "unix"
            ? admitEverybody
            : admitTokenHolders(token, openPaths, address.host, (secret) => addresses.bySecret(secret) !== undefined),
      });
    const choice = options[name];
    if (choice.kind === "auto") listeners.push({ name, ...(await listenAuto(name, options, listenAt)) });
    if (choice.kind === "addresses")
      for (const address of choice.addresses) listeners.push({ name, address, listener: await listenAt(address) });
  };

  /** Takes no new calls. */
  const stop = async (): Promise<void> => {
    await Promise.all(listeners.map(({ listener }) => listener.stop()));
  };
  /** Ends the rest after the streams have ended. Answers under way have `withinMs` to leave, by default `closeTimeoutMs`. */
  const drain = async (withinMs?: Millis): Promise<void> => {
    await Promise.all(listeners.map(({ listener }) => listener.drain(withinMs)));
  };

  try {
    for (const { name, make } of services) await listenAll(name, make(parts));
  } catch (caught) {
    await stop();
    await drain();
    throw caught;
  }
  const endpoints: Partial<Record<ServiceName, readonly string[]>> = {};
  for (const { name, listener } of listeners) endpoints[name] = [...(endpoints[name] ?? []), listener.address];
  return {
    /** Addresses by service. */
    endpoints,
    /** Paths of the Unix sockets. */
    socketPaths: listeners.flatMap(({ address }) => (address.kind === "unix" ? [address.path] : [])),
    /** As `Listener.renew`, of each address. */
    renewals: listeners.flatMap(({ listener: { renew } }) => (renew === undefined ? [] : [renew])),
    /** Whether any address requires a token. */
    needsToken: listeners.some(({ address }) => address.kind === "tcp"),
    stop,
    drain,
  };
}

/** `<producer id>.grpc` in the runtime folder; if a live daemon has it, `<producer id>-2.grpc` and so on. */
function listenAuto(
  name: ServiceName,
  { producerId, mostInstances, place }: DaemonOptions,
  listen: (address: ServiceAddress) => Promise<ServiceListener>,
): Promise<{ readonly address: ServiceAddress; readonly listener: ServiceListener }> {
  return firstFreeInstance(async (instance) => {
    const path = serviceSocketPath(name, producerId, instance, place);
    if (isPipeName(path)) {
      const sentence = `Give --${name} an address of loopback such as 127.0.0.1:0: no client of these services speaks over a named pipe.`;
      throw new Fault("unsupported", sentence, { origin: "local" });
    }
    const address: ServiceAddress = { kind: "unix", path };
    return { address, listener: await listen(address) };
  }, mostInstances);
}
