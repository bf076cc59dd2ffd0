// An agent opened on a real daemon, and a listener beside it that notes what it hears.
import { expect, onTestFinished } from "vitest";
import type { Capabilities, Envelope } from "#gen/aaep/types.js";
import type { AgentTrouble, OpenAgentOptions } from "../../../src/client/agent/agent-options.js";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import type { Agent, AgentStatus } from "../../../src/client/agent/session-types.js";
import { Subscriber } from "../../../src/client/listener/subscriber.js";
import type { SubscriberReply } from "../../../src/client/listener/types.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import { eventually } from "../../cli/command-stage.js";

/** Of searches that find a daemon, on a machine of any speed, ms. */
export const PATIENT_MS = 600_000;

export interface OpenedAgent {
  readonly agent: Agent;
  readonly troubles: AgentTrouble[];
  readonly statuses: AgentStatus[];
}

export async function openedAt(
  socketPath: string | undefined,
  options: Partial<OpenAgentOptions> = {},
): Promise<OpenedAgent> {
  const troubles: AgentTrouble[] = [];
  const statuses: AgentStatus[] = [];
  const agent = await openAgent({
    id: "sorter",
    name: "Sorter",
    connectors: socketPath === undefined ? [] : [{ connect: ipcRpcConnector(socketPath) }],
    backOff: { firstMs: 10, longestMs: 50 },
    searchMs: PATIENT_MS,
    onError: (trouble) => troubles.push(trouble),
    onStatus: (status) => statuses.push(status),
    ...options,
  });
  onTestFinished(() => agent.close(0));
  return { agent, troubles, statuses };
}

export interface Heard {
  /** One line an event: the type without its beginning, and what it says. */
  readonly lines: string[];
  readonly events: Envelope[];
  /** The text of all outputs, in their order. */
  readonly text: () => string;
  readonly subscriber: Subscriber;
  /** How the place of each connection was met (R17), "new" for the first. */
  readonly resumed: string[];
}

export interface ListenOptions {
  readonly name?: string;
  /** Further terms. Default: every piece of text as it comes. */
  readonly capabilities?: Capabilities;
  /** Answers questions. Without it the listener cannot be asked. */
  readonly answer?: ((event: Envelope) => SubscriberReply | undefined) | undefined;
}

export async function listenAt(
  socketPath: string,
  { answer, name = "listener", capabilities = { coalesce_boundaries: ["none"] } }: ListenOptions = {},
): Promise<Heard> {
  const lines: string[] = [];
  const events: Envelope[] = [];
  let text = "";
  const resumed: string[] = [];
  const subscriber = new Subscriber({
    connect: ipcConnector(socketPath),
    request: {
      subscriber_id: name,
      capabilities: {
        ...capabilities,
        supports_confirmation_reply: answer !== undefined,
        supports_clarification_reply: answer !== undefined,
      },
    },
    backOff: { firstMs: 10, longestMs: 50 },
    onState: (state) => {
      if (state.kind === "active") resumed.push(state.accepted.honored_capabilities.aaepd?.resumed ?? "new");
    },
    onEvent: (received) => {
      const event = received as Envelope;
      events.push(event);
      lines.push(lineOf(event));
      if (typeof event.chunk === "string") text += event.chunk;
      if (typeof event.reply_token !== "string") return;
      const reply = answer?.(event);
      if (reply !== undefined) subscriber.reply(reply);
    },
  });
  onTestFinished(() => subscriber.close());
  await eventually(() => expect(resumed).toHaveLength(1));
  return { lines, events, resumed, text: () => text, subscriber };
}

/** A listener of its own asks the agent to stop a session (R39). */
export async function stopAt(socketPath: string, session_id: unknown): Promise<void> {
  const connection = await ipcConnector(socketPath)();
  onTestFinished(() => connection.close());
  const say = (message: object) => void connection.send(Buffer.from(JSON.stringify(message)));
  const capabilities = { supports_confirmation_reply: true };
  say({ type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "stopper", capabilities });
  say({ type: "aaepd.stop", session_id });
}

function lineOf(event: Envelope): string {
  const said = [event.to_state, event.tool, event.status, event.chunk, event.summary_normal, event.action];
  return [event.type.replace("aaep:agent.", ""), ...said.filter((one) => typeof one === "string")].join(" | ");
}

export function accepts({ reply_token }: Envelope): SubscriberReply {
  return { reply_token: String(reply_token), decision: "accept" };
}

export function rejects({ reply_token }: Envelope): SubscriberReply {
  return { reply_token: String(reply_token), decision: "reject" };
}
