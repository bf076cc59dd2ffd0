// R36 on every way to the two handlers, and that the daemon asks its policy once for each connection.
import { describe, expect, it } from "vitest";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { faultFrom } from "../../../src/base/errors.js";
import type { AccessPolicy, Operation, SubscriberOperation } from "../../../src/contracts/access.js";
import type { Audit, AuditEntry } from "../../../src/contracts/audit.js";
import { createJsonCodec } from "../../../src/protocols/aaep/json/json-codec.js";
import { createPlainProtocol } from "../../../src/protocols/aaep/sessions/plain-session.js";
import { accessContract } from "../../contract/access-contract.js";
import { openStream } from "../../support/peers/service-calls.js";
import {
  createSubscriberRig,
  type Document,
  requestOf,
  type SubscriberRig,
} from "../../support/peers/subscriber-calls.js";
import { createAgentServiceRig, type MethodName } from "../../support/rigs/agent-service-rig.js";
import { startRig } from "../../support/rigs/daemon-rig.js";
import { createStreamRig, utf8 } from "../../support/rigs/stream-rig.js";

const CODEC = createJsonCodec(utf8);
const SUBSCRIBER = ["subscribe", "renegotiate", "skip", "list_pending", "repeat", "reply"] as const;
const AGENT = ["publish", "ask", "cancel", "outcome", "declare", "resume"] as const;

const TOKEN = "rpl_nobody01";
const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const QUESTION = {
  type: "aaep:agent.awaiting.confirmation",
  session_id: "sess_none",
  action: "Send it.",
  consequence: "It is sent.",
};
const CLAIM = { session_id: "sess_none", resume_token: "0123456789abcdef0123456789abcdef" };
const MANIFEST = {
  type: "aaep:producer.manifest",
  "@context": "https://aaep-protocol.org/context/v1",
  agent_id: "writer",
};
const REPLY = { reply_token: TOKEN, decision: "accept", timestamp: "2026-05-24T14:00:01Z" };

/** A subscriber's message for each operation, without envelope. */
const MESSAGES: Readonly<Record<Exclude<SubscriberOperation, "subscribe">, Document>> = {
  renegotiate: { type: "subscription.renegotiate", capabilities: {} },
  skip: { type: "aaepd.skip" },
  list_pending: { type: "aaepd.list_pending" },
  repeat: { type: "aaepd.repeat", event_id: "evt_0000000000000000000000000000ffff" },
  reply: { type: "confirmation.reply", ...REPLY },
};

/** The last reply's fate, as the audit log has it. */
function fates(): { readonly recorded: (entry: AuditEntry) => void; readonly last: () => unknown } {
  let last: unknown;
  return {
    recorded: (entry) => {
      if (entry.kind === "reply") last = entry.fate;
    },
    last: () => last,
  };
}

interface Talk {
  readonly say: (message: Document) => void;
  readonly heard: () => readonly Document[];
  readonly settle: () => Promise<void>;
  readonly lastFate: () => unknown;
}

/** Operations of a peer that speaks without an envelope. */
function subscriberOf({ say, heard, settle, lastFate }: Talk): (operation: Operation) => Promise<unknown> {
  let id: unknown;
  const answered = async (message: Document): Promise<Document | undefined> => {
    const count = heard().length;
    say(message);
    await settle();
    return heard()[count];
  };
  const subscribe = async (): Promise<unknown> => {
    const answer = await answered(requestOf({ supports_confirmation_reply: true }));
    id = answer?.subscription_id;
    return answer?.reason_code;
  };
  return async (operation) => {
    if (operation === "subscribe") return subscribe();
    if (id === undefined) await subscribe();
    const answer = await answered({ ...MESSAGES[operation as keyof typeof MESSAGES], subscription_id: id });
    return operation === "reply" ? lastFate() : answer?.code;
  };
}

accessContract({
  name: "messages without an envelope",
  operations: SUBSCRIBER,
  open: (access) => {
    const { recorded, last } = fates();
    const rig = createStreamRig({ access, recorded });
    const stream = openStream<Uint8Array>(
      (connection) => rig.serve(connection, CODEC, createPlainProtocol(rig.services), undefined),
      undefined,
    );
    return subscriberOf({
      say: (message) => stream.send(CODEC.encode(message)),
      heard: () => stream.received.map((frame) => CODEC.decode(frame) as Document),
      settle: rig.settle,
      lastFate: last,
    });
  },
});

/** The call beside Listen for each operation, and the field of its message. */
const KEYED = {
  renegotiate: [SubscriberService.method.renegotiate, "renegotiate"],
  skip: [SubscriberService.method.skip, "skip"],
  list_pending: [SubscriberService.method.listPending, "list_pending"],
  repeat: [SubscriberService.method.repeat, "repeat"],
  reply: [SubscriberService.method.reply, "confirmation_reply"],
} as const;

async function listening(rig: SubscriberRig): Promise<Document | undefined> {
  const stream = rig.listen({ request: requestOf({ supports_confirmation_reply: true }) });
  await rig.settle();
  return stream.heard()[0];
}

accessContract({
  name: "SubscriberService.Listen, and the calls beside it",
  operations: SUBSCRIBER,
  open: (access) => {
    const { recorded, last } = fates();
    const rig = createSubscriberRig({ access, recorded });
    return async (operation) => {
      const accepted = await listening(rig);
      if (operation === "subscribe") return accepted?.reason_code;
      const { subscription_id, honored_capabilities: honored } = accepted ?? {};
      const { key } = (honored as { readonly aaepd: { readonly key: string } }).aaepd;
      const [method, field] = KEYED[operation as keyof typeof KEYED];
      const { type: _, ...message } = MESSAGES[operation as keyof typeof MESSAGES];
      const answer = await rig.call(method, { key, [field]: { ...message, subscription_id } });
      return operation === "reply" ? last() : (answer.fault as { readonly code: string } | undefined)?.code;
    };
  },
});

/** Single calls of an agent for each operation. */
const CALLS: Readonly<Record<(typeof AGENT)[number], readonly [MethodName, Document]>> = {
  publish: ["publishBatch", { publish: { events: [STARTED] } }],
  ask: ["confirm", { event: QUESTION }],
  cancel: ["cancel", { reply_token: TOKEN }],
  outcome: ["getOutcome", { reply_token: TOKEN }],
  declare: ["setManifest", { manifest: MANIFEST }],
  resume: ["resumeSession", { session: CLAIM }],
};

accessContract({
  name: "AgentService, single calls",
  operations: AGENT,
  open: (access) => {
    const { call } = createAgentServiceRig({ access });
    return async (operation) => {
      const [name, request] = CALLS[operation as keyof typeof CALLS];
      return call(name, request).then(
        () => "done",
        (caught: unknown) => faultFrom(caught).code,
      );
    };
  },
});

accessContract({
  name: "AgentService.Publish",
  operations: ["publish", "ask", "declare", "resume"],
  open: (access) => {
    const rig = createAgentServiceRig({ access });
    const requests: Readonly<Partial<Record<Operation, Document>>> = {
      publish: { publish: { events: [STARTED] } },
      ask: { publish: { events: [QUESTION] } },
      declare: { manifest: MANIFEST },
      resume: { resume: CLAIM },
    };
    return async (operation) => {
      const stream = rig.stream();
      stream.send(requests[operation] ?? {});
      await rig.settle();
      const [answer] = stream.heard();
      return (answer?.error as { readonly code: string } | undefined)?.code;
    };
  },
});

/** Operations of AAEP. */
type AaepOperation = Exclude<Operation, "provide">;

const METHODS: Readonly<Record<AaepOperation, readonly [method: string, params: Document]>> = {
  publish: ["aaep.publish", STARTED],
  ask: ["aaep.confirm", QUESTION],
  cancel: ["aaep.cancel", { reply_token: TOKEN }],
  outcome: ["aaep.outcome_of", { reply_token: TOKEN }],
  declare: ["aaep.set_manifest", MANIFEST],
  resume: ["aaep.resume_session", CLAIM],
  subscribe: ["aaep.subscribe", requestOf({ supports_confirmation_reply: true })],
  renegotiate: ["aaep.renegotiate", MESSAGES.renegotiate],
  skip: ["aaep.skip", {}],
  list_pending: ["aaep.list_pending", {}],
  repeat: ["aaep.repeat", { event_id: MESSAGES.repeat.event_id }],
  reply: ["aaep.reply", MESSAGES.reply],
  observe: ["aaepd.status", {}],
};

const isSubscribers = (operation: Operation): boolean => (SUBSCRIBER as readonly string[]).includes(operation);

accessContract({
  name: "JSON-RPC",
  operations: [...AGENT, ...SUBSCRIBER, "observe"],
  open: (access) => {
    const { recorded, last } = fates();
    const auditLog: Audit = {
      isOn: true,
      record: (entry, note) => {
        recorded(entry);
        note?.settled?.();
      },
    };
    const rig = startRig({ clock: "hands", accessPolicy: access, auditLog });
    return async (operation) => {
      const peer = await (await rig).rpc("memory");
      const [, request] = METHODS.subscribe;
      const first = isSubscribers(operation) ? await peer.request("aaep.subscribe", request) : undefined;
      if (operation === "subscribe") return first?.reason_code;
      const [method, params] = METHODS[operation as AaepOperation];
      const asked = first === undefined ? params : { ...params, subscription_id: first.subscription_id };
      return peer.request(method, asked).then(
        () => (operation === "reply" ? last() : "done"),
        (caught: { readonly error?: { readonly data: { readonly code: string } } }) => caught.error?.data.code,
      );
    };
  },
});

describe("R36: a daemon", () => {
  it("asks its policy once for each connection, with who is at its other end", async () => {
    const asked: string[] = [];
    const accessPolicy: AccessPolicy = {
      of: ({ trust }) => {
        asked.push(trust);
        return { may: () => true };
      },
    };
    const rig = await startRig({ clock: "hands", accessPolicy });
    const [agent, listener] = [await rig.rpc("memory"), await rig.plain()];
    await agent.publish(STARTED);
    await agent.request("aaepd.status", {});
    await listener.subscribe(requestOf());
    await listener.listPending();
    expect(asked.sort()).toEqual(["in-process", "same-user"]);
  });

  it("sends questions to nobody whose replies would not count (R6)", async () => {
    const accessPolicy: AccessPolicy = { of: () => ({ may: (operation) => operation !== "reply" }) };
    const rig = await startRig({ clock: "hands", accessPolicy });
    const listener = await rig.plain();
    const accepted = await listener.subscribe(requestOf({ supports_confirmation_reply: true }));
    expect(accepted).toMatchObject({ honored_capabilities: { supports_confirmation_reply: false } });
  });
});
