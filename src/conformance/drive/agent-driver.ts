// An agent of the suite, for producers that take agents. It publishes as an agent of aaepd does (AAEP §4).
import { setTimeout as wait } from "node:timers/promises";
import { faultFrom, usage } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { ipcRpcConnector } from "../../client/node.js";
import { newSessionId } from "../../client/random-ids.js";
import { endpointText } from "../wire/endpoint.js";
import { noConnection } from "../wire/endpoint-faults.js";
import type { Driver, ScenarioName } from "./driver.js";

/** One session, with the words of its events. */
interface Acting {
  readonly say: (type: string, members?: Members) => Promise<void>;
  /** Says that the agent goes over to a state, unless it is there. */
  readonly enter: (state: string) => Promise<void>;
  readonly ask: (kind: "confirm" | "clarify", members: Members) => Promise<Members>;
  /** Numbers what is called and written, in the session. */
  readonly next: () => number;
}

/** A part of a scenario. */
type Act = (acting: Acting) => Promise<void>;

const STATES: ReadonlyMap<string, string> = new Map([
  ["thinking", "Thinks."],
  ["calling_tool", "Calls a tool."],
  ["writing_output", "Writes."],
]);
const TWO_SENTENCES = "The photos are sorted now. Nine of them were taken twice. ";
/** The text of the scenario "text", in two paragraphs. */
const PARAGRAPHS = `${TWO_SENTENCES}The copies stay where they are.\n
Dr. Zoë Adams 📷 took most of them in 2024. It rained on the third day. Nothing was deleted.`;

/** Texts in scripts that end sentences by other marks, or words by none. */
const OTHER_TEXTS: readonly (readonly [language: string, text: string])[] = [
  ["ar", "الصور مرتبة الآن. تسع منها التقطت مرتين. هل أحذف النسخ؟ لم يُحذف شيء."],
  ["ja", "写真は整理されました。九枚は二回撮られています。コピーはそのままです。"],
  ["th", "จัดเรียงรูปภาพแล้ว มีเก้ารูปที่ถ่ายซ้ำ สำเนายังอยู่ที่เดิม"],
  ["hi", "तस्वीरें अब क्रम में हैं। उनमें से नौ दो बार ली गईं। कुछ भी हटाया नहीं गया।"],
];

const BILINGUAL = { primary_language: "en", available_languages: ["en", "fr"] };
const INVOKED = { args_summary: "all", risk_level: "low", irreversible: false, summary_normal: "Lists the photos." };
const LISTED = { status: "success" };
const FAILED = { status: "error", error_message: "The disk is not there." };
const FAILURE = { error_code: "DISK_GONE", error_category: "permanent", summary_normal: "The disk is not there." };
const QUESTION = {
  action: "Delete nine photos.",
  consequence: "The photos cannot be brought back.",
  risk_level: "high",
  irreversible: true,
  timeout_seconds: 30,
  default_decision: "reject",
  summary_normal: "May I delete nine photos?",
};
const CHOICES = [
  { value: "y2023", label: "In 2023" },
  { value: "y2024", label: "In 2024" },
];
const DELETED = { status: "success", summary_normal: "Deleted." };
const CANCELLED = { cancelled_by: "user", summary_normal: "Cancelled by the user." };
const HIGH = { risk_level: "high", timeout_seconds: 30 };
const SHORT = { ...HIGH, timeout_seconds: 2 };
const MEDIUM = { risk_level: "medium", timeout_seconds: 30 };
const YEAR = { question: "Which year?", timeout_seconds: 30, summary_normal: "Which year do you mean?" };
const PRODUCER = { agent_id: "conformance-agent", agent_version: "1.0.0", agent_name: "Conformance agent" };

/** `path`: the socket or pipe of the producer. */
export function agentDriver(path: string): Driver {
  let client: Promise<AgentClient> | undefined;
  const connected = (): Promise<AgentClient> => {
    client ??= AgentClient.open(ipcRpcConnector(path));
    return client;
  };
  return {
    prepare: async () => {
      await connected().catch((caught: unknown) => {
        const { code, sentence } = faultFrom(caught);
        const place = endpointText({ kind: "ipc", path });
        if (code === "not_found") throw noConnection(place, caught, "--agent");
        throw usage(`The suite's agent cannot publish at ${place}: ${sentence}`);
      });
    },
    lacks: () => undefined,
    perform: async (scenario) => {
      const agent = await connected();
      const sessionId = newSessionId();
      const done = perform(scenario, actingIn(agent, { session_id: sessionId, producer: PRODUCER }));
      // A case that does not wait for the end is not interrupted by it.
      done.catch(() => {});
      return { sessionId, done, giveUp: () => {} };
    },
    stop: async () => (await client)?.close(),
  };
}

function actingIn(agent: AgentClient, envelope: Members): Acting {
  let current = "idle";
  let last = 0;
  const say: Acting["say"] = async (type, members = {}) =>
    void (await agent.publish({ type: `aaep:agent.${type}`, ...envelope, ...members }));
  return {
    say,
    enter: async (state) => {
      if (state === current) return;
      const change = { from_state: current, to_state: state, summary_normal: STATES.get(state) ?? state };
      current = state;
      await say("state.changed", change);
    },
    ask: async (kind, members) => (await agent[kind]({ ...envelope, ...members })) as unknown as Members,
    next: () => {
      last += 1;
      return last;
    },
  };
}

async function perform(scenario: ScenarioName, acting: Acting): Promise<void> {
  for (const act of ACTS[scenario]) await act(acting);
}

/** Says one event. */
const says =
  (type: string, members: Members): Act =>
  ({ say }) =>
    say(type, members);

const begins =
  (members: Members = {}): Act =>
  async ({ say, enter }) => {
    await say("session.started", { summary_normal: "Sorts the photos.", ...members });
    await enter("thinking");
  };

const completes = (members: Members = {}): Act =>
  says("session.completed", { summary_normal: "The photos are sorted.", ...members });

/** Calls a tool. A call that is refused does not end. */
const calls =
  (tool: string, ending: Members, members: Members = {}): Act =>
  async ({ say, enter, next }) => {
    const call = { tool, tool_call_id: `call_${next()}` };
    await enter("calling_tool");
    await say("tool.invoked", { ...INVOKED, ...members, ...call });
    await say("tool.completed", { duration_ms: 5, summary_normal: "Has listed them.", ...ending, ...call });
  };

const MANY_CALLS = Array.from({ length: 12 }, (_, index) => calls(`list_album_${index}`, LISTED));

/** Writes in pieces of three characters, without hints. */
const writes =
  (text: string, members: Members = {}): Act =>
  async ({ say, enter, next }) => {
    const output = { output_id: `out_${next()}`, ...members };
    await enter("writing_output");
    const pieces = text.match(/.{1,3}/gsu) ?? [];
    // At once: a text that is waited for piece by piece is slow on a busy machine.
    await Promise.all(pieces.map((chunk) => say("output.streaming", { chunk, complete: false, ...output })));
    await say("output.streaming", { chunk: "", complete: true, ...output });
  };

/** Progress and text: 20 events a second and more, for 120 tenths of a second. */
const floods: Act = async ({ say, enter, next }) => {
  const output_id = `out_${next()}`;
  await enter("writing_output");
  for (let round = 0; round < 120; round += 1) {
    await say("progress.updated", { progress: { percent: Math.min(99, round) }, summary_normal: `Step ${round + 1}.` });
    await say("output.streaming", { output_id, chunk: `This is sentence ${round + 1}. `, complete: false });
    await wait(90);
  }
  await say("output.streaming", { output_id, chunk: "", complete: true });
};

/** Asks for consent, and calls the tool after an accept. */
const confirms =
  (members: Members): Act =>
  async (acting) => {
    const { decision, resolved_by } = await acting.ask("confirm", { ...QUESTION, ...members });
    const { risk_level } = members;
    if (decision === "accept" && resolved_by === "reply")
      await calls("delete_photos", DELETED, { irreversible: true, risk_level })(acting);
  };

const clarifies =
  (...kinds: readonly string[]): Act =>
  async ({ ask }) => {
    const choices = kinds.includes("multiple_choice") ? { choices: CHOICES } : {};
    await ask("clarify", { ...YEAR, accepted_response_kinds: kinds, ...choices });
  };

/** Asks for consent, and ends the question by an event after a time. */
const takesBack =
  (afterMs: number, type: string, members: Members): Act =>
  async ({ say, ask }) => {
    const asked = ask("confirm", QUESTION).catch(() => ({}));
    await wait(afterMs);
    await say(type, members);
    await asked;
  };

/** Tries a call that nobody has accepted. */
const callsUnasked: Act = (acting) => calls("delete_photos", DELETED, { irreversible: true })(acting).catch(() => {});

const HANDOFF = {
  target_kind: "human",
  reason: "The question is about taxes.",
  summary_normal: "A person takes over: the question is about taxes.",
};
const WITHDRAWN = {
  from_state: "awaiting_input",
  to_state: "thinking",
  summary_normal: "The photos are needed after all.",
};
const SUMMARIES = {
  summary_terse: "Sorting.",
  summary_detailed: "Sorts all the photos of the last three years by their dates.",
};

const ACTS: Readonly<Record<ScenarioName, readonly Act[]>> = {
  session: [begins(), calls("list_photos", LISTED), writes(TWO_SENTENCES), completes()],
  text: [
    begins(),
    writes(PARAGRAPHS),
    ...OTHER_TEXTS.map(([language, text]) => writes(text, { language })),
    completes(),
  ],
  flood: [begins(), floods, completes()],
  "error-after-tools": [begins(), ...MANY_CALLS, says("session.errored", FAILURE)],
  confirmation: [begins(), confirms(HIGH), completes()],
  "confirmation-short": [begins(), confirms(SHORT), completes()],
  "two-confirmations": [begins(), confirms(HIGH), confirms(MEDIUM), completes()],
  "two-confirmations-short": [begins(), confirms(SHORT), confirms(MEDIUM), completes()],
  clarification: [begins(), clarifies("freetext"), completes()],
  choice: [begins(), clarifies("multiple_choice"), completes()],
  "number-and-yes-no": [begins(), clarifies("numeric"), clarifies("yes_no"), completes()],
  "many-tools": [begins(), ...MANY_CALLS, completes()],
  verbosity: [begins(SUMMARIES), calls("list_photos", LISTED), completes()],
  "cancel-question": [begins(), takesBack(1000, "session.cancelled", CANCELLED)],
  "withdraw-question": [begins(), takesBack(500, "state.changed", WITHDRAWN), () => wait(1000), completes()],
  error: [begins(), calls("list_photos", FAILED), says("session.errored", FAILURE)],
  cancel: [begins(), says("session.cancelled", CANCELLED)],
  handoff: [begins(), says("handoff.requested", HANDOFF), completes()],
  "tool-failure": [begins(), calls("read_disk", FAILED), calls("read_tape", { status: "timeout" }), completes()],
  "irreversible-unasked": [begins(), callsUnasked, completes()],
  languages: [
    begins({ summary_normal_fr: "Trie les photos.", localization_hints: BILINGUAL }),
    completes({ summary_normal_fr: "Les photos sont triées.", localization_hints: BILINGUAL }),
  ],
};
