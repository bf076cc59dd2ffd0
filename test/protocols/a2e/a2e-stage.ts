// A2E over an engine with a virtual clock: agents and providers whose messages the test writes itself.
import { createSharedRoom } from "../../../src/base/shared-room.js";
import type { AccessPolicy } from "../../../src/contracts/access.js";
import type { ExchangeSession } from "../../../src/contracts/exchange.js";
import type { PeerIdentity } from "../../../src/contracts/transport.js";
import { everyLanguage } from "../../../src/engine/messages/messages.js";
import { Turns } from "../../../src/engine/time/turns.js";
import { createA2eProtocol } from "../../../src/protocols/a2e/agent/agent-session.js";
import { createMessageMaker } from "../../../src/protocols/a2e/messages/message.js";
import {
  type A2eOptions,
  type A2eServices,
  MOST_REQUEST_UNITS,
  PresentAgents,
} from "../../../src/protocols/a2e/providers/a2e-services.js";
import { Router } from "../../../src/protocols/a2e/providers/router.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { createEngineRig, type EngineRig, type RigOptions } from "../../support/rigs/engine-rig.js";

export type A2eDocument = Readonly<Record<string, unknown>>;

export interface A2eStageOptions extends RigOptions {
  readonly options?: Partial<A2eOptions>;
  readonly access?: AccessPolicy;
  readonly providersReady?: () => Promise<void> | undefined;
}

/** One peer, whose connection may take nothing for a while. */
export interface A2ePeer {
  readonly session: ExchangeSession;
  /** Everything that it was sent, parsed. */
  readonly received: readonly A2eDocument[];
  readonly texts: readonly string[];
  readonly say: (message: A2eDocument) => void;
  readonly sayText: (text: string) => void;
  readonly last: () => A2eDocument;
  /** While true, only final messages are taken. */
  readonly setFull: (isFull: boolean) => void;
  readonly isClosed: () => boolean;
  readonly hangUp: () => void;
}

const SAME_USER: PeerIdentity = { label: "test", trust: "same-user" };

export function createA2eStage({ options, access, providersReady, ...rigOptions }: A2eStageOptions = {}) {
  const rig: EngineRig = createEngineRig(rigOptions);
  const { clock } = rig;
  let ids = 0;
  const warnings: unknown[] = [];
  const services: A2eServices = {
    engine: rig.engine,
    access: access ?? SAME_USER_MAY_ALL,
    router: new Router(new Turns(clock), (caught) => void warnings.push(caught)),
    maker: createMessageMaker(
      {
        hex: (bytes) => {
          ids += 1;
          return ids.toString(16).padStart(bytes * 2, "0");
        },
      },
      clock.wallTime,
    ),
    clock,
    log: {
      debug: () => {},
      warn: (...line: unknown[]) => void warnings.push(line),
      error: (...line: unknown[]) => void warnings.push(line),
    },
    texts: everyLanguage("en-US"),
    providersReady: providersReady ?? (() => undefined),
    agents: new PresentAgents(),
    room: createSharedRoom(() => MOST_REQUEST_UNITS),
    options: {
      authToken: () => undefined,
      maxParallel: () => 4,
      isIrreversible: () => false,
      shownArguments: () => new Set(),
      confirmationSeconds: () => 60,
      requestTimeoutMs: () => 300_000,
      ...options,
    },
  };
  const protocol = createA2eProtocol(services);

  const connect = (peer: PeerIdentity = SAME_USER): A2ePeer => {
    const texts: string[] = [];
    const received: A2eDocument[] = [];
    let isFull = false;
    let isClosed = false;
    const send = (text: string, isFinal = false): boolean => {
      if (isClosed || (isFull && !isFinal)) return false;
      texts.push(text);
      received.push(JSON.parse(text) as A2eDocument);
      return true;
    };
    const session = protocol.open(peer, {
      send,
      offer: send,
      isGone: () => false,
      close: () => {
        isClosed = true;
      },
    });
    const sayText = (text: string): void => {
      session.receive(JSON.parse(text), text);
      clock.settle();
    };
    return {
      session,
      received,
      texts,
      sayText,
      say: (message) => sayText(JSON.stringify(message)),
      last: () => received.at(-1) ?? {},
      setFull: (full) => {
        isFull = full;
      },
      isClosed: () => isClosed,
      hangUp: () => {
        isClosed = true;
        session.ended();
        clock.settle();
      },
    };
  };

  /** A peer that has registered. */
  const provider = (capabilities: readonly string[] = ["tools"], more: A2eDocument = {}): A2ePeer => {
    const peer = connect();
    peer.say(base("aaepd.a2e.register", "reg", { capabilities, ...more }));
    return peer;
  };

  /** An agent whose handshake was good. */
  const agent = (capabilities: readonly string[] = ["tools"], agentId = "my-agent") => {
    const peer = connect();
    peer.say(handshake("hs", capabilities, { agent_id: agentId }));
    return peer;
  };

  return { ...rig, rig, services, warnings, connect, provider, agent };
}

export type A2eStage = ReturnType<typeof createA2eStage>;

/** A message with the base of A2E. */
export function base(type: string, id: string, fields: A2eDocument = {}): A2eDocument {
  return { a2e: "1.0", type, id, ts: 1_716_123_456.789, ...fields };
}

export function handshake(id: string, agentCaps: readonly string[], fields: A2eDocument = {}): A2eDocument {
  return base("handshake/req", id, {
    agent_id: "my-agent",
    agent_caps: agentCaps,
    auth_token: "dev-secret",
    ...fields,
  });
}

export function toolCall(id: string, tool: string, fields: A2eDocument = {}): A2eDocument {
  return base("tool/call/req", id, { tool_name: tool, arguments: {}, ...fields });
}

/** The answer of a provider to what it was sent. */
export function answerTo({ id }: A2eDocument, data: unknown = "done"): A2eDocument {
  return base("tool/call/resp", `answer ${String(id)}`, { req_id: id, data });
}

/** A provider and an agent of the same capabilities. */
export function opened(
  options: Parameters<typeof createA2eStage>[0] = {},
  capabilities: readonly string[] = ["tools"],
) {
  const stage = createA2eStage(options);
  const provider = stage.provider(capabilities);
  const agent = stage.agent(capabilities);
  return { stage, provider, agent };
}

/** The requests that a provider was sent. */
export const requestsOf = ({ received }: A2ePeer): readonly A2eDocument[] =>
  received.filter(({ type }) => String(type).endsWith("/req"));
export const answersOf = ({ received }: A2ePeer): readonly A2eDocument[] =>
  received.filter(({ type }) => type === "tool/call/resp" || type === "error");
export const toolsOf = (requests: readonly A2eDocument[]): readonly unknown[] =>
  requests.map(({ tool_name: name }) => name);
