// The composition root: configuration, platform, engine and transports become a running daemon.
import { currentPlace, ipcDirectories } from "../../transports/ipc/paths.js";
import { withPackages } from "../../transports/optional-packages.js";
import { isOpen, SERVICE_NAMES, type ServiceName } from "../../transports/ways.js";
import { Fault } from "../base/errors.js";
import { assertMay } from "../base/permission.js";
import { within } from "../base/time-limit.js";
import { withResolvers } from "../base/with-resolvers.js";
import type { Access } from "../contracts/access.js";
import type { Conversation } from "../contracts/protocol.js";
import type { Connection, Listener, PeekableConnection, PeerIdentity } from "../contracts/transport.js";
import type { SubscriptionReport } from "../engine/engine-status.js";
import type { Producer } from "../engine/event/event.js";
import { BOUNDARIES, type Offer } from "../engine/terms/terms.js";
import { createJsonCodec } from "../protocols/aaep/json/json-codec.js";
import type { Message } from "../protocols/aaep/json/message.js";
import { createSpokenLanguages, type SpokenLanguages } from "../protocols/aaep/subscriber/spoken-languages.js";
import { readingTurnsBeside } from "../runtime/frame-loop.js";
import { decideOnce, SAME_USER_MAY_ALL } from "../security/access.js";
import { countReplies, openAuditLog } from "./audit/open-audit-log.js";
import type { Configuration } from "./config/config.js";
import type { DaemonOptions } from "./config/daemon-options.js";
import { type Reconfigured, reconfigure } from "./config/reconfigure.js";
import { type EndpointServices, serveConnection } from "./endpoint.js";
import { createLateParts } from "./late/late-parts.js";
import { listenLocally } from "./listen.js";
import { listenerLineage } from "./listener-lineage.js";
import { stopTimes, tellUnfinished } from "./orderly-stop.js";
import { createTextCodec, createUtf8 } from "./platform/utf8.js";
import { CONFORMANCE_LEVELS, daemonManifest, MANIFEST_PAGE } from "./presence/manifest.js";
import { announce, type Presence } from "./presence/presence.js";
import { type WatchedPlaces, watchPlaces } from "./presence/watch-places.js";
import { createProtocols, type ProtocolServices } from "./protocols.js";
import type { OfferedServices, OfferServices } from "./services/offer-services.js";
import { assertNameFree } from "./services/own-addresses.js";
import { startEngine } from "./start-engine.js";
import { createRelayBook } from "./status/relay-book.js";
import { statusDocument } from "./status/status-document.js";

/** "recording_ended": nothing more follows, so that no subscriber need come back. */
export type StopReason = "signal" | "stdin_ended" | "parent_gone" | "recording_ended";

export interface Daemon {
  /** Addresses by transport: the local socket as `ipc`, services as lists. */
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  /** Path of the file with the token for services over TCP; undefined if no token is required. */
  readonly tokenPath: string | undefined;
  /**
   * Ends sessions, hands out all pending deliveries and closes every connection (R8a). On "stdin_ended" the daemon first takes the rest of standard
   * input. If sessions are kept (`onStop`, R8b), they stay open, and pending deliveries follow in the next boot. Never rejects.
   */
  readonly stop: (reason: StopReason) => Promise<void>;
  readonly stopped: Promise<void>;
  /** The subscriptions under way. Costs in proportion to their number. */
  readonly subscriptions: () => readonly SubscriptionReport[];
  /**
   * Applies the changes that are possible at run time, by the table of config-schema.ts, and makes another token for services over TCP; admitted
   * callers stay (R8b). Has no effect during a stop. Never throws.
   */
  readonly reconfigure: (configuration: Configuration) => Reconfigured;
  /** Serves a connection made by the embedder as one that came in over the socket. Resolves when the connection is over. Never rejects. */
  readonly serve: (connection: PeekableConnection<Uint8Array>) => Promise<void>;
}

/** Time after which a peer that does not read is given up while the daemon goes on, ms. */
const CLOSE_TIMEOUT_MS = 1000;
/** Time for the end of standard input to arrive behind earlier input, ms. */
const INPUT_TIMEOUT_MS = 500;
/** Time for answers to calls under way after a stop has handed everything over, ms. */
const LAST_ANSWERS_MS = 250;

/** Starts a daemon. Throws a Fault if the daemon cannot listen, and then leaves nothing behind. */
export async function startDaemon(given: DaemonOptions): Promise<Daemon> {
  // `reconfigure` writes into this copy; every part reads a changeable option from it at each use.
  const options: DaemonOptions = { ...given };
  const { clock, log } = options;
  /** Conversations under way, with the transport of each. */
  const connections = new Map<Conversation, string>();
  let presence: Presence | undefined;
  let places: WatchedPlaces | undefined;
  let listener: Listener | undefined;
  let offered: OfferedServices | undefined;
  let isStopping = false;

  if (options.mostInstances === 1) await assertNameFree(options);
  // A daemon with only the local socket never loads the code of services. It is loaded before anything is made, because packages may be missing, and
  // before any listening: after an `rmSync` of a missing file, Node 20 does not follow the links of pnpm's folders, and packages are found twice.
  const services = SERVICE_NAMES.filter((name) => isOpen(name, options));
  const offer = services.length > 0 ? await loadServices(services, options) : undefined;
  const auditLog = openAuditLog(options);
  const { audit, counts: replies } = countReplies(options.auditLog ?? auditLog);
  const { engine, journal, retentionChanged } = await startEngine(options, audit);
  const relays = createRelayBook(journal.id);
  let declared: Message | undefined = options.manifest;
  const manifest = (): Message => ({
    ...daemonManifest({
      configuration: options,
      version: options.version,
      hasStdio: options.stdio !== undefined,
      // A daemon spawned by one agent represents that agent; any other daemon represents itself, whichever agents publish (R1).
      agent: declared,
    }),
  });
  const languages = createSpokenLanguages(options.defaultLanguage);
  const startedAt = clock.wallTime();
  const begunAt = clock.now();
  const status = async (params: unknown, access: Access): Promise<Message> => {
    assertMay(access, "observe");
    const document = statusDocument(params, engine.report(), {
      version: options.version,
      producerId: options.producerId,
      startedAt,
      now: clock.wallTime(),
      uptimeMs: clock.now() - begunAt,
      endpoints: endpointsOf(listener, offered),
      connections: countByTransport(connections),
      lostPlace: places?.lost(),
      auditTrouble: auditLog.trouble(),
      hostsDown: late.a2e.opened()?.hostsDown() ?? [],
    });
    return { ...document, ...late.reports(), relays: relays.report() };
  };
  const access = options.accessPolicy === undefined ? SAME_USER_MAY_ALL : decideOnce(options.accessPolicy);
  const utf8 = createUtf8();
  const handshakeTimeoutMs = (): number => options.handshakeTimeoutSeconds * 1000;
  const exchange = { clock, log, handshakeTimeoutMs, engine, access, codec: createTextCodec(utf8) };
  const late = createLateParts(options, { ...exchange, journal, runtimeFolder: namesFolder(options) });
  const shared: ProtocolServices = {
    clock,
    log,
    codec: createJsonCodec(utf8),
    exchanges: [late.a2e, late.akashik].map(({ recognizes, serve }) => ({
      recognizes,
      serve: (connection: Connection<Uint8Array>) => serve(connection),
    })),
    handshakeTimeoutMs,
    sendingTurns: engine.sendingTurns,
    readingTurns: readingTurnsBeside(engine.sendingTurns, clock),
    aaep: {
      engine,
      access,
      log,
      ids: options.ids,
      offer: offerOf(options, languages),
      languages,
      producer: () => producerOf(manifest()),
      manifestUri: (origin) => (origin === undefined ? presence?.uri : `${origin}${MANIFEST_PAGE}`),
      manifest,
      status,
      hook: late.takeHook,
      relay: relays.take,
      manifestDeclared: (theirs, { trust }) => {
        // Only the agent that started the daemon can name the producer (R1).
        if (trust !== "parent") return;
        declared = theirs;
        presence?.update();
      },
      agentIdentity: undefined,
      lineageOf: listenerLineage,
    },
  };

  const endpoint: EndpointServices = {
    ...shared,
    protocols: createProtocols(shared),
    refused: (reason) => engine.refused(reason),
  };

  const track = (served: Conversation, peer: PeerIdentity, transport: string): void => {
    connections.set(served, transport);
    log.debug({ peer: peer.label }, "connected");
    void served.done.then(() => {
      connections.delete(served);
      log.debug({ peer: peer.label }, "disconnected");
    });
    if (isStopping) void served.finish("producer_shutdown");
  };

  const serve = (connection: PeekableConnection<Uint8Array>, isParent: boolean): Conversation => {
    const served =
      isParent && options.stdioSpeaks === "a2e"
        ? late.a2e.serve(connection)
        : serveConnection(connection, endpoint, isParent);
    track(served, connection.peer, isParent ? "stdio" : "ipc");
    return served;
  };

  await late.openNeeded();
  try {
    listener = await listenLocally(options, CLOSE_TIMEOUT_MS, (connection) => void serve(connection, false));
    if (offer !== undefined) {
      offered = await offer({
        aaep: shared.aaep,
        auditLog,
        late,
        closeTimeoutMs: CLOSE_TIMEOUT_MS,
        connections: () => countByTransport(connections),
        converse: (connection) => track(serveConnection(connection, endpoint, false), connection.peer, "services"),
        isReady: () => !isStopping,
        replies,
        sendingTurns: shared.sendingTurns,
        readingTurns: shared.readingTurns,
        track,
      });
    }
    presence = announcePresence(options, listener, offered, manifest);
    places = watchPlaces(
      [listener?.renew, ...(offered?.renewals ?? []), presence?.renew].filter((renew) => renew !== undefined),
      options,
    );
  } catch (caught) {
    await late.stop(clock.now());
    await listener?.stop();
    await offered?.stop();
    await offered?.drain();
    await engine.close();
    throw caught;
  }
  // Behind the turn in which the daemon tells that it listens: few need it.
  let loaded: Promise<unknown> = Promise.resolve();
  clock.afterTurn(() => {
    if (!isStopping) loaded = late.load();
  });
  const parent = options.stdio === undefined ? undefined : await serveParent(options, serve);

  const { promise: stopped, resolve: tellStopped } = withResolvers();

  const stop = async (reason: StopReason): Promise<void> => {
    if (isStopping) return stopped;
    isStopping = true;
    const begun = clock.now();
    const times = stopTimes(options, options.stdio !== undefined);
    const keepsSessions = options.onStop === "keep" && options.stdio === undefined && engine.keepsSessions;
    try {
      // First, so that no client finds a daemon that is about to stop.
      places?.stop();
      presence?.remove();
      await Promise.all([listener?.stop(), offered?.stop()]);
      // Bounded, because a parent that takes no answers may leave input in its pipe.
      if (reason === "stdin_ended" && parent !== undefined)
        await within(clock.now() + INPUT_TIMEOUT_MS, parent.inputEnded, clock);
      await within(begun + times.sessionsMs, late.endAgents(begun + times.sessionsMs), clock);
      await within(begun + times.sessionsMs, keepsSessions ? engine.leaveSessionsOpen() : endSessions(reason), clock);
      offered?.endAgents();
    } catch (caught) {
      log.error({ err: caught }, "an error while stopping; connections are closed all the same");
    } finally {
      const until = begun + times.handOverMs;
      const served = [...connections.keys()];
      const closing = reason === "recording_ended" ? reason : "producer_shutdown";
      const leftCounts = await Promise.all(served.map((one) => one.finish(closing, until)));
      // One drain for all kinds of peers that read nothing.
      await offered?.drain(LAST_ANSWERS_MS);
      tellUnfinished(leftCounts, keepsSessions ? 0 : engine.status().openSessionCount, log);
      await late.stop(until);
      await engine.close().catch((caught) => log.error({ err: caught }, "an error while closing the journal"));
      await auditLog.close();
      await loaded;
      tellStopped();
    }
  };

  const renewToken = (): string | undefined => {
    if (presence?.tokenPath === undefined) return undefined;
    try {
      return offered?.renewToken(presence.replaceToken) === true ? presence.tokenPath : undefined;
    } catch (caught) {
      const why = caught instanceof Fault ? { reason: caught.sentence } : { err: caught };
      log.warn(why, "there is no other token; the former one stays valid");
      return undefined;
    }
  };

  const applied = (): void => {
    engine.limitsChanged();
    retentionChanged();
    // The manifest contains the limit of subscriptions.
    presence?.update();
  };

  const endSessions = async (reason: StopReason): Promise<void> => {
    await engine.settled();
    await engine.endSessions(reason !== "signal");
  };

  return {
    endpoints: endpointsOf(listener, offered),
    tokenPath: presence?.tokenPath,
    stop,
    stopped,
    subscriptions: () => engine.report().subscriptions,
    reconfigure: (wanted) =>
      isStopping ? { applied: [], waiting: [] } : reconfigure(wanted, { settings: options, log, applied, renewToken }),
    serve: (connection) => serve(connection, false).done,
  };
}

/** Where names of agents in use are noted: beside the sockets, where adapters note theirs too. A daemon at a path of its own notes none. */
function namesFolder({ socket, place = currentPlace() }: DaemonOptions): string | undefined {
  return socket.kind === "auto" ? ipcDirectories(place)[0] : undefined;
}

function countByTransport(connections: ReadonlyMap<Conversation, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const transport of connections.values()) counts.set(transport, (counts.get(transport) ?? 0) + 1);
  return counts;
}

function offerOf(options: DaemonOptions, languages: SpokenLanguages): Offer {
  return {
    get maxEventsPerSecond() {
      return options.maxEventsPerSecond;
    },
    isSpoken: languages.isSpoken,
    coalesceBoundaries: BOUNDARIES,
    conformanceLevels: CONFORMANCE_LEVELS,
    signedManifest: false,
    get burst() {
      return options.burst;
    },
  };
}

async function serveParent(
  { stdio, stdioSpeaks, maxFrameBytes }: DaemonOptions,
  serve: (connection: PeekableConnection<Uint8Array>, isParent: boolean) => Conversation,
): Promise<Conversation> {
  if (stdio === undefined) throw new Fault("internal", "There is no parent to serve.", { origin: "local" });
  const { createStdioConnection } = await import("../../transports/stdio/stdio-connection.js");
  const { behindLaunchers } = await import("./platform/process-lineage.js");
  const limits = { maxFrameBytes, closeTimeoutMs: CLOSE_TIMEOUT_MS, isLinesOnly: stdioSpeaks === "a2e" };
  return serve(createStdioConnection(behindLaunchers(stdio), limits), true);
}

function producerOf({ agent_id, agent_version, agent_name }: Readonly<Record<string, unknown>>): Producer {
  return {
    agent_id: String(agent_id),
    ...(typeof agent_version === "string" ? { agent_version } : {}),
    ...(typeof agent_name === "string" ? { agent_name } : {}),
  };
}

async function loadServices(services: readonly ServiceName[], options: DaemonOptions): Promise<OfferServices> {
  const code = () => import("./services/offer-services.js");
  return (await withPackages(services, code)).loadServices(options);
}

function endpointsOf(listener: Listener | undefined, offered: OfferedServices | undefined): Daemon["endpoints"] {
  return { ...(listener === undefined ? {} : { ipc: listener.address }), ...offered?.endpoints };
}

/** Returns undefined if the daemon has no address to announce. */
function announcePresence(
  { producerId, log, place = currentPlace() }: DaemonOptions,
  listener: Listener | undefined,
  offered: OfferedServices | undefined,
  manifest: () => object,
): Presence | undefined {
  if (listener === undefined && offered === undefined) return undefined;
  return announce({
    producerId,
    place,
    paths: [...(listener === undefined ? [] : [listener.address]), ...(offered?.socketPaths ?? [])],
    token: offered?.token,
    endpoints: endpointsOf(listener, offered),
    manifest,
    log,
  });
}
