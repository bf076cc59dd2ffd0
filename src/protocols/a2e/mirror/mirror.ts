// Tells in events of AAEP what an A2E agent does. Its listeners hear the agent, and the agent is not changed (A2E companion).
import type { AgentHandle, PublishReceipt } from "../../../engine/agents/agent-handle.js";
import {
  type LocalizedMessages,
  localizedMessages,
  type TextAudience,
} from "../../../engine/messages/localized-messages.js";
import type { MessageKey, MessageParameters } from "../../../engine/messages/messages.js";
import type { ResolvedQuestion } from "../../../engine/questions/question-result.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { A2eMessage } from "../messages/message.js";
import { detailsOf } from "./details.js";

/** Most UTF-16 units of a name of another protocol in a text. */
const LONGEST_NAME = 200;
/** Most UTF-16 units of a provider's message in a text. */
const LONGEST_MESSAGE = 2000;

/** Tools of a session whose texts are remembered. */
const MOST_KNOWN_TOOLS = 64;

/** A request, as it is heard. */
export interface HeardCall {
  /** The name in AAEP's form. */
  readonly tool: string;
  /** The name as the agent wrote it. */
  readonly name: string;
  readonly callId: string;
  readonly correlationId: string | undefined;
  /** The arguments of a tool call. */
  readonly arguments: A2eMessage | undefined;
}

export interface MirrorServices {
  readonly agent: AgentHandle;
  /** `sess_` and the id of the A2E session. */
  readonly sessionId: string;
  readonly agentId: string;
  /** Audience of the daemon's texts. */
  readonly texts: TextAudience;
  /** Names of arguments that texts may show. */
  readonly shownArguments: ReadonlySet<string>;
  /** How long a person has to answer, s. */
  readonly confirmationSeconds: number;
  /** An event that nobody waits for could not be published. */
  readonly unheard: (fault: unknown) => void;
}

export interface Mirror {
  /** As in `MirrorServices`. */
  readonly sessionId: string;
  /** The session begins. Throws the Fault that refuses it. */
  readonly started: (capabilities: readonly string[]) => void;
  /** A call is about to be forwarded. Throws the Fault that refuses the event: such a call must not be forwarded. */
  readonly called: (call: HeardCall, isIrreversible: boolean) => PublishReceipt;
  /** Asks a person whether an irreversible call may be made. Calls `done` once. Throws the Fault that refuses the question. Returns its token. */
  readonly ask: (call: HeardCall, done: (isAccepted: boolean) => void) => string;
  /** Takes a question back. */
  readonly withdraw: (token: string) => void;
  /** A provider tells something of a call. */
  readonly progressed: (call: HeardCall, message: A2eMessage) => void;
  readonly completed: (call: HeardCall) => void;
  /** `code`: of the error that the agent gets. */
  readonly failed: (call: HeardCall, code: string) => void;
  /** The agent uses no tool any more, until the next call. */
  readonly rested: () => void;
  /** The session ended in order. */
  readonly ended: () => void;
  /** The connection is gone. A session that has not ended is reported so by the engine (R8). */
  readonly close: () => void;
}

/** Members of an event, or a part of them. */
type Fields = Readonly<Record<string, unknown>>;

export function createMirror(services: MirrorServices): Mirror {
  const { agent, sessionId, texts, unheard } = services;
  const speaker = shortenedText(services.agentId, LONGEST_NAME);
  /** The newest progress that waits until the agent may publish more. */
  let hasStarted = false;
  /** Whether a call was the last thing that changed the agent's state. */
  let isCalling = false;
  const textsOfTools = new Map<string, Fields>();

  const summary = <Key extends MessageKey>(key: Key, parameters: MessageParameters[Key]): LocalizedMessages =>
    localizedMessages(texts, key, () => parameters);
  // One `Object.assign`, and no spread of a spread: that takes 20 times as long for an event with its texts in all languages.
  const publish = (kind: string, ...parts: readonly Fields[]): PublishReceipt => {
    const fields = Object.assign({ type: `aaep:agent.${kind}`, session_id: sessionId }, ...parts) as Fields;
    return agent.publish([{ fields, isHandedOver: true }], false);
  };
  const tell = (kind: string, ...parts: readonly Fields[]): void => {
    try {
      publish(kind, ...parts);
    } catch (caught) {
      unheard(caught);
    }
  };
  const membersOf = ({ tool, callId, correlationId }: HeardCall): Fields =>
    correlationId === undefined
      ? { tool, tool_call_id: callId }
      : { tool, tool_call_id: callId, correlation_id: correlationId };
  const namesOf = (call: HeardCall) => ({
    agent: speaker,
    tool: shortenedText(call.name, LONGEST_NAME),
    details: detailsOf(call.arguments, services.shownArguments),
  });

  /** The texts of a call, which are the same for each call of a tool without shown arguments. */
  const callTexts = (call: HeardCall): Fields => {
    const names = namesOf(call);
    if (names.details !== undefined) return summary("relayCall", names);
    const known = textsOfTools.get(names.tool) ?? summary("relayCall", names);
    if (textsOfTools.size >= MOST_KNOWN_TOOLS) textsOfTools.clear();
    textsOfTools.set(names.tool, known);
    return known;
  };

  return {
    sessionId,
    started: (capabilities) => {
      agent.setIdentity({ agent_id: services.agentId }, undefined);
      publish("session.started", summary("relayStarted", { agent: speaker, capabilities }));
      hasStarted = true;
    },
    called: (call, isIrreversible) => {
      const receipt = publish(
        "tool.invoked",
        membersOf(call),
        isIrreversible ? { irreversible: true, risk_level: "high" } : {},
        callTexts(call),
      );
      isCalling = true;
      return receipt;
    },
    ask: (call, done) => {
      const names = namesOf(call);
      const action = summary("relayAction", names);
      const consequence = summary("relayConsequence", names);
      isCalling = false;
      const { token } = agent.ask(
        {
          type: "aaep:agent.awaiting.confirmation",
          session_id: sessionId,
          ...variants(action, "action"),
          ...variants(consequence, "consequence"),
          localization_hints: consequence.localization_hints,
          risk_level: "high",
          irreversible: true,
          timeout_seconds: services.confirmationSeconds,
          default_decision: "reject",
          extra_context: { tool: call.tool, tool_call_id: call.callId },
        },
        ({ result }: ResolvedQuestion) => done(result.resolvedBy === "reply" && result.decision === "accept"),
      );
      return token;
    },
    withdraw: (token) => void agent.cancel(token),
    progressed: (call, { kind, data }) => {
      const facts = (typeof data === "object" && data !== null ? data : {}) as A2eMessage;
      const name = shortenedText(call.name, LONGEST_NAME);
      if (kind === "progress" || kind === "status") {
        const progress = progressOf(kind, facts);
        if (progress !== undefined) tell("progress.updated", { progress });
      } else if (kind === "artifact" && facts.final === true && typeof facts.name === "string") {
        const file = shortenedText(facts.name, LONGEST_NAME);
        const artifact = summary("relayArtifact", { tool: name, name: file });
        const { localization_hints } = artifact;
        tell("progress.updated", { progress: variants(artifact, "description"), localization_hints });
      }
    },
    completed: (call) => tell("tool.completed", membersOf(call), { status: "success" }),
    failed: (call, code) =>
      tell(
        "tool.completed",
        membersOf(call),
        { status: code === "timeout" ? "timeout" : "error" },
        summary("relayFailed", {
          tool: shortenedText(call.name, LONGEST_NAME),
          code: shortenedText(code, LONGEST_NAME),
        }),
      ),
    rested: () => {
      if (hasStarted && isCalling) tell("state.changed", { from_state: "calling_tool", to_state: "idle" });
      isCalling = false;
    },
    ended: () => {
      if (!hasStarted) return;
      hasStarted = false;
      tell("session.completed", summary("relayEnded", { agent: speaker }));
    },
    close: () => {
      hasStarted = false;
      agent.close();
    },
  };
}

/** The normal texts of a message under the name of another member, with their variants by language. */
function variants(summaries: LocalizedMessages, member: string): Fields {
  return Object.fromEntries(
    Object.entries(summaries).flatMap(([name, text]) =>
      name.startsWith("summary_normal") ? [[`${member}${name.slice("summary_normal".length)}`, text]] : [],
    ),
  );
}

/** Undefined if the event tells nothing that can be heard. */
function progressOf(kind: "progress" | "status", { pct, message }: A2eMessage): object | undefined {
  const percent =
    kind === "progress" && typeof pct === "number" && pct >= 0 && pct <= 100 ? { percent: Math.round(pct) } : undefined;
  const description =
    typeof message === "string" && message !== ""
      ? { description: shortenedText(message, LONGEST_MESSAGE) }
      : undefined;
  return percent === undefined && description === undefined ? undefined : { ...percent, ...description };
}
