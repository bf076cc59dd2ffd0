// Names that every object has, and values that refuse to become a text, at each place of each message that a peer may send. Any answer is right but
// an error of the daemon itself: the rig fails a test in whose log one stands.
import { describe, expect, it } from "vitest";
import { fullDocument, hostileTexts } from "../support/hostile-documents.js";
import { a2eAgent, a2eProvider } from "../support/peers/a2e-peer.js";
import { akashikAgent } from "../support/peers/akashik-peer.js";
import type { MessageQueue } from "../support/peers/message-queue.js";
import { type RpcPeer, RpcRefusal } from "../support/peers/peers.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { flatSchemas } from "../support/schema-values.js";

type Message = Readonly<Record<string, unknown>>;

const SCHEMAS = { aaep: flatSchemas(), a2e: flatSchemas("a2e"), akashik: flatSchemas("akashik") };
const EVENTS = [...SCHEMAS.aaep.keys()].filter((title) => title.endsWith("Event"));
const STARTED = { type: "aaep:agent.session.started", summary_normal: "Begins." };
const COMPLETED = { type: "aaep:agent.session.completed", summary_normal: "Done." };
/** Members that the daemon completes, or that must be new each time. */
const COMPLETED_MEMBERS = ["timestamp", "event_id", "sequence_number", "position", "reply_token", "producer"];

function documentOf(title: string, protocol: keyof typeof SCHEMAS = "aaep"): Message {
  const schema = SCHEMAS[protocol].get(title);
  if (schema === undefined) throw new Error(`there is no schema ${title}`);
  return fullDocument(schema);
}

/** Asks, and fails where the answer is an internal error. */
async function expectAnswer(peer: RpcPeer, method: string, params: string): Promise<Message | undefined> {
  try {
    return await peer.requestText(method, params);
  } catch (caught) {
    if (!(caught instanceof RpcRefusal)) throw caught;
    expect(caught.error, params).not.toMatchObject({ data: { code: "internal" } });
    return undefined;
  }
}

/** Waits for what answers the marker, which comes behind the answers to all that was said before. */
async function answered(queue: MessageQueue<Message>, marker: string): Promise<void> {
  for (;;) if (JSON.stringify(await queue.next(`the answer to ${marker}`)).includes(marker)) return;
}

async function listeners(rig: DaemonRig): Promise<void> {
  for (const capabilities of [
    { preferred_verbosity: "terse", languages: ["es", "ja"], coalesce_boundaries: ["none"] },
    { preferred_verbosity: "detailed", coalesce_boundaries: ["sentence"], aaepd: { max_chars: 80 } },
  ])
    await (await rig.plain()).subscribe(requestOf(capabilities));
}

describe("AAEP in JSON-RPC", () => {
  it.each(EVENTS)("events: %s", async (title) => {
    const rig = await startRig();
    await listeners(rig);
    const agent = await rig.rpc();
    const given = documentOf(title);
    const isStart = title === "SessionStartedEvent";
    const event = Object.fromEntries(
      Object.entries({ ...given, session_id: "SESSION" }).filter(([name]) => !COMPLETED_MEMBERS.includes(name)),
    );
    const sent = [...hostileTexts(event, COMPLETED_MEMBERS)].map((text) => {
      const session_id = nextSession();
      const around = [STARTED, COMPLETED].map((one) => JSON.stringify({ ...one, session_id }));
      const all = isStart ? [text, around[1]] : [around[0], text, around[1]];
      return expectAnswer(agent, "aaep.publish", `[${all.join()}]`.replaceAll("SESSION", session_id));
    });
    await Promise.all(sent);
    await rig.expectOthersServed();
  });

  it("a member of any name arrives, whatever is left out for the listener", async () => {
    const rig = await startRig();
    const agent = await rig.rpc();
    const uri = "https://medical.example/context/v1";
    const person = await rig.plain();
    const filters = { supported_extensions: [uri], event_filters: { include: ["med:*"] } };
    await person.subscribe(requestOf({ ...filters, preferred_verbosity: "terse" }));
    const session_id = nextSession();
    await agent.publish({ ...STARTED, session_id });
    const context = `"@context":["https://aaep-protocol.org/context/v1","${uri}"]`;
    const texts = '"summary_normal":"Hi.","summary_terse":"Ah.","summary_detailed":"Hello."';
    const foreign = '"__proto__":{"risk_level":"high"},"constructor":"x"';
    const note = `{${context},"type":"med:note","session_id":"${session_id}",${texts},${foreign}}`;
    await agent.requestText("aaep.publish", note);
    const heard = await person.events.next("the note");
    expect(heard).toMatchObject({ summary_terse: "Ah." });
    expect(heard.summary_detailed).toBeUndefined();
    expect(person.eventTexts.at(-1)).toContain(foreign);
  });

  it("requests", async () => {
    const rig = await startRig();
    await listeners(rig);
    const person = await rig.plain();
    await person.subscribe(requestOf({ supports_confirmation_reply: true }));
    const agent = await rig.rpc();
    const session_id = nextSession();
    await agent.publish({ ...STARTED, session_id });
    const question = { session_id, action: "Send.", consequence: "It is gone.", timeout_seconds: 60 };
    const asked = agent.request("aaep.confirm", question);
    let heard = await person.events.next("the question");
    while (heard.reply_token === undefined) heard = await person.events.next("the question");
    const { reply_token } = heard;
    const peer = await rig.rpc();
    const one = peer.subscription();
    await one.subscribe(requestOf());
    const subscription_id = one.id();
    const params: readonly (readonly [method: string, params: Message])[] = [
      ["aaep.confirm", { ...question, ...documentOf("AwaitingConfirmationEvent"), session_id: "none" }],
      ["aaep.clarify", { ...documentOf("AwaitingClarificationEvent"), session_id: "none" }],
      ["aaep.cancel", { reply_token: "none", decided_by: "host", decision: "accept" }],
      ["aaep.outcome_of", { reply_token: "none", resume_token: "none" }],
      ["aaep.set_manifest", documentOf("ProducerManifest")],
      ["aaep.resume_session", documentOf("ResumeSessionParams")],
      ["aaep.renegotiate", { ...documentOf("SubscriptionRenegotiate"), subscription_id }],
      ["aaep.reply", { ...documentOf("ConfirmationReply"), reply_token, subscription_id: "none" }],
      ["aaep.reply", { ...documentOf("ClarificationReply"), reply_token, subscription_id: "none" }],
      ["aaep.skip", { ...documentOf("AaepdSkip"), subscription_id }],
      ["aaep.list_pending", { ...documentOf("AaepdListPending"), subscription_id }],
      ["aaep.repeat", { ...documentOf("RepeatParams"), subscription_id }],
      ["aaep.ping", { subscription_id }],
      ["aaepd.status", { limit: 1 }],
      ["aaep.subscribe", documentOf("SubscriptionRequest")],
      ["aaep.close", { ...documentOf("SubscriptionClose"), subscription_id: "none" }],
      ["aaep.publish", { events: [{ ...STARTED, session_id: "s" }], resume_token: "none" }],
    ];
    for (const [method, base] of params)
      await Promise.all([...hostileTexts(base)].map((text) => expectAnswer(peer, method, text)));
    await person.reply({ type: "confirmation.reply", reply_token, decision: "accept", timestamp: heard.timestamp });
    expect(await asked).toMatchObject({ resolved_by: "reply" });
    await rig.expectOthersServed();
  });

  it("messages, and texts that no parser takes", async () => {
    const rig = await startRig();
    const connection = await rig.connect("newline");
    const whole = { jsonrpc: "2.0", id: "x", method: "aaep.ping", params: {} };
    const deep = "[".repeat(65);
    const texts = [
      ...hostileTexts(whole, ["result", "error"]),
      ...["id", "method", "params"].map((name) => `{"${name}":nothing,"x":${deep}`),
      `{"id":"\\x","x":${deep}`,
      `{"\\x":1,"id":1,"method":"aaep.reply","params":{"reply_token":tru},"x":${deep}`,
      `{"id":1,"method":"aaep.close","params":{"subscription_id":{"a":},"x":${deep}`,
      '{"jsonrpc":"2.0","id":"last","method":"aaep.ping"}',
    ];
    connection.sendBatch({ frames: texts.map((text) => Buffer.from(text)), joined: new Map() });
    let last: Message = {};
    for await (const frames of connection.frames) {
      last = JSON.parse(Buffer.from(frames.at(-1) ?? []).toString()) as Message;
      if (last.id === "last") break;
    }
    expect(last).toMatchObject({ id: "last", result: {} });
    await rig.expectOthersServed();
  });
});

it("AAEP in plain framings", async () => {
  const rig = await startRig();
  const requests = ["SubscriptionRequest", "SubscriptionRenegotiate", "ConfirmationReply", "ClarificationReply"];
  const peer = await rig.plain();
  for (const title of [...requests, "AaepdSkip", "AaepdListPending", "AaepdRepeat"]) {
    peer.sendText(...hostileTexts(documentOf(title)));
    peer.sendText(`{"type":\\x,"y":${"[".repeat(65)}`, JSON.stringify({ type: `marker.${title}` }));
    await answered(peer.answers, `marker.${title}`);
  }
  await rig.expectOthersServed();
});

it("A2E: agents and providers", async () => {
  const rig = await startRig({ configuration: { a2eIrreversibleTools: ["delete_file"] } });
  await listeners(rig);
  const provider = await a2eProvider(await rig.connect("newline"), ["tools", "skill"]);
  const agent = await a2eAgent(await rig.connect("newline"), ["tools", "skill"]);
  const answers = ["A2EToolCallResponse", "A2EToolEvent", "A2EInvokeEvent", "A2EError"].flatMap((title) => [
    ...hostileTexts({ ...documentOf(title, "a2e"), req_id: "REQUEST" }),
  ]);
  void (async () => {
    for (let index = 0; ; index += 1) {
      const { id } = await provider.messages.next("a request");
      provider.sayText((answers[index % answers.length] ?? "").replaceAll("REQUEST", String(id)));
      provider.say("tool/call/resp", { req_id: id, data: { success: true } });
    }
  })().catch(() => {});
  const requests = ["A2EHandshakeRequest", "A2EToolCallRequest", "A2EToolListRequest", "A2EPing", "A2EToolEvent"];
  for (const title of requests) {
    for (const text of hostileTexts(documentOf(title, "a2e"))) agent.sayText(text);
    for (const text of hostileTexts({ ...documentOf(title, "a2e"), type: "tool/note" })) agent.sayText(text);
    // A type that nobody names, with the members of the named one.
    for (const text of hostileTexts({ ...documentOf(title, "a2e"), type: "mine/thing/req" })) agent.sayText(text);
    const { type } = await agent.ask("ping");
    expect(type).toBe("pong");
  }
  for (const text of hostileTexts(documentOf("A2ERegister", "a2e"))) provider.sayText(text);
  expect((await provider.ask("ping")).type).toBe("pong");
  await rig.expectOthersServed();
});

it("Akashik", async () => {
  const rig = await startRig();
  const peer = await akashikAgent(await rig.connect("newline"), "one");
  const reader = await akashikAgent(await rig.connect("newline"), "reader");
  await reader.ask("SUBSCRIBE", { action: "subscribe", subscription: { id: "s", events: ["unit.committed"] } });
  for (const title of SCHEMAS.akashik.keys()) {
    const operation = /^Akashik(\w+)Request$/.exec(title)?.[1]?.toUpperCase();
    if (operation === undefined || operation === "DEREGISTER") continue;
    const head = `"protocol":"akashik","version":"0.1.0","id":"x","operation":"${operation}"`;
    for (const text of hostileTexts(documentOf(title, "akashik")))
      peer.sayText(`{${head},"session_id":null,"epoch":0,"payload":${text}}`);
  }
  const whole = documentOf("AkashikRequest", "akashik");
  for (const text of hostileTexts({ ...whole, protocol: "akashik" })) peer.sayText(text);
  expect(await peer.ask("DETECT", {})).toBeDefined();
  await rig.expectOthersServed();
});
