// Tells in events of AAEP what an A2E agent does. Its listeners hear the agent, and the agent is not changed (A2E companion).
import { type Members, membersOf, ownMember } from "../../../base/members.js";
import type { AgentHandle, PublishReceipt } from "../../../engine/agents/agent-handle.js";
import {
  type LocalizedMessages,
  localizedMessages,
  type MessageKey,
  type MessageParameters,
  type TextAudience,
} from "../../../engine/messages/messages.js";
import type { ResolvedQuestion } from "../../../engine/questions/question-result.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { A2eMessage } from "../messages/message.js";

/** Most UTF-16 units of a name of another protocol in a text. */
const LONGEST_NAME = 200;
/** Most UTF-16 units of a provider's message in a text. */
const LONGEST_MESSAGE = 2000;

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

export class Mirror {
  private readonly services: MirrorServices;
  private readonly speaker: string;
  private hasStarted = false;
  /** Whether a call was the last thing that changed the agent's state. */
  private isCalling = false;

  constructor(services: MirrorServices) {
    this.services = services;
    this.speaker = shortenedText(services.agentId, LONGEST_NAME);
  }

  /** As in `MirrorServices`. */
  get sessionId(): string {
    return this.services.sessionId;
  }

  /** The session begins. Throws the Fault that refuses it. */
  started(capabilities: readonly string[]): void {
    const { agent, agentId } = this.services;
    agent.setIdentity({ agent_id: agentId }, undefined);
    this.publish("session.started", this.summary("relayStarted", { agent: this.speaker, capabilities }));
    this.hasStarted = true;
  }

  /** A call is about to be forwarded. Throws the Fault that refuses the event: such a call must not be forwarded. */
  called(call: HeardCall, isIrreversible: boolean): PublishReceipt {
    const risk = isIrreversible ? { irreversible: true, risk_level: "high" } : {};
    const receipt = this.publish(
      "tool.invoked",
      callMembers(call),
      risk,
      this.summary("relayCall", this.namesOf(call)),
    );
    this.isCalling = true;
    return receipt;
  }

  /** Asks a person whether an irreversible call may be made. Calls `done` once. Throws the Fault that refuses the question. Returns its token. */
  ask(call: HeardCall, done: (isAccepted: boolean) => void): string {
    const names = this.namesOf(call);
    const action = this.summary("relayAction", names);
    const consequence = this.summary("relayConsequence", names);
    this.isCalling = false;
    const { token } = this.services.agent.ask(
      {
        type: "aaep:agent.awaiting.confirmation",
        session_id: this.sessionId,
        ...variants(action, "action"),
        ...variants(consequence, "consequence"),
        localization_hints: consequence.localization_hints,
        risk_level: "high",
        irreversible: true,
        timeout_seconds: this.services.confirmationSeconds,
        default_decision: "reject",
        extra_context: { tool: call.tool, tool_call_id: call.callId },
      },
      ({ result }: ResolvedQuestion) => done(result.resolvedBy === "reply" && result.decision === "accept"),
    );
    return token;
  }

  /** Takes a question back. */
  withdraw(token: string): void {
    this.services.agent.cancel(token);
  }

  /** A provider tells something of a call. */
  progressed(call: HeardCall, { kind, data }: A2eMessage): void {
    const facts = membersOf(data);
    if (kind === "progress" || kind === "status") {
      const progress = progressOf(kind, facts);
      if (progress !== undefined) this.tell("progress.updated", { progress });
    } else if (kind === "artifact" && facts.final === true && typeof facts.name === "string") {
      const name = shortenedText(facts.name, LONGEST_NAME);
      const artifact = this.summary("relayArtifact", { tool: nameOf(call), name });
      const { localization_hints } = artifact;
      this.tell("progress.updated", { progress: variants(artifact, "description"), localization_hints });
    }
  }

  completed(call: HeardCall): void {
    this.tell("tool.completed", callMembers(call), { status: "success" });
  }

  /** `code`: of the error that the agent gets. */
  failed(call: HeardCall, code: string): void {
    const status = code === "timeout" ? "timeout" : "error";
    const failed = this.summary("relayFailed", { tool: nameOf(call), code: shortenedText(code, LONGEST_NAME) });
    this.tell("tool.completed", callMembers(call), { status }, failed);
  }

  /** The agent uses no tool any more, until the next call. */
  rested(): void {
    if (this.hasStarted && this.isCalling) this.tell("state.changed", { from_state: "calling_tool", to_state: "idle" });
    this.isCalling = false;
  }

  /** The session ended in order. */
  ended(): void {
    if (!this.hasStarted) return;
    this.hasStarted = false;
    this.tell("session.completed", this.summary("relayEnded", { agent: this.speaker }));
  }

  /** The connection is gone. A session that has not ended is reported so by the engine (R8). */
  close(): void {
    this.hasStarted = false;
    this.services.agent.close();
  }

  // One `Object.assign`, and no spread of a spread: that takes 20 times as long for an event with its texts in all languages.
  private publish(kind: string, ...parts: readonly Members[]): PublishReceipt {
    const fields = Object.assign({ type: `aaep:agent.${kind}`, session_id: this.sessionId }, ...parts) as Members;
    return this.services.agent.publish([{ fields, isHandedOver: true }], false);
  }

  private tell(kind: string, ...parts: readonly Members[]): void {
    try {
      this.publish(kind, ...parts);
    } catch (caught) {
      this.services.unheard(caught);
    }
  }

  private summary<Key extends MessageKey>(key: Key, parameters: MessageParameters[Key]): LocalizedMessages {
    return localizedMessages(this.services.texts, key, () => parameters);
  }

  private namesOf(call: HeardCall) {
    const details = detailsOf(call.arguments, this.services.shownArguments);
    return { agent: this.speaker, tool: nameOf(call), details };
  }
}

function nameOf({ name }: HeardCall): string {
  return shortenedText(name, LONGEST_NAME);
}

function callMembers({ tool, callId, correlationId }: HeardCall): Members {
  const correlation = correlationId === undefined ? {} : { correlation_id: correlationId };
  return { tool, tool_call_id: callId, ...correlation };
}

/** The normal texts of a message under the name of another member, with their variants by language. */
function variants(summaries: LocalizedMessages, member: string): Members {
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

/** Most arguments in a text, and most UTF-16 units of each value. */
const MOST_DETAILS = 8;
const LONGEST_VALUE = 200;

/**
 * The arguments of a call that a text may show, as in "city: Lagos, days: 3"; undefined if there are none. Objects and lists are not shown, and no
 * value of an argument is in an event unless the configuration names the argument, because arguments hold secrets.
 */
export function detailsOf(given: A2eMessage | undefined, shown: ReadonlySet<string>): string | undefined {
  if (given === undefined || shown.size === 0) return undefined;
  const details: string[] = [];
  for (const name of shown) {
    const value = ownMember(given, name);
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    details.push(`${name}: ${shortenedText(String(value), LONGEST_VALUE)}`);
    if (details.length === MOST_DETAILS) break;
  }
  return details.length === 0 ? undefined : details.join(", ");
}
