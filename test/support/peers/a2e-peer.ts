// A peer that speaks A2E over a real connection: an agent, or a provider that registers.
import { randomUUID } from "node:crypto";
import type { Connection } from "../../../src/contracts/transport.js";
import { createMessageQueue, type MessageQueue } from "./message-queue.js";
import { rawPeer } from "./peers.js";

export type A2eDocument = Readonly<Record<string, unknown>>;

export interface A2eWirePeer {
  readonly connection: Connection<Uint8Array>;
  /** Everything that came, but for the answers that `ask` waited for. */
  readonly messages: MessageQueue<A2eDocument>;
  /** Sends a message with the base of A2E, and returns its id. */
  readonly say: (type: string, fields?: A2eDocument) => string;
  readonly sayText: (text: string) => void;
  /** Sends a request, and resolves with the message that answers it: any with its `req_id` but for events. */
  readonly ask: (type: string, fields?: A2eDocument) => Promise<A2eDocument>;
  /** Events, as they came. */
  readonly events: MessageQueue<A2eDocument>;
  readonly close: () => Promise<void>;
  /** Resolves when the connection is over. */
  readonly closed: Promise<unknown>;
}

export function a2ePeer(connection: Connection<Uint8Array>, label = "A2E peer"): A2eWirePeer {
  const messages = createMessageQueue<A2eDocument>(`${label}'s messages`);
  const events = createMessageQueue<A2eDocument>(`${label}'s events`);
  const asked = new Map<unknown, (answer: A2eDocument) => void>();
  const take = (message: A2eDocument): void => {
    const answer = asked.get(message.req_id);
    if (message.type === "invoke/event" || message.type === "tool/event") events.push(message);
    else if (answer === undefined) messages.push(message);
    else {
      asked.delete(message.req_id);
      answer(message);
    }
  };
  const { closed, sendText: sayText } = rawPeer(
    connection,
    (frame) => take(JSON.parse(Buffer.from(frame).toString()) as A2eDocument),
    () => {
      for (const queue of [messages, events]) queue.end();
    },
  );
  const say = (type: string, fields: A2eDocument = {}): string => {
    const id = randomUUID().replaceAll("-", "");
    sayText(JSON.stringify({ a2e: "1.0", type, id, ts: Date.now() / 1000, ...fields }));
    return String(fields.id ?? id);
  };
  return {
    connection,
    messages,
    events,
    say,
    sayText,
    ask: (type, fields) =>
      new Promise((resolve) => {
        const id = randomUUID().replaceAll("-", "");
        asked.set(id, resolve);
        say(type, { id, ...fields });
      }),
    close: () => connection.close(),
    closed,
  };
}

/** An agent whose handshake was good. */
export async function a2eAgent(
  connection: Connection<Uint8Array>,
  capabilities: readonly string[] = ["tools"],
  fields: A2eDocument = {},
): Promise<A2eWirePeer & { readonly handshake: A2eDocument }> {
  const peer = a2ePeer(connection, "the agent");
  const handshake = await peer.ask("handshake/req", {
    agent_id: "my-agent",
    agent_caps: capabilities,
    auth_token: "dev-secret",
    ...fields,
  });
  return { ...peer, handshake };
}

/** A provider that has registered. */
export async function a2eProvider(
  connection: Connection<Uint8Array>,
  capabilities: readonly string[] = ["tools"],
  fields: A2eDocument = {},
): Promise<A2eWirePeer> {
  const peer = a2ePeer(connection, "the provider");
  await peer.ask("aaepd.a2e.register", { capabilities, ...fields });
  return peer;
}
