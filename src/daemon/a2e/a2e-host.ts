// A2E in the daemon: the protocol with its services, and the providers of the configuration.
import { createSharedRoom } from "../../base/shared-room.js";
import { within } from "../../base/time-limit.js";
import { foldedName, LONGEST_TOOL_NAME } from "../../base/tool-name.js";
import type { AccessPolicy } from "../../contracts/access.js";
import type { Millis } from "../../contracts/clock.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { Connection } from "../../contracts/transport.js";
import type { Engine } from "../../engine/engine.js";
import { everyLanguage } from "../../engine/messages/messages.js";
import { Turns } from "../../engine/time/turns.js";
import { createA2eProtocol } from "../../protocols/a2e/agent/agent-session.js";
import { createMessageMaker } from "../../protocols/a2e/messages/message.js";
import { type A2eServices, MOST_REQUEST_UNITS, PresentAgents } from "../../protocols/a2e/providers/a2e-services.js";
import { type Provider, Router } from "../../protocols/a2e/providers/router.js";
import type { ConversationServices } from "../../runtime/conversation.js";
import { readingTurnsBeside } from "../../runtime/frame-loop.js";
import { createWaitingRoom, Exchange } from "../../runtime/run-exchange.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { createProviderProcess, type ProviderProcess } from "./provider-process.js";

export interface A2eHostServices extends Pick<ConversationServices, "clock" | "handshakeTimeoutMs" | "log"> {
  readonly engine: Engine;
  readonly access: AccessPolicy;
  readonly codec: TextCodec<Uint8Array>;
}

/** Starts the providers of the configuration. */
export function startA2eHost(options: DaemonOptions, by: A2eHostServices) {
  const { clock, log } = by;
  const router = new Router(new Turns(clock), (caught) => log.error({ err: caught }, "an A2E announcement failed"));
  const maker = createMessageMaker(options.ids, clock.wallTime);
  const sharing = { room: createWaitingRoom(), readingTurns: readingTurnsBeside(by.engine.sendingTurns, clock) };
  let folded: { readonly names?: readonly string[]; readonly set: ReadonlySet<string> } = { set: new Set() };
  const services: A2eServices = {
    engine: by.engine,
    access: by.access,
    router,
    maker,
    clock,
    log,
    texts: everyLanguage(options.defaultLanguage),
    agents: new PresentAgents(),
    room: createSharedRoom(() => MOST_REQUEST_UNITS),
    providersReady: () => (areReady ? undefined : ready),
    options: {
      authToken: () => options.a2eAuthToken,
      maxParallel: () => options.a2eMaxParallel,
      isIrreversible: (tool) => {
        const names = options.a2eIrreversibleTools;
        if (names.length === 0 || typeof tool !== "string" || tool.length > LONGEST_TOOL_NAME) return names.length > 0;
        // Each call of a tool asks, and the list seldom changes.
        if (folded.names !== names) folded = { names, set: new Set(names.map(foldedName)) };
        return folded.set.has(foldedName(tool));
      },
      shownArguments: () => new Set(options.a2eShownArguments),
      confirmationSeconds: () => options.a2eConfirmationSeconds,
      requestTimeoutMs: () => options.a2eRequestTimeoutSeconds * 1000,
    },
  };
  const protocol = createA2eProtocol(services);
  const startMs = (): Millis => options.a2eStartSeconds * 1000;
  const processes = options.a2eProviders.map((choice) =>
    createProviderProcess(choice, {
      router,
      maker,
      clock,
      log,
      codec: by.codec,
      maxFrameBytes: options.maxFrameBytes,
      startMs,
      ...sharing,
    }),
  );
  for (const one of processes) one.start();
  let areReady = processes.length === 0;
  const ready = within(clock.now() + startMs(), Promise.all(processes.map((one) => one.settled)), clock).then(() => {
    areReady = true;
  });

  const conversations = new Set<Conversation>();

  return {
    serve: (connection: Connection<Uint8Array>, frames = by.codec): Conversation => {
      const served = new Exchange(connection, frames, protocol, { ...by, ...sharing });
      conversations.add(served);
      void served.done.then(() => conversations.delete(served));
      return served;
    },
    /** A2E in the status. */
    report: () => ({ agents: services.agents.count(), providers: reportOf(processes, router.providers()) }),
    /** The hosts of the configuration that have ended and are not ready again. */
    hostsDown: () =>
      processes.flatMap((one) => {
        const lastEnd = one.lastEnd();
        return one.state() === "ready" || lastEnd === undefined ? [] : [{ name: one.choice.name, lastEnd }];
      }),
    /** Numbers for the metrics. */
    counts: () => {
      const present = router.providers();
      return {
        agents: services.agents.count(),
        providers: present.length,
        requests: present.reduce((sum, one) => sum + one.requestCount(), 0),
      };
    },
    /** Ends the conversations of agents, as their sessions do, at `until` at the latest. */
    endAgents: async (until: Millis): Promise<void> => {
      await Promise.all(Array.from(conversations, (one) => one.finish("producer_shutdown", until)));
    },
    /** Ends the providers of the configuration, at `until` at the latest. Never rejects. */
    stop: async (until: Millis): Promise<void> => {
      await Promise.all(processes.map((one) => one.stop(until)));
    },
  };
}

/** Providers in the status: those of the configuration, then those that have registered. */
function reportOf(processes: readonly ProviderProcess[], present: readonly Provider[]) {
  const children = processes.map((one) => ({
    name: one.choice.name,
    kind: "child",
    state: one.state(),
    priority: one.choice.priority,
    ...offerOf(present.find(({ offer }) => offer.kind === "child" && offer.name === one.choice.name)),
    pid: one.pid(),
    restarts: one.restartCount(),
    last_end: one.lastEnd(),
  }));
  const peers = present.filter(({ offer }) => offer.kind === "peer");
  return [
    ...children,
    ...peers.map((one) => {
      const { name, kind, priority } = one.offer;
      return { name, kind, state: "ready", priority, ...offerOf(one) };
    }),
  ];
}

function offerOf(provider: Provider | undefined) {
  return {
    capabilities: provider?.offer.capabilities.map(({ name }) => name) ?? [],
    requests: provider?.requestCount() ?? 0,
  };
}
