// The agent's side of AAEP, for every framing (R2, R3, R8, R33, AAEP ch. 6): publications, the agent's identity, sessions that it takes over, and its
// questions. Framing, and the wording of answers, are in other files.
import { Fault, faultFrom } from "../../../base/errors.js";
import { assertMay } from "../../../base/permission.js";
import type { Access } from "../../../contracts/access.js";
import type { AgentHandle, PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { AgentEvents } from "../../../engine/agents/question-agents.js";
import type { Engine } from "../../../engine/engine.js";
import type { Producer } from "../../../engine/event/event.js";
import type { SessionSummary } from "../../../engine/sessions/session-record.js";
import type { Message } from "../json/message.js";
import { MOST_DECLARED_LANGUAGES, type SpokenLanguages } from "../subscriber/spoken-languages.js";
import { ownMembersIn } from "../validation/manifest-members.js";
import { assertManifest, assertResumeSession } from "../validation/validate-messages.js";
import type { AgentQuestions } from "./agent-questions.js";
import { createAgentQuestions } from "./agent-questions.js";
import { isQuestion } from "./costly-calls.js";

export interface AgentHandlerServices {
  readonly engine: Pick<Engine, "openAgent" | "publishRefused">;
  /** The rights of the connection (R36). */
  readonly access: Access;
  /** Identity of the events of an agent that declares none. */
  readonly identity: Producer | undefined;
  /** Callbacks for messages to the agent; undefined if it cannot receive any. */
  readonly events: AgentEvents | undefined;
  /** The connection, if it may have subscriptions too: the same object as in `SubscriptionEvents` (R5). Default: it has none. */
  readonly connection?: object;
  /** The process of the connection. Default: not known (R5d). */
  readonly processId?: number | undefined;
  /** Receives the languages of the manifest while the agent is connected. */
  readonly languages: Pick<SpokenLanguages, "changed">;
  /** Receives each declared manifest: identity, languages and extensions. */
  readonly manifestDeclared: (manifest: Message) => void;
}

interface Publication {
  readonly events: readonly unknown[];
  /** Whether pointers of faults begin with an index. */
  readonly isArray: boolean;
  /** The token of a session that another connection has (R8). */
  readonly resumeToken?: string | undefined;
  /** Returns the JSON text of each event, if there is one. Called once the events are known to be objects. May throw. */
  readonly sources?: () => readonly string[];
}

export interface AgentHandler extends AgentQuestions {
  /** Publishes all events or none. Throws the Fault that refuses them. */
  readonly publish: (publication: Publication) => PublishReceipt;
  /** Takes a complete manifest. Throws "invalid_message". */
  readonly setManifest: (manifest: unknown) => void;
  /** Takes `{session_id, resume_token}`. Throws "invalid_message", and the Faults of the engine. */
  readonly resumeSession: (claim: unknown) => SessionSummary;
  /** Resolves when everything reported to the agent is durable, as `AgentHandle.whenDurable` does (R29). */
  readonly whenDurable: () => Promise<void> | undefined;
  /** The engine's agent behind the handler; opened at the first call, and again after `close`. */
  readonly agent: () => AgentHandle;
  /** Reports that the connection has ended, or that the agent sends no more: the grace of its sessions begins (R8). */
  readonly close: () => void;
}

export function createAgentHandler(services: AgentHandlerServices): AgentHandler {
  const { access } = services;
  let handle: AgentHandle | undefined;
  let spoken: readonly string[] = [];
  const agent = (): AgentHandle => {
    handle ??= services.engine.openAgent(services.identity, services.events, services.connection, services.processId);
    return handle;
  };

  const speaks = (languages: readonly string[]): void => {
    services.languages.changed(spoken, languages);
    spoken = languages;
  };

  const publish = ({ events, isArray, resumeToken, sources }: Publication): PublishReceipt => {
    assertObjects(events);
    assertMayPublish(events, access);
    const texts = sources?.();
    const inputs = events.map((event, index) => ({
      fields: event as Readonly<Record<string, unknown>>,
      source: texts?.[index],
      isHandedOver: true,
    }));
    return agent().publish(inputs, isArray, resumeToken);
  };

  return {
    ...createAgentQuestions(agent, access),
    agent,
    publish: (publication) => {
      try {
        return publish(publication);
      } catch (caught) {
        services.engine.publishRefused(faultFrom(caught).code);
        throw caught;
      }
    },
    setManifest: (manifest) => {
      assertMay(access, "declare");
      assertManifest(manifest);
      const { pid, canStop } = ownMembersIn(manifest);
      const { agent_id, agent_version, agent_name, languages_supported: languages = [] } = manifest;
      const identity = {
        agent_id,
        ...(agent_version === undefined ? {} : { agent_version }),
        ...(agent_name === undefined ? {} : { agent_name }),
      };
      agent().setIdentity(identity, languages[0]);
      agent().addProcess(pid, true);
      agent().setCanStop(canStop);
      speaks(languages.slice(0, MOST_DECLARED_LANGUAGES));
      services.manifestDeclared(manifest as unknown as Message);
    },
    whenDurable: () => agent().whenDurable(),
    resumeSession: (claim) => {
      assertResumeSession(claim);
      assertMay(access, "resume", claim.session_id);
      return agent().resumeSession(claim.session_id, claim.resume_token);
    },
    close: () => {
      handle?.close();
      handle = undefined;
      speaks([]);
    },
  };
}

function assertMayPublish(events: readonly unknown[], access: Access): void {
  for (const event of events) {
    const { session_id: sessionId } = event as { readonly session_id?: unknown };
    assertMay(access, isQuestion(event) ? "ask" : "publish", sessionId);
  }
}

function assertObjects(events: readonly unknown[]): void {
  const stray = events.findIndex((event) => typeof event !== "object" || event === null || Array.isArray(event));
  if (stray < 0) return;
  throw new Fault("invalid_event", "An event is a JSON object.", { pointer: `/${stray}`, rule: "AAEP §3.9" });
}
