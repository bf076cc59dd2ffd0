// The agent's side of AAEP, for every framing (R2, R3, R8, R33, AAEP ch. 6): what it publishes, who it is, the sessions it takes over, and its
// questions. How messages are framed, and in which words the answers go out, is known elsewhere.
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
import { assertManifest, assertResumeSession } from "../validation/validate-messages.js";
import type { AgentQuestions } from "./agent-questions.js";
import { createAgentQuestions } from "./agent-questions.js";
import { isQuestion } from "./costly-calls.js";

/** Events that one publish may have: all of them are planned before any goes out, while nobody else is served. */
export const MAX_PUBLISHED_EVENTS = 512;

/** Questions among them: each is announced, timed and put to everybody who can answer, which costs as much as ten other events (R34). */
export const MAX_PUBLISHED_QUESTIONS = 32;

export interface AgentHandlerServices {
  readonly engine: Pick<Engine, "openAgent" | "publishRefused">;
  /** The rights of its connection (R36). */
  readonly access: Access;
  /** Identity that its events get, where it declares none. */
  readonly identity: Producer | undefined;
  /** What it is told without asking; undefined where it cannot be told. */
  readonly events: AgentEvents | undefined;
  /** Its connection, where that may have subscriptions too: what they name in `SubscriptionEvents` (R5). Default: it has none. */
  readonly connection?: object;
  /** Told of the languages that its manifest lists, while it is there. */
  readonly languages: Pick<SpokenLanguages, "changed">;
  /** It has declared its manifest: its identity, languages and extensions. */
  readonly manifestDeclared: (manifest: Message) => void;
}

export interface Publication {
  readonly events: readonly unknown[];
  /** Pointers of faults begin with an index. */
  readonly isArray: boolean;
  /** Of a session that another connection has (R8). */
  readonly resumeToken?: string | undefined;
  /** The JSON text of each event, where there is one. Asked for once the events are known to be objects. May throw. */
  readonly sources?: () => readonly string[];
}

export interface AgentHandler extends AgentQuestions {
  /** Publishes all or none. Throws the Fault that refuses them. */
  readonly publish: (publication: Publication) => PublishReceipt;
  /** Takes a complete manifest. Throws "invalid_message". */
  readonly setManifest: (manifest: unknown) => void;
  /** Takes `{session_id, resume_token}`. Throws "invalid_message", and what the engine refuses it with. */
  readonly resumeSession: (claim: unknown) => SessionSummary;
  /** Answers when all that it may be told is safe, as `AgentHandle.safety` does (R29). */
  readonly whenDurable: () => Promise<void> | undefined;
  /** Resolves when it may publish more, as `AgentHandle.room` does; undefined where it may at once. */
  readonly room: () => Promise<void> | undefined;
  /** The engine's agent behind it; opened with the first call, and anew after `close`. */
  readonly agent: () => AgentHandle;
  /** Its connection has ended, or says no more: its sessions' grace begins (R8). */
  readonly close: () => void;
}

export function createAgentHandler(services: AgentHandlerServices): AgentHandler {
  const { access } = services;
  let handle: AgentHandle | undefined;
  let spoken: readonly string[] = [];
  const agent = (): AgentHandle => {
    handle ??= services.engine.openAgent(services.identity, services.events, services.connection);
    return handle;
  };

  const speaks = (languages: readonly string[]): void => {
    services.languages.changed(spoken, languages);
    spoken = languages;
  };

  const publish = ({ events, isArray, resumeToken, sources }: Publication): PublishReceipt => {
    assertEventCount(events.length);
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
      const { agent_id, agent_version, agent_name, languages_supported: languages = [] } = manifest;
      const identity = {
        agent_id,
        ...(agent_version === undefined ? {} : { agent_version }),
        ...(agent_name === undefined ? {} : { agent_name }),
      };
      agent().setIdentity(identity, languages[0]);
      speaks(languages.slice(0, MOST_DECLARED_LANGUAGES));
      services.manifestDeclared(manifest as unknown as Message);
    },
    whenDurable: () => agent().whenDurable(),
    room: () => handle?.room(),
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

/** Throws "message_too_large" for more events than one publish may have. */
export function assertEventCount(count: number): void {
  if (count <= MAX_PUBLISHED_EVENTS) return;
  const sentence = `Publish at most ${MAX_PUBLISHED_EVENTS} events at a time; these are ${count}.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "R3" });
}

function assertMayPublish(events: readonly unknown[], access: Access): void {
  let questionCount = 0;
  for (const event of events) {
    const asks = isQuestion(event);
    if (asks) questionCount += 1;
    assertMay(access, asks ? "ask" : "publish", (event as { readonly session_id?: unknown }).session_id);
  }
  if (questionCount <= MAX_PUBLISHED_QUESTIONS) return;
  const sentence = `Ask at most ${MAX_PUBLISHED_QUESTIONS} questions at a time; these are ${questionCount}.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "R34" });
}

function assertObjects(events: readonly unknown[]): void {
  const stray = events.findIndex((event) => typeof event !== "object" || event === null || Array.isArray(event));
  if (stray < 0) return;
  throw new Fault("invalid_event", "An event is a JSON object.", { pointer: `/${stray}`, rule: "AAEP §3.9" });
}
