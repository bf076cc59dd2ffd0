// A message in which a member stands twice (R19), or a number that a double does not carry (R41), over every path on which JSON comes in: nobody takes
// it for one of the two that it could be.
import { describe, expect, it } from "vitest";
import type { Framing } from "../../transports/framing/framings.js";
import { isWhole } from "../support/extent.js";
import type { RpcPeer, Subscription } from "../support/peers/peers.js";
import { startAuditedRig } from "../support/rigs/audited-rig.js";
import { nextSession, requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

type Message = Readonly<Record<string, unknown>>;

const CAPABLE = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ["none"],
};

const PLAIN = ["newline", "length-prefixed", "content-length"] as const satisfies readonly Framing[];

async function ask(agent: RpcPeer, person: Subscription) {
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  const outcome = agent.request("aaep.confirm", {
    session_id,
    action: "Transfer 500 euros.",
    consequence: "They are gone.",
    risk_level: "high",
    reversibility: "irreversible",
    timeout_seconds: 60,
  });
  for (;;) {
    const asked = await person.events.next("the question");
    if (asked.type === "aaep:agent.awaiting.confirmation") return { asked, outcome, session_id };
  }
}

/** The text of a reply; `decision` as it is to stand in it. */
function replyText(asked: Message, subscriptionId: string, decision: string): string {
  const rest = JSON.stringify({
    reply_token: asked.reply_token,
    subscription_id: subscriptionId,
    timestamp: new Date().toISOString(),
  });
  return `{"type":"confirmation.reply",${decision},${rest.slice(1)}`;
}

const TWICE = '"decision":"reject","decision":"accept"';

describe.each(isWhole ? PLAIN : PLAIN.slice(0, 1))("plain, %s", (framing) => {
  it("R19: a reply that says both is silence, is no consent, and stands in the audit log as it came", async () => {
    const { rig, replies: replied } = await startAuditedRig();
    const person = await rig.plain(framing);
    await person.subscribe(requestOf(CAPABLE));
    const agent = await rig.rpc();
    const { asked, outcome, session_id } = await ask(agent, person);
    const texts = [
      replyText(asked, person.id(), TWICE),
      replyText(asked, person.id(), '"decision":"accept","extensions":{"a":[{"b":1,"\\u0062":2}]}'),
      replyText(asked, person.id(), '"type":"confirmation.reply","decision":"accept"'),
      replyText(asked, person.id(), '"type":"aaepd.skip","decision":"accept"'),
      replyText(asked, person.id(), '"decision":"accept","x":9007199254740993'),
    ];
    person.sendText(...texts);
    // What is answered shows that nothing else was.
    expect(await person.listPending()).toEqual([expect.objectContaining({ event_id: asked.event_id })]);
    const irreversible = { type: "aaep:agent.tool.invoked", session_id, tool: "transfer", irreversible: true };
    expect((await agent.refusal("aaep.publish", { ...irreversible, summary_normal: "Transfers." })).code).toBe(
      "confirmation_required",
    );
    const taken = replyText(asked, person.id(), '"decision": "reject"');
    person.sendText(taken);
    expect(await outcome).toMatchObject({ decision: "reject", resolved_by: "reply" });
    const replies = await replied();
    expect(replies).toMatchObject([
      ...texts.map((text) => ({ fate: "malformed", reply_token: asked.reply_token, token_is_open: true, text })),
      { fate: "counted", text: taken, reply: { decision: "reject" } },
    ]);
    expect(replies.slice(0, texts.length).every((line) => !("reply" in line))).toBe(true);
  });

  it("R19: everything else is answered by the error that says where, and nothing of it holds", async () => {
    const rig = await startRig();
    const peer = await rig.plain(framing);
    const twice = '"max_events_per_second":1,"max_events_per_second":50';
    peer.sendText(JSON.stringify(requestOf({ twice: true })).replace('"twice":true', twice));
    expect(await peer.answers.next()).toMatchObject({
      type: "aaepd.error",
      code: "invalid_message",
      pointer: "/capabilities/max_events_per_second",
      rule: "R19",
      answers: "subscription.request",
    });
    expect((await peer.subscribe(requestOf())).type).toBe("subscription.accepted");
    for (const [text, pointer, rule = "R19"] of [
      [
        `{"type":"subscription.renegotiate","subscription_id":"${peer.id()}","capabilities":{"aaepd":{"paused":true,"paused":false}}}`,
        "/capabilities/aaepd/paused",
      ],
      ['{"type":"aaepd.list_pending","type":"aaepd.skip"}', "/type"],
      ['{"type":"aaepd.skip","\\u0074ype":"aaepd.skip"}', "/type"],
      ['{"type":"subscription.close","type":"aaepd.skip"}', "/type"],
      ['[{"type":"aaepd.skip","x":1,"x":1}]', "/0/x"],
      ['{"type":"aaepd.skip","x":1e999}', "/x", "R41"],
    ] as const) {
      peer.sendText(text);
      expect(await peer.answers.next()).toMatchObject({ type: "aaepd.error", code: "invalid_message", pointer, rule });
    }
    await rig.expectOthersServed();
  });
});

describe("a reply without a subscription", () => {
  it("R19: is silence as well, and is recorded as nobody's", async () => {
    const { rig, replies: replied } = await startAuditedRig();
    const stranger = await rig.plain();
    const text = `{"type":"clarification.reply","reply_token":"rpl_1","response":1,"response":2}`;
    stranger.sendText(text);
    const answer = await stranger.subscribe(requestOf());
    expect(answer.type).toBe("subscription.accepted");
    const rpc = await rig.rpc();
    expect(await rpc.requestText("aaep.reply", '{"reply_token":"rpl_1","reply_token":"rpl_2"}')).toEqual({
      accepted: false,
    });
    const [plain, called] = await replied();
    expect(plain).toMatchObject({ fate: "malformed", reply_token: "rpl_1", subscription_id: "", text });
    expect(called).toMatchObject({ fate: "malformed", reply_token: "", subscription_id: "" });
  });
});

describe("JSON-RPC", () => {
  it("R19: a reply that says both did not count, which is all that is said of it; by notification nothing is", async () => {
    const { rig, replies: replied } = await startAuditedRig();
    const peer = await rig.rpc();
    const person = peer.subscription();
    await peer.subscription().subscribe(requestOf());
    await person.subscribe(requestOf(CAPABLE));
    const agent = await rig.rpc();
    const { asked, outcome } = await ask(agent, person);
    const plain = replyText(asked, person.id(), '"decision":"accept"');
    for (const params of [
      replyText(asked, person.id(), TWICE),
      `${plain},"params":${plain}`,
      `${plain},"method":"aaep.ping"`,
      `${plain},"jsonrpc":"2.0"`,
    ])
      expect(await peer.requestText("aaep.reply", params)).toEqual({ accepted: false });
    const texts = [
      `{"jsonrpc":"2.0","method":"aaep.reply","params":${replyText(asked, person.id(), TWICE)}}`,
      `{"jsonrpc":"2.0","id":"one","id":"two","method":"aaep.reply","params":${plain}}`,
    ];
    peer.sendText(...texts);
    expect(await peer.request("aaep.ping")).toBeDefined();
    expect(peer.strays.rest()).toEqual([]);
    expect(peer.errors.rest()).toEqual([]);
    expect(await peer.requestText("aaep.reply", plain)).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    const replies = await replied();
    expect(replies.map(({ fate }) => fate)).toEqual([...Array(6).fill("malformed"), "counted"]);
    expect(replies.slice(4, 6).map(({ text }) => text)).toEqual(texts);
    expect(replies.every(({ reply_token }) => reply_token === asked.reply_token)).toBe(true);
    expect(replies.every(({ subscription_id }) => subscription_id === person.id())).toBe(true);
    expect(replies.at(-1)).toMatchObject({ text: expect.stringContaining(`"method":"aaep.reply","params":${plain}}`) });
  });

  it("R19, R33: a request is answered by the error of an invalid one, under its id where it has one", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    const event = '{"type":"aaep:agent.session.started","session_id":"sess_a","session_id":"sess_b"}';
    for (const [text, id, pointer, rule = "R19"] of [
      [`{"jsonrpc":"2.0","id":"a","method":"aaep.publish","params":${event}}`, "a", "/params/session_id"],
      [`{"jsonrpc":"2.0","id":"b","method":"aaep.publish","params":[{},${event}]}`, "b", "/params/1/session_id"],
      [
        `{"jsonrpc":"2.0","id":"c","method":"aaep.publish","params":{"events":[${event}],"resume_token":"t"}}`,
        "c",
        "/params/events/0/session_id",
      ],
      [
        '{"jsonrpc":"2.0","id":"d","method":"aaep.confirm","params":{"action":"One.","action":"Two."}}',
        "d",
        "/params/action",
      ],
      ['{"jsonrpc":"2.0","id":"e","id":"e","method":"aaep.ping"}', "e", "/id"],
      ['{"jsonrpc":"2.0","id":"f","id":"g","method":"aaep.ping"}', null, "/id"],
      ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":"h","method":"aaep.ping"}', "h", "/jsonrpc"],
      ['{"jsonrpc":"2.0","id":"i","method":"aaep.ping","\\u006dethod":"aaep.ping"}', "i", "/method"],
      ['[{"jsonrpc":"2.0","id":"j","method":"aaep.ping","params":{"x":1,"x":1}}]', null, "/0/params/x"],
      [
        '{"jsonrpc":"2.0","id":"k","method":"aaepd.status","params":{},"more":{"x":[{"y":1,"y":1}]}}',
        "k",
        "/more/x/0/y",
      ],
      ...["9007199254740993", "-9007199254740993.0", "1e400"].flatMap((number) => [
        [
          `{"jsonrpc":"2.0","id":"l","method":"aaep.ping","params":[{"x":[1,${number}]}]}`,
          "l",
          "/params/0/x/1",
          "R41",
        ] as const,
        [`{"jsonrpc":"2.0","method":"aaep.ping","id":${number}}`, null, "/id", "R41"] as const,
      ]),
    ] as const) {
      peer.sendText(text);
      expect(await peer.strays.next()).toMatchObject({
        jsonrpc: "2.0",
        id,
        error: { code: -32600, data: { code: "invalid_message", pointer, rule } },
      });
    }
    // Nobody took it for an answer of its own.
    peer.sendText('{"jsonrpc":"2.0","id":"l","result":1,"result":2}', '{"jsonrpc":"2.0","result":1,"id":"m","id":"n"}');
    expect(await peer.request("aaep.ping")).toEqual({});
    expect(peer.strays.rest()).toEqual([]);
    await rig.expectOthersServed();
  });

  it("what was refused is handled in its place among the calls of one read", async () => {
    const rig = await startRig();
    const peer = await rig.rpc();
    const person = peer.subscription();
    await person.subscribe(requestOf(CAPABLE));
    const { asked, outcome } = await ask(await rig.rpc(), person);
    const accept = replyText(asked, person.id(), '"decision":"accept"');
    // The close would have the default decide, if it overtook the reply.
    peer.sendText(
      `{"jsonrpc":"2.0","method":"aaep.reply","params":${accept}}`,
      `{"jsonrpc":"2.0","method":"aaep.close","params":{"reason_code":"a","reason_code":"b"}}`,
    );
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    await turns();
    expect((await peer.refusal("aaep.list_pending")).code).toBe("handshake_required");
  });
});
