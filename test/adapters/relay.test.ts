// A relay between a real daemon and a producer that does whatever the test wants.
import { describe, expect, it } from "vitest";
import { producerAddress, relayAddress } from "../../src/adapters/relay/relay-address.js";
import { AgentClient } from "../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { eventually, runCommandLine, serve, startCommandLine } from "../cli/command-stage.js";
import { collector } from "../support/collector.js";
import { itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import {
  answering,
  chunkOf,
  ID,
  listen,
  produce,
  QUESTION,
  relayed,
  relaysOf,
  SESSION,
  servedByAddress,
} from "./relay-stage.js";

describe("an event of a producer elsewhere", () => {
  it("is heard with its id, as of NAME at HOST", async () => {
    const { producer, heard, base } = await relayed();
    producer.says("session.started", { event_id: ID, summary_normal: "Looks for a book.", sequence_number: 7 });
    await eventually(() => expect(heard.at(-1)).toMatchObject({ event_id: ID, session_id: SESSION }));
    expect(heard.at(-1)?.producer.agent_name).toBe(`Librarian at ${base.replace("http://", "")}`);
  });

  it("begins its session where the relay came later", async () => {
    const { producer, heard } = await relayed();
    producer.says("output.streaming", { output_id: "out_1", chunk: "The book is here.", complete: true });
    await eventually(() => expect(heard.map(chunkOf)).toContain("The book is here."));
    expect(heard[0]?.summary_normal).toMatch(/^Librarian at .* is at work\.$/);
    // A change of state begins at the state that is known here, with a mark.
    for (const to_state of ["deciding", "thinking"])
      producer.says("state.changed", { from_state: "executing", to_state, summary_normal: "Goes on." });
    await eventually(() => expect(heard.length).toBe(4));
    expect(heard.slice(2)).toMatchObject([
      { from_state: "idle", to_state: "deciding", extensions: { aaepd: { breach: "AAEP §4.2.1, R3a" } } },
      { from_state: "deciding", to_state: "thinking" },
    ]);
  });

  it("that breaks a rule is told and marked, and an irreversible call without a yes is critical", async () => {
    const { producer, heard, relay } = await relayed();
    producer.says("session.started", { summary_normal: "Tidies up." });
    producer.says("tool.completed", {
      tool: "t",
      tool_call_id: "call_1",
      status: "success",
      summary_normal: "Found it.",
    });
    const call = { tool: "burn", tool_call_id: "call_2", irreversible: true, risk_level: "high" };
    producer.says("tool.invoked", { ...call, summary_normal: "Burns the book." });
    producer.says("session.sang", { summary_normal: "Sings." });
    producer.saysText("data: no JSON\n\n");
    producer.says("session.completed", { summary_normal: "Nothing is left." });
    await eventually(() => expect(heard.at(-1)?.type).toBe("aaep:agent.session.completed"));
    const told = heard.filter(({ extensions }) => extensions?.aaepd?.breach !== undefined);
    expect(told.map(({ summary_normal: words, urgency }) => [words, urgency])).toEqual([
      ["Found it.", "normal"],
      ["Burns the book.", "critical"],
      ["Sings.", "normal"],
    ]);
    expect(relay.stderr().match(/breaks a rule/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it("of a session with a malformed id is heard under another id: its question is asked, its irreversible call told", async () => {
    const { producer, heard, relay, daemon } = await relayed();
    const asked = await answering(daemon);
    producer.says("session.started", { session_id: "s1", summary_normal: "Tidies up.", producer: { agent_id: "" } });
    producer.says("awaiting.confirmation", { session_id: "s1", ...QUESTION });
    await eventually(() => expect(asked.heard.map(({ type }) => type)).toContain("aaep:agent.awaiting.confirmation"));
    const call = { tool: "burn", tool_call_id: "call_2", irreversible: true, risk_level: "high" };
    producer.says("tool.invoked", { session_id: "s1", ...call, summary_normal: "Burns the book." });
    await eventually(() => expect(heard.map(({ urgency }) => urgency)).toContain("critical"));
    expect(new Set(heard.map(({ session_id: id }) => id)).size).toBe(1);
    expect(heard[0]).toMatchObject({
      summary_normal: "Tidies up.",
      session_id: expect.stringMatching(/^sess_[0-9a-f]{64}$/),
    });
    expect(relay.stderr()).toContain("AAEP §3.2.4: `session_id` must be `sess_`");
  });

  it("that is too long, or has a member twice, is told all the same: an irreversible call is critical", async () => {
    const { producer, heard } = await relayed();
    producer.says("session.started", { summary_normal: "Tidies up." });
    const call = { tool: "burn", irreversible: true, risk_level: "high", extensions: { "x.y": {} } };
    const long = { ...call, tool_call_id: "call_1", args_summary: "x".repeat(70_000) };
    producer.says("tool.invoked", { ...long, summary_normal: "Burns the book." });
    const twice = { ...call, tool_call_id: "call_2", summary_normal: "Burns the shelf." };
    producer.says("tool.invoked", { ...twice, producer: { agent_id: 7, agent_name: "n".repeat(20_000) } });
    const head = `"type":"aaep:agent.tool.invoked","session_id":"${SESSION}","irreversible":true`;
    producer.saysText(`data: {${head},"irreversible":true,"summary_normal":"Burns the house."}\n\n`);
    // Another daemon's mark keeps nothing back that a person has to know.
    const marked = { ...call, tool_call_id: "call_3", extensions: { aaepd: { by: "daemon" } } };
    producer.says("tool.invoked", { ...marked, summary_normal: "Burns the town." });
    const passedOn = { from_state: "idle", to_state: "idle", urgency: "critical" };
    const extensions = { aaepd: { by: "daemon", breach: "R5" } };
    producer.says("state.changed", { ...passedOn, summary_normal: "Burns the land.", extensions });
    producer.says("session.completed", { summary_normal: "Nothing is left.", args_summary: "x".repeat(70_000) });
    await eventually(() => expect(heard.at(-1)?.type).toMatch(/session\.(completed|cancelled)/));
    const critical = heard.filter(({ urgency }) => urgency === "critical");
    expect(critical.map(({ summary_normal: words }) => words)).toEqual(
      ["book", "shelf", "house", "town", "land"].map((what) => `Burns the ${what}.`),
    );
    for (const { extensions: marks } of critical) expect(marks?.aaepd?.breach).toBeTypeOf("string");
  });

  it("comes once, however often it is sent, and a flood of refused ones is cut", async () => {
    const { producer, heard } = await relayed();
    producer.says("session.started", { event_id: ID, summary_normal: "Begins." });
    for (let again = 0; again < 50; again += 1) producer.says("tool.completed", { tool: "t", status: "success" });
    producer.says("session.started", { event_id: ID, summary_normal: "Begins." });
    producer.says("session.completed", { summary_normal: "Over." });
    await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Over."));
    expect(heard.length).toBeLessThanOrEqual(22);
  });
});

describe("a question of a producer elsewhere", () => {
  it("is answered here, and the reply has its token", async () => {
    const { producer, daemon } = await relayed();
    const { heard, reply } = await answering(daemon);
    // A place that only daemons name.
    producer.saysText(`id: c1.${"0".repeat(32)}.7\n\n`);
    producer.says("session.started", { summary_normal: "Tidies up." });
    await eventually(() => expect(heard.length).toBe(1));
    producer.says("awaiting.confirmation", QUESTION);
    await eventually(() => expect(heard.at(-1)?.type).toBe("aaep:agent.awaiting.confirmation"));
    producer.says("state.changed", { from_state: "idle", to_state: "awaiting_input" });
    expect(reply({ reply_token: QUESTION.reply_token, decision: "reject" })).toBe(true);
    await eventually(() => expect(producer.posted.at(-1)).toMatchObject({ decision: "reject" }));
    expect(producer.posted.at(-1)).toMatchObject({ type: "confirmation.reply", reply_token: QUESTION.reply_token });
  });

  it.each([
    ["goes on", "state.changed", { from_state: "awaiting_input", to_state: "thinking" }],
    ["makes the call that it asks about", "tool.invoked", { tool: "fire", tool_call_id: "call_1" }],
    ["uses the tool that it asks about", "tool.invoked", { tool: "burn", tool_call_id: "call_2" }],
  ])("is over when the producer %s", async (_, topic, members) => {
    const { producer, daemon } = await relayed();
    const { heard } = await answering(daemon);
    producer.says("session.started", { summary_normal: "Tidies up." });
    producer.says("awaiting.confirmation", { ...QUESTION, extra_context: { tool: "burn", tool_call_id: "call_1" } });
    await eventually(() => expect(heard.at(-1)?.type).toBe("aaep:agent.awaiting.confirmation"));
    // A call of another tool says nothing of the question.
    producer.says("tool.invoked", { tool: "look", tool_call_id: "call_9", summary_normal: "Looks." });
    producer.says(topic, { ...members, summary_normal: "Goes on." });
    await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Goes on."));
    expect(heard.findIndex(({ extensions }) => extensions?.aaepd?.decision === "cancelled")).toBeGreaterThan(
      heard.findIndex(({ summary_normal: words }) => words === "Looks."),
    );
    expect(heard.map(({ extensions }) => extensions?.aaepd?.decision)).toContain("cancelled");
    expect(producer.posted.filter(({ type }) => type === "confirmation.reply")).toEqual([]);
  });
});

describe("a connection", () => {
  it("that is lost comes back, and open sessions tell that words may be missing", async () => {
    const { producer, heard } = await relayed();
    producer.says("session.started", { summary_normal: "Tidies up." });
    await eventually(() => expect(heard.length).toBe(1));
    producer.ends();
    await eventually(() => expect(heard.at(-1)?.summary_normal).toMatch(/Words may be missing here\.$/));
    producer.says("session.completed", { summary_normal: "Done." });
    await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Done."));
  });

  it("that is lost goes on at the place that the producer has named", async () => {
    const { producer, heard } = await relayed();
    producer.says("session.started", { summary_normal: "Tidies up." });
    producer.saysText("id: c1.place.7\n\n");
    await eventually(() => expect(heard.length).toBe(1));
    producer.ends();
    await eventually(() => expect(producer.places).toEqual([undefined, "c1.place.7"]));
    producer.says("session.completed", { summary_normal: "Done." });
    await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Done."));
    expect(heard.length).toBe(2);
  });

  it("ends when the relay is told to end, also after the collector has run", async () => {
    const { producer, heard, relay } = await relayed();
    producer.says("session.started", { summary_normal: "Looks for a book." });
    await eventually(() => expect(heard.length).toBeGreaterThan(0));
    const collect = collector();
    for (let turn = 0; turn < 5; turn += 1) {
      collect();
      await new Promise(setImmediate);
    }
    relay.signal("SIGTERM");
    expect((await relay.ended).code).toBe(0);
  });

  it("with a message of many bytes is given up, and made again", async () => {
    const { producer, heard, relay } = await relayed();
    producer.saysText(`data: ${"x".repeat(10 << 20)}`);
    await eventually(() => expect(relay.stderr()).toContain("longer than 1048576 characters"));
    await eventually(() => expect(relay.stderr().match(/Connected/g)?.length).toBe(2));
    producer.says("session.started", { summary_normal: "Begins." });
    await eventually(() => expect(heard.length).toBe(1));
  });
});

describe("two producers", () => {
  it("that have sessions of one id are both heard, and are told apart", async () => {
    const { producer, daemon, heard } = await relayed();
    const other = await produce();
    startCommandLine(["relay", other.base], { environment: daemon.environment });
    await eventually(() => expect(other.producer.posted.length).toBe(1));
    producer.says("session.started", { event_id: ID, summary_normal: "Looks for a book." });
    await eventually(() => expect(heard.length).toBe(1));
    other.producer.says("session.started", { event_id: `${ID}2`, summary_normal: "Dusts the shelves." });
    other.producer.says("session.completed", { summary_normal: "No dust is left." });
    producer.says("session.completed", { summary_normal: "Found it." });
    await eventually(() => expect(heard.length).toBe(4));
    const [first, ...others] = heard;
    expect(first?.session_id).toBe(SESSION);
    const idOf = (words: string): string | undefined => others.find((one) => one.summary_normal === words)?.session_id;
    expect(idOf("Found it.")).toBe(SESSION);
    expect(idOf("Dusts the shelves.")).not.toBe(SESSION);
    expect(idOf("No dust is left.")).toBe(idOf("Dusts the shelves."));
  });

  it("that are daemons, and hear each other, repeat nothing", async () => {
    const [one, two] = await Promise.all([servedByAddress(), servedByAddress()]);
    const heard = await Promise.all([listen(one.daemon), listen(two.daemon)]);
    const relays = [
      startCommandLine(["relay", two.base], { environment: one.daemon.environment }),
      startCommandLine(["relay", one.base], { environment: two.daemon.environment }),
    ];
    for (const relay of relays) await eventually(() => expect(relay.stderr()).toContain("Connected"));
    const { base, producer } = await produce();
    startCommandLine(["relay", base], { environment: one.daemon.environment });
    await eventually(() => expect(producer.posted.length).toBe(1));
    for (const number of [1, 2]) {
      const session_id = `${SESSION}${number}`;
      producer.says("session.started", { event_id: `${ID}${number}`, session_id, summary_normal: "Begins." });
      producer.says("session.completed", { session_id, summary_normal: `Over ${number}.` });
      for (const all of heard) await eventually(() => expect(all.at(-1)?.summary_normal).toBe(`Over ${number}.`));
    }
    await eventually(async () => expect((await relaysOf(one.daemon)).map(({ events }) => events)).toEqual([4, 4]));
    for (const all of heard)
      expect(all.map(({ summary_normal: words }) => words)).toEqual(["Begins.", "Over 1.", "Begins.", "Over 2."]);
    // The end that a daemon tells of an agent of its own, which has gone, ends the session of the other daemon too.
    const leaver = await AgentClient.open(ipcRpcConnector(one.daemon.socketPath));
    const started = { type: "aaep:agent.session.started", session_id: `${SESSION}3`, summary_normal: "Leaves." };
    await leaver.publish({ ...started, producer: { agent_id: "leaver" } });
    await leaver.close();
    for (const all of heard) await eventually(() => expect(all.at(-1)?.type).toBe("aaep:agent.session.errored"));
    for (const all of heard) expect(all.length).toBe(6);
  });
});

describe("the status of the daemon", () => {
  it("counts what its relays have heard, and what was refused", async () => {
    const { producer, base, daemon, relay } = await relayed();
    const { host } = new URL(base);
    producer.says("session.started", { summary_normal: "Tidies up." });
    producer.says("session.sang", { summary_normal: "Sings." });
    producer.saysText("data: no JSON\n\n");
    await eventually(async () => {
      const [told] = await relaysOf(daemon);
      expect(told).toMatchObject({ host, connected: true, events: 3 });
      expect(told?.refused).toEqual({ "AAEP §3.9": 2 });
    });
    const status = await runCommandLine(["status"], daemon.environment);
    expect(status.stdout).toContain(`Relays: 1\n  ${host}: connected, 3 events; 2 refused by AAEP §3.9`);
    relay.signal("SIGINT");
    await eventually(async () => expect(await relaysOf(daemon)).toEqual([]));
  });
});

describe("the command", () => {
  it("refuses a second relay of one producer, and an address that others could read", async () => {
    const { base, daemon } = await relayed();
    const second = await runCommandLine(["relay", base], daemon.environment);
    expect(second).toMatchObject({
      code: 1,
      stderr: `Error: Another process relays ${new URL(base).host} already. (address_in_use)\n`,
    });
    const open = await runCommandLine(["relay", "http://agents.example"], daemon.environment);
    expect(open.code).not.toBe(0);
    expect(open.stderr).toContain("--plain-http");
    expect(relayAddress("https://agents.example/library/", false)).toBe("https://agents.example/library");
    expect(relayAddress("http://agents.example", true)).toBe("http://agents.example");
    for (const wrong of ["agents.example", "ftp://localhost", "http://me:it@localhost:1", "http://localhost:1?x=y"])
      expect(relayAddress(wrong, true), wrong).toBeUndefined();
  });

  it("refuses a relay of the daemon itself, and a second one of an address, under whichever name of the machine", async () => {
    const { daemon, base } = await servedByAddress();
    const { base: other, daemon: relaying } = await relayed();
    for (const [url, { environment }, code, why] of [
      [base, daemon, 2, "is this daemon"],
      [base.replace("127.0.0.1", "localhost"), daemon, 2, "is this daemon"],
      [other.replace("127.0.0.1", "localhost"), relaying, 1, "Another process relays"],
    ] as const) {
      const refused = await runCommandLine(["relay", url], environment);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(why)]);
    }
  });

  itInFull(
    "waits while another relay hears the producer under another address, and goes on when that one ends",
    async () => {
      const { daemon: producing, base } = await servedByAddress();
      const made = await runCommandLine(["address", "create", "another"], producing.environment);
      const daemon = await serve(temporaryDirectory());
      const heard = await listen(daemon);
      const connected = async () => (await relaysOf(daemon)).map((relay) => relay.connected);
      const first = startCommandLine(["relay", base], { environment: daemon.environment });
      await eventually(async () => expect(await connected()).toEqual([true]));
      const second = startCommandLine(["relay", made.stdout.trim()], { environment: daemon.environment });
      await eventually(() =>
        expect(second.stderr()).toContain("by another relay already, under another address. Trying"),
      );
      expect(await connected()).toEqual([true, false]);
      first.signal("SIGINT");
      await eventually(async () => expect(await connected()).toEqual([true]));
      const agent = await AgentClient.open(ipcRpcConnector(producing.socketPath));
      const started = { type: "aaep:agent.session.started", session_id: SESSION, summary_normal: "Begins." };
      await agent.publish({ ...started, producer: { agent_id: "a" } });
      await eventually(() => expect(heard.map((event) => event.summary_normal)).toEqual(["Begins."]));
      await agent.close();
      second.signal("SIGINT");
    },
  );

  it("takes localhost for 127.0.0.1, and any other loopback address for another producer", () => {
    const addresses = ["localhost", "127.0.0.1", "127.0.0.2", "[::1]"].map((host) =>
      producerAddress(`http://${host}:1`),
    );
    expect(new Set(addresses).size).toBe(3);
    expect(addresses[0]).toBe(addresses[1]);
  });

  it("is an option of serve too", async () => {
    const { base, producer } = await produce();
    const daemon = await serve(temporaryDirectory(), "--relay", base);
    const heard = await listen(daemon);
    await eventually(() => expect(producer.posted.length).toBe(1));
    producer.says("session.started", { summary_normal: "Begins." });
    await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("Begins."));
    const refused = await runCommandLine(["serve", "--relay", "http://agents.example"], daemon.environment);
    expect(refused.stderr).toContain("--relay-plain-http");
  });
});
