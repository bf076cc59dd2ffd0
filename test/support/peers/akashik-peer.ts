// An agent that speaks Akashik over a real connection.
import { randomUUID } from "node:crypto";
import type { Connection } from "../../../src/contracts/transport.js";
import { createMessageQueue, type MessageQueue } from "./message-queue.js";
import { rawPeer } from "./peers.js";

export type AkashikDocument = Readonly<Record<string, unknown>>;

export interface AkashikPeer {
  /** The payloads that were pushed. */
  readonly notifications: MessageQueue<AkashikDocument>;
  /** Everything that answers nothing that was asked. */
  readonly others: MessageQueue<AkashikDocument>;
  readonly sayText: (text: string) => void;
  /** Sends an operation, and resolves with the whole answer. */
  readonly askWhole: (operation: string, payload: unknown) => Promise<AkashikDocument>;
  /** As `askWhole`, and resolves with the payload. */
  readonly ask: (operation: string, payload: unknown) => Promise<AkashikDocument>;
  readonly close: () => Promise<void>;
  readonly closed: Promise<unknown>;
}

export function akashikPeer(connection: Connection<Uint8Array>, label = "Akashik agent"): AkashikPeer {
  const notifications = createMessageQueue<AkashikDocument>(`${label}'s notifications`);
  const others = createMessageQueue<AkashikDocument>(`${label}'s messages`);
  const asked = new Map<unknown, (answer: AkashikDocument) => void>();
  let epoch = 0;
  const take = (message: AkashikDocument): void => {
    epoch = Math.max(epoch, Number(message.epoch));
    const answer = asked.get(message.id);
    asked.delete(message.id);
    const payload = message.payload as AkashikDocument;
    if (answer !== undefined) answer(message);
    else if (message.operation === "SUBSCRIBE" && "event" in payload) notifications.push(payload);
    else others.push(message);
  };
  const { closed, sendText: sayText } = rawPeer(
    connection,
    (frame) => take(JSON.parse(Buffer.from(frame).toString()) as AkashikDocument),
    () => {
      for (const queue of [notifications, others]) queue.end();
    },
  );
  const askWhole: AkashikPeer["askWhole"] = (operation, payload) =>
    new Promise((resolve) => {
      const id = randomUUID();
      asked.set(id, resolve);
      sayText(
        JSON.stringify({ protocol: "akashik", version: "0.1.0", id, operation, session_id: null, epoch, payload }),
      );
    });
  return {
    notifications,
    others,
    sayText,
    askWhole,
    ask: async (operation, payload) => (await askWhole(operation, payload)).payload as AkashikDocument,
    close: () => connection.close(),
    closed,
  };
}

/** An agent that has registered. */
export async function akashikAgent(
  connection: Connection<Uint8Array>,
  id: string,
  role = "worker",
  interests: readonly string[] = [],
): Promise<AkashikPeer> {
  const peer = akashikPeer(connection, id);
  const { status } = await peer.ask("REGISTER", { id, role, interests });
  if (status !== "registered") throw new Error(`${id} could not register`);
  return peer;
}

/** A memory unit to be recorded. */
export const unit = (content: string, more: AkashikDocument = {}): AkashikDocument => ({
  mode: "committed",
  type: "finding",
  content,
  intent: { purpose: "To watch the market." },
  confidence: { score: 0.9, reasoning: "Three shops." },
  ...more,
});
