// One daemon, many transports: asked over one and answered over another, and what goes in over one comes out of each as the same document.
import { describe, expect, it } from "vitest";
import { isTried } from "../support/extent.js";
import { GRPC, HTTP1, HTTP2, type ServiceWay, WEB } from "../support/lanes.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { rpcAgent, subscribed, type WorldAgent, type WorldListener } from "./parties.js";
import { richSession } from "./rich-session.js";
import { serviceParties } from "./service-parties.js";

type Way = Omit<ServiceWay, "listener" | "agent">;

const HTTP2_JSON: Way = { ...HTTP2, codec: "json" };

const speaker = (way: Way, agent: "stream" | "calls") => (rig: DaemonRig) =>
  serviceParties(rig, { ...way, agent, listener: "listen" }).agent("agent");
const listener = (way: Way, kind: ServiceWay["listener"]) => (rig: DaemonRig) =>
  serviceParties(rig, { ...way, agent: "calls", listener: kind }).subscriber(kind);

const AGENTS: Readonly<Record<string, (rig: DaemonRig) => Promise<WorldAgent>>> = {
  "JSON-RPC in lines": async (rig) => rpcAgent(await rig.rpc("newline")),
  "JSON-RPC in headers": async (rig) => rpcAgent(await rig.rpc("content-length")),
  "gRPC Publish": speaker(GRPC, "stream"),
  "gRPC calls": speaker(GRPC, "calls"),
  "Connect over HTTP/1.1": speaker(HTTP1, "calls"),
  "Connect Publish in JSON": speaker(HTTP2_JSON, "stream"),
};

const LISTENERS: Readonly<Record<string, (rig: DaemonRig) => Promise<WorldListener>>> = {
  "the local socket": async (rig) => subscribed(await rig.plain()),
  "JSON-RPC": async (rig) => subscribed((await rig.rpc()).subscription()),
  "gRPC Subscribe": listener(GRPC, "subscribe"),
  "gRPC Listen and Reply": listener(GRPC, "listen"),
  "Connect over HTTP/1.1": listener(HTTP1, "listen"),
  "gRPC AaepService": listener(GRPC, "aaep"),
  "Connect Subscribe in JSON": listener(HTTP2_JSON, "subscribe"),
  "gRPC-Web": listener(WEB, "listen"),
  "the client over HTTP": listener({ ...HTTP1, codec: "json" }, "client"),
};

const CAPABLE = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  event_filters: { include: ["aaep:agent.awaiting.*"] },
};

function startServices(): Promise<DaemonRig> {
  return startRig({ clock: "hands", services: { grpc: "unix", http: "unix" } });
}

/** What became of the last one comes in between (R31). */
async function nextQuestion({ events }: Pick<WorldListener, "events">): Promise<Message> {
  for (;;) {
    const event = await events.next("a question");
    if (String(event.type).startsWith("aaep:agent.awaiting.")) return event;
  }
}

const answerers = Object.keys(LISTENERS);
const PAIRS = Object.keys(AGENTS).flatMap((asking, row) =>
  answerers
    .filter((_, column) => isTried(row, column, answerers.length, 1))
    .map((answering) => [asking, answering] as const),
);

describe("asked on one transport, answered on another", () => {
  it.each(PAIRS)("%s asks, %s answers", async (asking, answering) => {
    const rig = await startServices();
    const person = await LISTENERS[answering]?.(rig);
    const agent = await AGENTS[asking]?.(rig);
    if (person === undefined || agent === undefined) throw new Error("no such transport");
    const witness = await rig.plain();
    for (const [who, name] of [[person, "person"] as const, [witness, "witness"] as const]) {
      const answer = await who.subscribe(requestOf(CAPABLE, { subscriber_id: name }));
      expect(answer).toMatchObject({ type: "subscription.accepted" });
    }
    const session_id = nextSession();
    const { resume_token } = await agent.publish({
      type: "aaep:agent.session.started",
      session_id,
      summary_normal: "Begins.",
    });

    // JSON-RPC knows its agent by the connection.
    const session = asking?.startsWith("JSON-RPC") ? { session_id } : { session_id, resume_token };
    const confirming = agent.request("aaep.confirm", {
      ...session,
      action: "Delete it.",
      consequence: "It is gone.",
    });
    const asked = await Promise.race([nextQuestion(person), confirming]);
    expect(asked).toMatchObject({
      type: "aaep:agent.awaiting.confirmation",
      action: "Delete it.",
      urgency: "critical",
    });
    expect(await nextQuestion(witness)).toEqual(asked);
    expect(await person.listPending()).toEqual([asked]);
    await person.reply({
      type: "confirmation.reply",
      reply_token: asked.reply_token,
      decision: "accept",
      timestamp: asked.timestamp,
      decided_by: "maria",
    });
    expect(await confirming).toMatchObject({
      event_id: asked.event_id,
      reply_token: asked.reply_token,
      decision: "accept",
      resolved_by: "reply",
      decided_by: "maria",
    });
    // One table of questions for all transports.
    expect([await person.listPending(), await witness.listPending()]).toEqual([[], []]);
    const found = await agent.request("aaep.outcome_of", { reply_token: asked.reply_token, resume_token });
    expect(found).toMatchObject({ state: "resolved", decision: "accept", resolved_by: "reply" });

    const clarifying = agent.request("aaep.clarify", {
      ...session,
      question: "How much?",
      accepted_response_kinds: ["numeric"],
    });
    const question = await Promise.race([nextQuestion(person), clarifying]);
    expect(question).toMatchObject({ question: "How much?", accepted_response_kinds: ["numeric"] });
    await person.reply({
      type: "clarification.reply",
      reply_token: question.reply_token,
      response: 42.5,
      timestamp: question.timestamp,
      confidence: 0.75,
    });
    expect(await clarifying).toMatchObject({ response: 42.5, resolved_by: "reply", confidence: 0.75 });

    const third = agent.request("aaep.confirm", {
      ...session,
      reply_token: "rpl_back",
      action: "A.",
      consequence: "B.",
    });
    await Promise.race([nextQuestion(person), third]);
    expect(await agent.request("aaep.cancel", { reply_token: "rpl_back", resume_token })).toEqual({ cancelled: true });
    const withdrawn = await third;
    expect(withdrawn).toMatchObject({ resolved_by: "cancelled" });
    expect(withdrawn).not.toHaveProperty("decision");
    expect(await person.listPending()).toEqual([]);
  });
});

describe("one session, each way in, each way out", () => {
  it("reaches every subscriber as the same documents, whatever its agent speaks", async () => {
    const rig = await startServices();
    const listeners = new Map<string, WorldListener>();
    for (const [name, open] of Object.entries(LISTENERS)) {
      const one = await open(rig);
      const capabilities = {
        coalesce_boundaries: ["none"],
        languages: ["yo"],
        supports_confirmation_reply: true,
        supports_clarification_reply: true,
        supported_extensions: ["https://example.org/v1"],
      };
      await one.subscribe(requestOf(capabilities, { subscriber_id: name.replaceAll(/\W/g, "") }));
      listeners.set(name, one);
    }
    const heard: Message[][] = [];
    for (const [index, open] of Object.values(AGENTS).entries()) {
      const agent = await open(rig);
      const published = richSession(`x${index}x`);
      await agent.publish(...published);
      const perListener: Message[][] = [];
      for (const one of listeners.values()) {
        const events: Message[] = [];
        while (events.at(-1)?.type !== published.at(-1)?.type) events.push(await one.events.next("the session"));
        perListener.push(events);
      }
      const [first = [], ...others] = perListener;
      for (const other of others) expect(other).toEqual(first);
      heard.push(JSON.parse(JSON.stringify(first).replaceAll(`x${index}x`, "N")) as Message[]);
    }
    const [first = [], ...others] = heard;
    for (const other of others) expect(withoutMadeIds(other)).toEqual(withoutMadeIds(first));

    // And it is what was published, in the language that was asked for.
    const byId = new Map(first.map((event) => [event.event_id, event]));
    for (const event of richSession("N")) {
      const { summary_normal: _, summary_normal_yo: yoruba, localization_hints: hints, ...fields } = event;
      const arrived = byId.get(event.event_id);
      expect(arrived).toMatchObject({ ...fields, ...(yoruba === undefined ? {} : { summary_normal: yoruba }) });
      expect(arrived).not.toHaveProperty("summary_normal_yo");
      if (hints === undefined) continue;
      expect(arrived).toMatchObject({
        localization_hints: { primary_language: "yo", available_languages: ["en", "yo"] },
      });
    }
  });
});

/** Events of the daemon's own have ids of their own (R12). */
function withoutMadeIds(events: readonly Message[]): readonly Message[] {
  return events.map((event) => (String(event.event_id).startsWith("evt_N") ? event : { ...event, event_id: "made" }));
}
