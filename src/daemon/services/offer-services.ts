// Joins the services of AAEP to the daemon: methods from the protocol, addresses from the configuration, pages beside them.
import type { DescMethod } from "@bufbuild/protobuf";
import { A2EService } from "#gen/a2e/v1/a2e_service_pb.js";
import { AkashikService } from "#gen/akashik/v1/akashik_service_pb.js";
import { platformAfter } from "../../../transports/framing/options.js";
import type { JsonPost } from "../../../transports/http/json-posts.js";
import type { HttpPage } from "../../../transports/http/options.js";
import { firstFreeInstance } from "../../../transports/ipc/bind.js";
import { isPipeName } from "../../../transports/ipc/paths.js";
import type { ServiceName } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { Millis } from "../../contracts/clock.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { ServiceListener, ServiceMethod } from "../../contracts/service.js";
import type { PeerIdentity, ServiceAddress } from "../../contracts/transport.js";
import type { Turns } from "../../engine/time/turns.js";
import { createMessageFrames as a2eFrames } from "../../protocols/a2e/services/a2e-service.js";
import { assertFewFields } from "../../protocols/aaep/protobuf/reading.js";
import { agentMethods } from "../../protocols/aaep/services/agent-service.js";
import { createEventStreams, type EventStreamServices } from "../../protocols/aaep/services/event-streams.js";
import { describeFault } from "../../protocols/aaep/services/service-messages.js";
import { subscriberMethods } from "../../protocols/aaep/services/subscriber-service.js";
import type { RpcServices } from "../../protocols/aaep/sessions/rpc-session.js";
import { OPERATIONS } from "../../protocols/akashik/messages/envelope.js";
import { createMessageFrames as akashikFrames } from "../../protocols/akashik/services/akashik-service.js";
import { FrameLoop } from "../../runtime/frame-loop.js";
import { createStreamServer, statusOf } from "../../runtime/run-conversation.js";
import { admitEverybody, admitTokenHolders } from "../../security/admission.js";
import { lastingToken } from "../../security/lasting-token.js";
import { openAddresses } from "../addresses/open-addresses.js";
import type { AuditLog } from "../audit/audit-log.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { serviceAddresses } from "../config/service-choices.js";
import type { ExchangeServer, LateParts } from "../late/late-parts.js";
import { createTextCodec, createUtf8 } from "../platform/utf8.js";
import { MANIFEST_PAGE } from "../presence/manifest.js";
import type { OfferedToken } from "../presence/presence.js";
import type { Metrics } from "../status/metrics.js";
import { serviceSocketPath } from "./own-addresses.js";
import {
  loadServiceTransports,
  type Service,
  type ServiceParts,
  type ServiceTransports,
} from "./service-transports.js";

export interface OfferedBy {
  readonly aaep: RpcServices;
  readonly auditLog: Pick<AuditLog, "droppedCount" | "floodedCount">;
  readonly late: Pick<LateParts, "a2e" | "akashik">;
  readonly closeTimeoutMs: number;
  readonly connections: () => ReadonlyMap<string, number>;
  readonly converse: EventStreamServices["converse"];
  readonly isReady: () => boolean;
  readonly replies: ReadonlyMap<ReplyFate, number>;
  readonly sendingTurns: Turns;
  readonly readingTurns: Turns;
  readonly track: (served: Conversation, peer: PeerIdentity, transport: string) => void;
}

/** 256 bits, written in hex. */
const TOKEN_BYTES = 32;

export type OfferServices = Awaited<ReturnType<typeof loadServices>>;
export type OfferedServices = Awaited<ReturnType<OfferServices>>;

/** Loads the services that the options ask for. Throws a Fault "usage" if packages of one are not installed. */
export async function loadServices(options: DaemonOptions) {
  const transports = await loadServiceTransports(options);
  return (by: OfferedBy) => offerServices(transports, options, by);
}

/**
 * Starts the services. Throws a Fault if an address cannot listen, and then leaves nothing behind. Options that may change are read each time (R8b).
 */
async function offerServices(transports: ServiceTransports, options: DaemonOptions, by: OfferedBy) {
  const { clock, ids } = options;
  const { aaep } = by;
  const utf8 = createUtf8();
  const json = createTextCodec(utf8);
  const shared = {
    ...aaep,
    clock,
    handshakeTimeoutMs: () => options.handshakeTimeoutSeconds * 1000,
    sendingTurns: by.sendingTurns,
    readingTurns: by.readingTurns,
    served: (served: Conversation, peer: PeerIdentity) => by.track(served, peer, "services"),
  };
  const serve = createStreamServer(shared);
  const { a2e, akashik } = by.late;
  const agents = agentMethods({
    ...shared,
    agentIdleMs: () => options.agentIdleSeconds * 1000,
    statusOf,
    readFrames: (connection, taker) => void new FrameLoop(connection, taker, by.readingTurns),
  });
  const methods = [
    ...subscriberMethods({
      ...shared,
      utf8,
      heartbeatMs: () => options.heartbeatSeconds * 1000,
      serve,
    }),
    ...agents.methods,
    exchanged(a2e, A2EService.method.converse, () => a2eFrames(json), by),
    exchanged(akashik, AkashikService.method.converse, () => akashikFrames(json), by),
  ];
  const metrics = transports.createMetrics?.({
    ...by,
    version: options.version,
    engine: aaep.engine,
    clock,
    a2e: () => a2e.opened()?.counts(),
    akashik: () => akashik.opened()?.report(),
  });
  const { httpTokenFile } = options;
  const nextToken = (): string => {
    const fresh = ids.hex(TOKEN_BYTES);
    return httpTokenFile.kind === "path" ? lastingToken(httpTokenFile.path, fresh, process.getuid?.()) : fresh;
  };
  // A file of the operator is read or made only where somebody needs it.
  let token = serviceAddresses(options).some(({ kind }) => kind === "tcp") ? nextToken() : "";
  const own = openAddresses(options, (text) => void aaep.engine.userInput(text));
  const running = await startServices(transports, options, {
    token: () => token,
    closeTimeoutMs: by.closeTimeoutMs,
    methods,
    pages: pagesOf(by, metrics),
    addresses: createEventStreams({
      ...shared,
      utf8,
      serve,
      converse: by.converse,
      ownAddress: (secret) => own.find(secret),
    }),
    posts: akashikPosts(akashik),
  });
  return {
    ...running,
    /** The first token for callers over TCP; undefined if no service listens on TCP. */
    token: running.needsToken ? offeredToken(options, token) : undefined,
    /**
     * Makes another token, valid once `written` has stored it, or reads the operator's file again. Returns whether the token is another one. An error
     * on the way is passed on, and the old token stays valid.
     */
    renewToken: (written: (token: string) => void): boolean => {
      const next = nextToken();
      if (next === token) return false;
      written(next);
      token = next;
      return true;
    },
    drain: async (withinMs?: number): Promise<void> => {
      await running.drain(withinMs);
      own.stop();
    },
    /** Releases the agents known by unary calls; their sessions have been ended. */
    endAgents: agents.close,
  };
}

function offeredToken({ httpTokenFile }: DaemonOptions, token: string): OfferedToken {
  return httpTokenFile.kind === "path"
    ? { kind: "lasting", path: httpTokenFile.path }
    : { kind: "beside_socket", token };
}

/** Listens at every address or at none. Options that may change are read each time. Throws the Fault of the first address that fails. */
async function startServices(
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

/** Plain pages beside the services on the HTTP server, for browsers, monitors and people. */
function pagesOf({ aaep, isReady }: OfferedBy, metrics: Metrics | undefined): readonly HttpPage[] {
  const plain = (status: number, body: string) => ({
    status,
    contentType: "text/plain; charset=utf-8",
    body: `${body}\n`,
  });
  const json = (content: object) => ({
    status: 200,
    contentType: "application/json",
    body: `${JSON.stringify(content, null, 2)}\n`,
  });
  const pages: HttpPage[] = [
    { path: MANIFEST_PAGE, needsToken: true, answer: () => json(aaep.manifest()) },
    { path: "/healthz", needsToken: false, answer: () => plain(200, "alive") },
    { path: "/readyz", needsToken: false, answer: () => (isReady() ? plain(200, "ready") : plain(503, "stopping")) },
  ];
  if (metrics !== undefined)
    pages.push({
      path: "/metrics",
      needsToken: true,
      answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
    });
  return pages;
}

/** The method that serves the streams of a protocol. Their frames are counted before the library reads them. */
function exchanged(
  { serve }: ExchangeServer,
  descriptor: DescMethod,
  framesOfStream: () => TextCodec<Uint8Array>,
  { track }: Pick<OfferedBy, "track">,
): ServiceMethod {
  return {
    kind: "stream",
    descriptor,
    joinsBatches: false,
    accept: (connection) => {
      const frames = framesOfStream();
      const textOf = (frame: Uint8Array): string => {
        assertFewFields(descriptor.input, frame);
        return frames.textOf(frame);
      };
      track(serve(connection, { ...frames, textOf }), connection.peer, "services");
    },
  };
}

/** The names of Akashik in HTTP: `POST /v1/register` and so on, each with one envelope in and one out (Akashik companion). */
function akashikPosts(akashik: LateParts["akashik"]): readonly JsonPost[] {
  return OPERATIONS.map((operation) => ({
    path: `/v1/${operation.toLowerCase()}`,
    answer: async (sent, peer) => {
      const { text, isError } = await (await akashik.open()).answer(sent, operation, peer);
      return { status: isError ? 400 : 200, contentType: "application/json", body: text };
    },
  }));
}
