import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { registerValidate } from "../../../src/cli/recordings/validate.js";
import { sectionsOf } from "../../support/markdown.js";
import { createStage, run, SESSIONS } from "../command-stage.js";

const FIRST = "aaep:agent.session.started";

function planner(): Record<string, unknown>[] {
  return readFileSync(join(SESSIONS, "retirement-planner.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function validate(input: readonly (object | string)[], ...options: readonly string[]) {
  const text = input.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const stage = await run(registerValidate, createStage({ input: text }), "-", ...options);
  return { lines: stage.out().trim().split("\n"), code: stage.exitCode(), err: stage.err() };
}

test("every example session is valid, in its events and in their order", async () => {
  for (const file of readdirSync(SESSIONS).filter((name) => name.endsWith(".ndjson"))) {
    const stage = await run(registerValidate, createStage(), join(SESSIONS, file));
    expect(stage.out(), file).toMatch(/^\d+ events, nothing wrong\.\n$/);
    expect(stage.exitCode()).toBe(0);
  }
});

test("R41, R19: what the daemon would refuse of a line's numbers and members, at its place", async () => {
  const [first] = planner();
  const line = JSON.stringify(first);
  const { lines, code } = await validate([
    line.replace("{", '{"x":[1,9007199254740993],'),
    line.replace("{", '{"session_id":"sess_0",'),
  ]);
  expect(lines[0]).toContain("/x/1");
  expect(lines[0]).toContain("9007199254740993");
  expect(lines[0]).toContain("Write it as a string.");
  expect(lines[1]).toContain('"session_id" stands twice');
  expect(code).toBe(1);
});

const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "reader", capabilities: {} };
const ACCEPTED = {
  type: "subscription.accepted",
  subscription_id: "sub_1",
  aaep_version: "1.0.0",
  producer: { agent_id: "planner" },
  honored_capabilities: {},
};
const CLOSE = { type: "subscription.close", subscription_id: "sub_1", reason_code: "subscriber_shutdown" };

test("a whole conversation is valid: the handshake, the events, a reply to a question, and the close", async () => {
  const events = planner();
  const { reply_token } = events.find((event) => event.reply_token !== undefined) ?? {};
  const reply = { type: "confirmation.reply", reply_token, decision: "accept", subscription_id: "sub_1" };
  const timestamp = "2026-06-20T10:30:10Z";
  const { lines, code } = await validate([REQUEST, ACCEPTED, ...events, { ...reply, timestamp }, CLOSE]);
  expect(lines).toEqual([`${events.length} events and 4 other messages, nothing wrong.`]);
  expect(code).toBe(0);
});

test("a type that objects have by themselves is no message of the handshake", async () => {
  const { code } = await validate([{ type: "constructor" }]);
  expect(code).toBe(1);
});

test("ids that nobody accepted, terms that are wider than asked for, and requests without an answer are told", async () => {
  const capabilities = { max_events_per_second: 2, languages: ["fr"], supports_confirmation_reply: false };
  const renegotiate = { type: "subscription.renegotiate", subscription_id: "sub_1", capabilities: {} };
  const { lines, err, code } = await validate([
    { ...REQUEST, capabilities },
    { ...ACCEPTED, honored_capabilities: { ...capabilities, max_events_per_second: 3 } },
    renegotiate,
    // A renegotiation keeps what it does not name.
    { ...ACCEPTED, honored_capabilities: { ...capabilities, languages: ["fr", "en"] } },
    renegotiate,
    { ...ACCEPTED, honored_capabilities: { ...capabilities, supports_confirmation_reply: true } },
    { ...renegotiate, subscription_id: "sub_2" },
    { ...CLOSE, subscription_id: "sub_3" },
  ]);
  const foreign = "No subscription that the recording accepts has this id. (invalid_message, AAEP §5.4.1)";
  const wider = (name: string): string =>
    `/honored_capabilities/${name}: The honored ${name} is wider than the requested one. (invalid_message, AAEP §5.4.4)`;
  expect(lines).toEqual([
    `line 2, ${wider("max_events_per_second")}`,
    `line 4, ${wider("languages")}`,
    `line 6, ${wider("supports_confirmation_reply")}`,
    `line 7, /subscription_id: ${foreign}`,
    `line 8, /subscription_id: ${foreign}`,
    "5 violations in 5 of 0 events and 8 other messages.",
  ]);
  expect(err).toBe("Note: the file ends before 1 request got an answer.\n");
  expect(code).toBe(1);
});

test("messages of the handshake are checked in their forms and their order", async () => {
  const reply = { type: "confirmation.reply", reply_token: "rpl_1", decision: "perhaps", subscription_id: "sub_1" };
  const { lines, code } = await validate([
    { ...REQUEST, capabilities: { max_events_per_second: 0 } },
    ACCEPTED,
    ACCEPTED,
    { ...reply, timestamp: "2026-06-20T10:30:10Z" },
    { ...CLOSE, subscription_id: 7 },
  ]);
  expect(lines[0]).toMatch(
    /^line 1, \/capabilities\/max_events_per_second: .*\(capabilities_incompatible, AAEP §5\.3\.1\.1\)$/,
  );
  expect(lines[1]).toBe(
    "line 3: No request before this subscription.accepted is unanswered. (invalid_message, AAEP §5.4)",
  );
  expect(lines[2]).toMatch(/^line 4, \/decision: .*\(invalid_message, AAEP §6\.3\)$/);
  expect(lines[3]).toBe(
    "line 4, /reply_token: No question of the recording has this reply_token. (invalid_message, AAEP §6.3.4)",
  );
  expect(lines[4]).toMatch(/^line 5, \/subscription_id: .*AAEP §5\.8\.1\)$/);
  expect(lines[5]).toBe("5 violations in 4 of 0 events and 5 other messages.");
  expect(code).toBe(1);
});

test("R20: every violation is told with line, pointer, code and rule; the exit code is 1", async () => {
  const [started, thinking] = planner();
  const { lines, code } = await validate([
    { ...started, urgency: "loud", session_id: "wrong" },
    "{",
    "[1]",
    { ...thinking, timestamp: "May 24, 2026 14:22:11" },
  ]);
  expect(lines[0]).toMatch(/^line 1, \/urgency: .*\(invalid_event, AAEP §3\.3\.2\)$/);
  expect(lines[1]).toMatch(/^line 1, \/session_id: .*\(invalid_event, AAEP §3\.2\.4\)$/);
  expect(lines[2]).toMatch(/^line 2: The line is not JSON/);
  expect(lines[3]).toMatch(/^line 3: .*\(invalid_event, AAEP §3\.9\)$/);
  expect(lines[4]).toMatch(/^line 4, \/timestamp: /);
  expect(lines[5]).toBe("5 violations in 4 of 4 events.");
  expect(code).toBe(1);
});

test("R3: the order is checked, and one mistake is told once", async () => {
  const events = planner();
  const index = events.findIndex(({ to_state: state }) => state === "deciding");
  const wrong = events.map((event, at) => (at === index ? { ...event, from_state: "sleeping" } : event));
  const { lines, code } = await validate(wrong);
  expect(lines[0]).toMatch(new RegExp(`^line ${index + 1}, /from_state: .*\\(state_mismatch, AAEP §4.2.1, R3a\\)$`));
  expect(lines[1]).toBe(`1 violation in 1 of ${events.length} events.`);
  expect(code).toBe(1);
});

test("R3: a session that was not started, and an event after its end", async () => {
  const events = planner();
  const [started, thinking] = events;
  const withoutStart = await validate([thinking ?? {}], "--json");
  expect(JSON.parse(withoutStart.lines[0] ?? "")).toMatchObject({ line: 1, code: "session_not_started" });
  const after = { ...thinking, event_id: "evt_after", timestamp: events.at(-1)?.timestamp };
  const afterEnd = await validate([...events, after], "--json");
  expect(JSON.parse(afterEnd.lines[0] ?? "")).toMatchObject({ line: events.length + 1, code: "session_ended" });
  expect(started?.type).toBe(FIRST);
});

test("a mistake in the first event does not make all others wrong", async () => {
  const [started, ...others] = planner();
  const { lines } = await validate([{ ...started, urgency: "loud" }, ...others]);
  expect(lines).toHaveLength(2);
});

test("R5: a confirmation in the file counts as given, and for one invocation", async () => {
  const [started] = planner();
  const at = { "@context": started?.["@context"], producer: started?.producer, session_id: started?.session_id };
  const base = { ...at, timestamp: started?.timestamp };
  const tool = (id: number) => ({
    ...base,
    type: "aaep:agent.tool.invoked",
    event_id: `evt_tool${id}`,
    tool: "pay",
    tool_call_id: `call_${id}`,
    summary_normal: "Paying.",
    irreversible: true,
  });
  const confirmation = {
    ...base,
    type: "aaep:agent.awaiting.confirmation",
    event_id: "evt_ask",
    urgency: "critical",
    action: "Pay.",
    consequence: "Paid.",
    reply_token: "rpl_1",
    timeout_seconds: 60,
    default_decision: "reject",
  };
  const { lines } = await validate([started ?? {}, confirmation, tool(1), tool(2)], "--json");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { line: 4, code: "confirmation_required", rule: "AAEP §4.3.1, R5" },
  ]);
});

test("R3b: what a daemon made has the daemon's time, and is compared with nothing; what its agent made still is", async () => {
  const [started] = planner();
  const at = (second: number) => `2026-05-24T14:22:${String(second).padStart(2, "0")}.000Z`;
  const tool = (second: number, kind: "invoked" | "completed", fields: object = {}) => ({
    "@context": started?.["@context"],
    type: `aaep:agent.tool.${kind}`,
    event_id: `evt_${kind}${second}`,
    session_id: started?.session_id,
    timestamp: at(second),
    producer: started?.producer,
    urgency: "normal",
    tool: "search",
    ...(kind === "invoked" ? { summary_normal: "Looking." } : { status: "timeout", summary_normal: "Given up." }),
    ...fields,
  });
  const byDaemon = {
    "@context": [started?.["@context"], "https://aaepd.dev/context/v1"].flat(),
    extensions: { aaepd: { by: "daemon" } },
  };
  const made = tool(30, "completed", byDaemon);
  const recorded = [
    { ...started, timestamp: at(1) },
    tool(2, "invoked"),
    made,
    tool(3, "invoked"),
    // A listener that came back may have it twice.
    made,
    tool(4, "completed"),
  ];
  expect(await validate(recorded)).toMatchObject({ lines: ["6 events, nothing wrong."], code: 0 });

  const early = tool(1, "completed", byDaemon);
  expect((await validate([...recorded.slice(0, 2), early])).code).toBe(0);

  // Merged text stands with what released it, which may be the daemon's (R30).
  const { tool: _, summary_normal: __, ...envelope } = tool(30, "invoked");
  const merged = {
    ...envelope,
    type: "aaep:agent.output.streaming",
    event_id: `evt_${"0".repeat(40)}`,
    chunk: "Hello. ",
    position: 0,
    complete: true,
  };
  expect((await validate([...recorded.slice(0, 2), merged, made, tool(3, "invoked")])).lines).toEqual([
    "5 events, nothing wrong.",
  ]);

  const wrong = [...recorded.slice(0, 4), tool(2, "completed"), tool(5, "invoked"), tool(6, "completed")];
  const { lines } = await validate(wrong, "--json");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ line: 5, code: "timestamp_out_of_order" }]);
});

test("R2: as an agent publishes them, members may be missing", async () => {
  const events = [
    { type: FIRST, session_id: "sess_1", summary_normal: "Hello." },
    { type: "aaep:agent.output.streaming", session_id: "sess_1", chunk: "Hel", complete: false },
    { type: "aaep:agent.output.streaming", session_id: "sess_1", chunk: "lo.", complete: true },
    { type: "aaep:agent.session.completed", session_id: "sess_1", summary_normal: "Done." },
  ];
  expect(await validate(events, "--as-published")).toMatchObject({ lines: ["4 events, nothing wrong."], code: 0 });
  const strict = await validate(events);
  expect(strict.lines[0]).toMatch(/^line 1, \/@context: /);
});

test("a file that ends in mid-session is valid, and that is said", async () => {
  const { code, err } = await validate(planner().slice(0, 3));
  expect(code).toBe(0);
  expect(err).toMatch(/^Note: the file ends before sess_\w+ does\.\n$/);
});

test("a file that cannot be read is a usage error, in one line that begins with Error:", async () => {
  const stage = await run(registerValidate, createStage(), "/no/such/file");
  expect(stage.err()).toMatch(/^Error: \/no\/such\/file cannot be read: there is no such file\. [^\n]*\n$/);
  expect(stage.exitCode()).toBe(2);
});

test("R20: --json and --verbose name the entries of the reference, which are in this package", async () => {
  const [started = {}, thinking = {}] = planner();
  const wrong = [started, { ...thinking, from_state: "deciding" }];
  const { lines: json } = await validate(wrong, "--json");
  const { help } = JSON.parse(json[0] ?? "") as { readonly help: readonly string[] };
  expect(help.map((link) => link.split("/").at(-1))).toEqual([
    "errors.md#state_mismatch",
    "rules.md#aaep-421",
    "rules.md#r3a",
  ]);
  for (const link of help) {
    const page = readFileSync(fileURLToPath(link.replace(/#.*/, "")), "utf8");
    expect(sectionsOf(page).map(({ anchor }) => anchor)).toContain(link.split("#")[1]);
  }
  const { lines } = await validate(wrong, "--verbose");
  expect(lines.slice(1, -1)).toEqual(help.map((link) => `  See ${link}`));
  const missing = await run(registerValidate, createStage(), "/no/such/file", "--verbose");
  expect(missing.err()).toMatch(/^Error: .*\n {2}See file:.*errors\.md#\w+\n/);
});
