// An agent of the Field over one connection: it registers, subscribes, and hands on what it is told.
import type {
  AkashikAnswer,
  AkashikError,
  AkashikListAnswer,
  AkashikNotification,
  AkashikRegisterAnswer,
  AkashikSubscription,
} from "#gen/akashik/types.js";
import { Fault, faultFrom } from "../../base/errors.js";
import type { Connection } from "../../contracts/transport.js";

interface FieldMembershipOptions {
  readonly connect: () => Promise<Connection<Uint8Array>>;
  readonly agentId: string;
  readonly interests: readonly string[];
  /** 0 to 1. */
  readonly minRelevance: number;
  /** ms; 0: no window. */
  readonly debounceMs: number;
  readonly newId: () => string;
  readonly subscribed: () => void;
  readonly notified: (notification: AkashikNotification) => Promise<void>;
}

/** "refused": the Field does not take this agent or its subscription. */
type MembershipEnd =
  | { readonly kind: "left" }
  | { readonly kind: "refused"; readonly sentence: string }
  | { readonly kind: "fault"; readonly fault: Fault };

export type FieldMembership = ReturnType<typeof joinField>;

type Payload = Readonly<Record<string, unknown>>;

/** Every event of the Field. */
const FIELD_EVENTS: AkashikSubscription["events"] = [
  "memory.recorded",
  "memory.superseded",
  "memory.contested",
  "conflict.detected",
  "conflict.resolved",
  "task.state_changed",
  "task.assigned",
  "task.completed",
  "handoff.incoming",
  "agent.joined",
  "agent.failed",
  "session.paused",
  "session.ended",
];

export function joinField(options: FieldMembershipOptions) {
  const { agentId, newId, minRelevance, debounceMs } = options;
  const asked = new Map<
    string,
    { readonly resolve: (payload: Payload) => void; readonly reject: (caught: unknown) => void }
  >();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let connection: Connection<Uint8Array> | undefined;
  let isLeaving = false;
  let epoch = 0;

  function ask(operation: string, payload: object): Promise<Payload> {
    const id = newId();
    const envelope = {
      protocol: "akashik",
      version: "0.1.0",
      id,
      operation,
      agent_id: agentId,
      session_id: null,
      epoch,
    };
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject });
      connection?.send(encoder.encode(JSON.stringify({ ...envelope, payload })));
    });
  }

  async function take(frame: Uint8Array): Promise<void> {
    const message = JSON.parse(decoder.decode(frame)) as Pick<AkashikAnswer, "id" | "epoch"> & {
      readonly payload: Payload;
    };
    epoch = Math.max(epoch, message.epoch);
    const waiting = asked.get(message.id ?? "");
    asked.delete(message.id ?? "");
    if (message.payload.status === "error") {
      const { error } = message.payload as unknown as AkashikError;
      const refusal = new Refusal(`${error.message} ${error.suggested_action} (${error.code})`);
      if (waiting === undefined) throw refusal;
      waiting.reject(refusal);
    } else if (waiting !== undefined) waiting.resolve(message.payload);
    else await options.notified(message.payload as unknown as AkashikNotification);
  }

  /** A subscription of an earlier run goes on if its terms are the same, because notifications wait for it. */
  async function subscribe(): Promise<void> {
    const registration = { id: agentId, role: "observer", interests: options.interests, required_operations: [] };
    const answer = (await ask("REGISTER", registration)) as unknown as AkashikRegisterAnswer;
    if (answer.status === "rejected")
      throw new Refusal(answer.rejection_reason ?? "The Field refuses the agent, and gives no reason.");
    const { subscriptions } = (await ask("SUBSCRIBE", { action: "list" })) as unknown as AkashikListAnswer;
    const terms = { events: FIELD_EVENTS, min_relevance: minRelevance, debounce_ms: debounceMs };
    let isSubscribed = false;
    for (const known of subscriptions) {
      if (!isSubscribed && isEqual(known, terms)) isSubscribed = true;
      else await ask("SUBSCRIBE", { action: "unsubscribe", subscription: { id: known.id } });
    }
    if (!isSubscribed) await ask("SUBSCRIBE", { action: "subscribe", subscription: terms });
    options.subscribed();
  }

  async function run(): Promise<MembershipEnd> {
    let end: MembershipEnd | undefined;
    const fail = (caught: unknown): void => {
      end ??=
        caught instanceof Refusal
          ? { kind: "refused", sentence: caught.message }
          : { kind: "fault", fault: faultFrom(caught) };
      void connection?.close();
    };
    try {
      connection = await options.connect();
      if (isLeaving) await connection.close();
      else subscribe().catch(fail);
      for await (const frames of connection.frames) for (const frame of frames) await take(frame);
    } catch (caught) {
      fail(caught);
    }
    const gone = new Fault("peer_gone", "The daemon has closed the connection.", { origin: "local" });
    for (const { reject } of asked.values()) reject(gone);
    await connection?.close();
    return isLeaving ? { kind: "left" } : (end ?? { kind: "fault", fault: gone });
  }

  const ended = run();
  return {
    /** Never rejects, unless `notified` does. */
    ended,
    /** Closes the connection. `isForGood`: the Field forgets the agent first. */
    leave: async (isForGood: boolean): Promise<void> => {
      isLeaving = true;
      // The answer may be the end of the connection.
      if (isForGood && connection !== undefined) await ask("DEREGISTER", { agent_id: agentId }).catch(() => {});
      await connection?.close();
      await ended;
    },
  };
}

/** The Field's answer to a request is an error. */
class Refusal extends Error {}

function isEqual(
  known: AkashikSubscription,
  terms: { readonly events: readonly string[]; readonly min_relevance: number; readonly debounce_ms: number },
): boolean {
  const isOfSameEvents = known.events.join() === terms.events.join();
  return (
    isOfSameEvents &&
    (known.min_relevance ?? 0) === terms.min_relevance &&
    (known.debounce_ms ?? 0) === terms.debounce_ms
  );
}
