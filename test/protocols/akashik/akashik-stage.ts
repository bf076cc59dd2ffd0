// Akashik over a Field with a virtual clock: peers whose messages the test writes itself.
import type { AccessPolicy } from "../../../src/contracts/access.js";
import type { PeerIdentity } from "../../../src/contracts/transport.js";
import { createAkashikProtocol } from "../../../src/protocols/akashik/agent/agent-session.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { createFieldStage, type FieldStageOptions } from "./field/field-stage.js";
import { checked, isPush, type Message } from "./wire-check.js";

export type Document = Readonly<Record<string, unknown>>;

export interface AkashikStageOptions extends FieldStageOptions {
  readonly access?: AccessPolicy;
  readonly whenDurable?: () => Promise<void> | undefined;
  readonly assertKeeps?: () => void;
}

const SAME_USER: PeerIdentity = { label: "test", trust: "same-user" };

export function createAkashikStage({ access, whenDurable, assertKeeps, ...options }: AkashikStageOptions = {}) {
  const stage = createFieldStage(options);
  const errors: unknown[] = [];
  const refused: string[] = [];
  let ids = 0;
  const protocol = createAkashikProtocol({
    engine: { refused: (reason) => void refused.push(reason) },
    field: stage.field(),
    access: access ?? SAME_USER_MAY_ALL,
    clock: stage.clock,
    log: { error: (...line: unknown[]) => void errors.push(line) },
    newId: () => {
      ids += 1;
      return `push-${ids}`;
    },
    whenDurable: whenDurable ?? (() => undefined),
    assertKeeps: assertKeeps ?? (() => {}),
    persistence: "memory",
  });

  /** Lets everything happen that needs no time. */
  const quiet = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      stage.clock.settle();
    }
  };

  const connect = () => {
    const received: Message[] = [];
    let isFull = false;
    let isClosed = false;
    let isGone = false;
    const send = (text: string): boolean => {
      received.push(checked(text));
      return true;
    };
    const session = protocol.open(SAME_USER, {
      send,
      offer: (text) => !isFull && send(text),
      isGone: () => isGone,
      close: () => {
        isClosed = true;
      },
    });
    let serial = 0;
    const say = (message: unknown): void => session.receive(message, JSON.stringify(message));
    return {
      session,
      /** Everything that the peer was sent. */
      received,
      say,
      sayText: (text: string): void => session.receive(JSON.parse(text), text),
      quiet,
      /** Sends an operation, and resolves with the answer. */
      ask: async (operation: string, payload: unknown, more: Document = {}): Promise<Message> => {
        serial += 1;
        const id = `m${serial}`;
        say(envelope(operation, payload, { id, ...more }));
        await quiet();
        const answer = received.find((message) => message.id === id);
        if (answer === undefined) throw new Error(`no answer to ${operation}`);
        return answer;
      },
      payloads: (operation: string) =>
        received.filter((message) => message.operation === operation).map(({ payload }) => payload),
      /** The notifications that the peer was sent. */
      pushed: () => received.filter(isPush).map(({ payload }) => payload),
      /** While true, only answers are taken. */
      setFull: (full: boolean) => {
        isFull = full;
      },
      isClosed: () => isClosed,
      /** From now on nobody reads the answers. */
      vanish: () => {
        isGone = true;
      },
    };
  };

  const agent = async (id: string, role = "worker", interests: readonly string[] = []) => {
    const peer = connect();
    const answer = await peer.ask("REGISTER", { id, role, interests });
    return { ...peer, answer };
  };

  return { ...stage, errors, refused, connect, agent, quiet };
}

export type AkashikPeer = ReturnType<ReturnType<typeof createAkashikStage>["connect"]>;

export function envelope(operation: string, payload: unknown, more: Document = {}): Document {
  return { protocol: "akashik", version: "0.1.0", id: "m", operation, session_id: null, epoch: 0, payload, ...more };
}

/** A payload of SUBSCRIBE. */
export function subscribe(events: readonly string[], more: Document = {}): Document {
  return { action: "subscribe", subscription: { events, ...more } };
}

/** The code of an answer that is an error. */
export function codeOf({ payload }: Message): unknown {
  return (payload.error as Document | undefined)?.code;
}

export const RECORD = {
  mode: "committed",
  type: "finding",
  content: "The prices rose.",
  intent: { purpose: "To watch the market." },
  confidence: { score: 0.9, reasoning: "Three shops." },
};
