// An agent of the suite, for producers that take agents. It publishes as an agent of aaepd does (AAEP §4).
import { Fault, faultFrom } from "../../base/errors.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { ipcRpcConnector } from "../../client/node.js";
import { endpointText } from "../wire/endpoint.js";
import { noConnection } from "../wire/endpoint-faults.js";
import type { Driver } from "./driver.js";
import type { ScenarioName } from "./scenarios.js";

type Fields = Readonly<Record<string, unknown>>;

export interface AgentDriverOptions {
  /** The socket or pipe of the producer. */
  readonly path: string;
  /** Draws lower-case hex digits, two for each of `bytes`. */
  readonly hex: (bytes: number) => string;
  readonly wait: (ms: number) => Promise<void>;
}

/** One session, with the words of its events. */
interface Acting {
  readonly sessionId: string;
  readonly say: (type: string, members?: Fields) => Promise<void>;
  /** Says that the agent goes over to a state, unless it is there. */
  readonly enter: (state: string) => Promise<void>;
  readonly ask: (kind: "confirm" | "clarify", members: Fields) => Promise<Fields>;
  readonly wait: (ms: number) => Promise<void>;
  readonly hex: (bytes: number) => string;
}

const STATES: ReadonlyMap<string, string> = new Map([
  ["thinking", "Thinks."],
  ["calling_tool", "Calls a tool."],
  ["writing_output", "Writes."],
]);
/** The text of the scenario "text", in two paragraphs. */
const SENTENCES = [
  "The photos are sorted now. ",
  "Nine of them were taken twice. ",
  "The copies stay where they are.\n\n",
  "Dr. Zoë Adams 📷 took most of them in 2024. ",
  "It rained on the third day. ",
  "Nothing was deleted.",
] as const;

/** Texts in scripts that end sentences by other marks, or words by none. */
const OTHER_TEXTS: readonly (readonly [language: string, text: string])[] = [
  ["ar", "الصور مرتبة الآن. تسع منها التقطت مرتين. هل أحذف النسخ؟ لم يُحذف شيء."],
  ["ja", "写真は整理されました。九枚は二回撮られています。コピーはそのままです。"],
  ["th", "จัดเรียงรูปภาพแล้ว มีเก้ารูปที่ถ่ายซ้ำ สำเนายังอยู่ที่เดิม"],
  ["hi", "तस्वीरें अब क्रम में हैं। उनमें से नौ दो बार ली गईं। कुछ भी हटाया नहीं गया।"],
];

const BILINGUAL = { primary_language: "en", available_languages: ["en", "fr"] };
const INVOKED = {
  args_summary: "all",
  risk_level: "low",
  irreversible: false,
  summary_normal: "Lists the photos.",
};
const FAILURE = {
  error_code: "DISK_GONE",
  error_category: "permanent",
  summary_normal: "The disk is not there.",
};
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
const PRODUCER = { agent_id: "conformance-agent", agent_version: "1.0.0", agent_name: "Conformance agent" };

export function agentDriver({ path, hex, wait }: AgentDriverOptions): Driver {
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
        throw new Fault("usage", `The suite's agent cannot publish at ${place}: ${sentence}`, { origin: "local" });
      });
    },
    lacks: () => undefined,
    perform: async (scenario) => {
      const agent = await connected();
      const sessionId = `sess_${hex(12)}`;
      const publish = (type: string, members: Fields) =>
        agent.publish({ type: `aaep:agent.${type}`, session_id: sessionId, producer: PRODUCER, ...members });
      let current = "idle";
      const acting: Acting = {
        sessionId,
        say: async (type, members = {}) => void (await publish(type, members)),
        enter: async (state) => {
          if (state === current) return;
          const change = { from_state: current, to_state: state, summary_normal: STATES.get(state) ?? state };
          current = state;
          await publish("state.changed", change);
        },
        ask: async (kind, members) =>
          (await agent[kind]({ session_id: sessionId, producer: PRODUCER, ...members })) as unknown as Fields,
        wait,
        hex,
      };
      const done = ACTS[scenario](acting);
      // A case that does not wait for the end is not interrupted by it.
      done.catch(() => {});
      return { sessionId, done, giveUp: () => {} };
    },
    stop: async () => (await client)?.close(),
  };
}

const ACTS: Readonly<Record<ScenarioName, (acting: Acting) => Promise<void>>> = {
  session: async (acting) => {
    await begin(acting);
    await tool(acting, "list_photos", { status: "success" });
    await write(acting, SENTENCES.slice(0, 2));
    await complete(acting);
  },
  text: async (acting) => {
    await begin(acting);
    await write(acting, SENTENCES);
    for (const [language, text] of OTHER_TEXTS) await write(acting, [text], { language });
    await complete(acting);
  },
  flood: async (acting) => {
    await begin(acting);
    await flood(acting, 120);
    await complete(acting);
  },
  "error-after-tools": async (acting) => {
    await begin(acting);
    await manyTools(acting);
    await acting.say("session.errored", FAILURE);
  },
  confirmation: (acting) => confirmed(acting, [HIGH]),
  "confirmation-short": (acting) => confirmed(acting, [{ ...HIGH, timeout_seconds: 2 }]),
  "two-confirmations": (acting) => confirmed(acting, [HIGH, MEDIUM]),
  "two-confirmations-short": (acting) => confirmed(acting, [{ ...HIGH, timeout_seconds: 2 }, MEDIUM]),
  clarification: (acting) => clarified(acting, [{ accepted_response_kinds: ["freetext"] }]),
  choice: (acting) => clarified(acting, [{ accepted_response_kinds: ["multiple_choice"], choices: CHOICES }]),
  "number-and-yes-no": (acting) =>
    clarified(acting, [{ accepted_response_kinds: ["numeric"] }, { accepted_response_kinds: ["yes_no"] }]),
  "many-tools": async (acting) => {
    await begin(acting);
    await manyTools(acting);
    await complete(acting);
  },
  verbosity: async (acting) => {
    await begin(acting, {
      summary_terse: "Sorting.",
      summary_detailed: "Sorts all the photos of the last three years by their dates.",
    });
    await tool(acting, "list_photos", { status: "success" });
    await complete(acting);
  },
  "cancel-question": async (acting) => {
    await begin(acting);
    const asked = acting.ask("confirm", QUESTION).catch(() => ({}));
    await acting.wait(1000);
    await acting.say("session.cancelled", { cancelled_by: "user", summary_normal: "Cancelled by the user." });
    await asked;
  },
  "withdraw-question": async (acting) => {
    await begin(acting);
    const asked = acting.ask("confirm", QUESTION).catch(() => ({}));
    await acting.wait(500);
    await acting.say("state.changed", {
      from_state: "awaiting_input",
      to_state: "thinking",
      summary_normal: "The photos are needed after all.",
    });
    await asked;
    await acting.wait(1000);
    await complete(acting);
  },
  error: async (acting) => {
    await begin(acting);
    await tool(acting, "list_photos", { status: "error", error_message: "The disk is not there." });
    await acting.say("session.errored", FAILURE);
  },
  cancel: async (acting) => {
    await begin(acting);
    await acting.say("session.cancelled", { cancelled_by: "user", summary_normal: "Cancelled by the user." });
  },
  handoff: async (acting) => {
    await begin(acting);
    await acting.say("handoff.requested", {
      target_kind: "human",
      reason: "The question is about taxes.",
      summary_normal: "A person takes over: the question is about taxes.",
    });
    await complete(acting);
  },
  "tool-failure": async (acting) => {
    await begin(acting);
    await tool(acting, "read_disk", { status: "error", error_message: "The disk is not there." });
    await tool(acting, "read_tape", { status: "timeout" });
    await complete(acting);
  },
  "irreversible-unasked": async (acting) => {
    await begin(acting);
    await acting.enter("calling_tool");
    const call = { ...INVOKED, irreversible: true, tool: "delete_photos", tool_call_id: `call_${acting.hex(8)}` };
    const refused = await acting.say("tool.invoked", call).then(
      () => false,
      () => true,
    );
    if (!refused) await acting.say("tool.completed", { ...ENDED, tool: call.tool, tool_call_id: call.tool_call_id });
    await complete(acting);
  },
  languages: async (acting) => {
    await begin(acting, { summary_normal_fr: "Trie les photos.", localization_hints: BILINGUAL });
    await complete(acting, { summary_normal_fr: "Les photos sont triées.", localization_hints: BILINGUAL });
  },
};

const HIGH = { risk_level: "high", timeout_seconds: 30 };
const MEDIUM = { risk_level: "medium", timeout_seconds: 30 };
const ENDED = { status: "success", duration_ms: 5, summary_normal: "Deleted." };

async function begin({ say, enter }: Acting, members: Fields = {}): Promise<void> {
  await say("session.started", { summary_normal: "Sorts the photos.", ...members });
  await enter("thinking");
}

async function manyTools(acting: Acting): Promise<void> {
  for (let call = 0; call < 12; call += 1) await tool(acting, `list_album_${call}`, { status: "success" });
}

async function complete({ say }: Acting, members: Fields = {}): Promise<void> {
  await say("session.completed", { summary_normal: "The photos are sorted.", ...members });
}

async function tool({ say, enter, hex }: Acting, name: string, ending: Fields): Promise<void> {
  const tool_call_id = `call_${hex(8)}`;
  await enter("calling_tool");
  await say("tool.invoked", { ...INVOKED, tool: name, tool_call_id });
  await say("tool.completed", {
    tool: name,
    tool_call_id,
    duration_ms: 5,
    summary_normal: "Has listed them.",
    ...ending,
  });
}

/** Writes in pieces of three characters, without hints. */
async function write({ say, enter, hex }: Acting, sentences: readonly string[], members: Fields = {}): Promise<void> {
  const output_id = `out_${hex(8)}`;
  await enter("writing_output");
  const pieces = sentences.join("").match(/.{1,3}/gsu) ?? [];
  // At once: a text that is waited for piece by piece is slow on a busy machine.
  await Promise.all(pieces.map((chunk) => say("output.streaming", { output_id, chunk, complete: false, ...members })));
  await say("output.streaming", { output_id, chunk: "", complete: true, ...members });
}

/** Progress and text: 20 events a second and more, for `rounds` tenths of a second. */
async function flood({ say, enter, wait, hex }: Acting, rounds: number): Promise<void> {
  const output_id = `out_${hex(8)}`;
  await enter("writing_output");
  for (let round = 0; round < rounds; round += 1) {
    await say("progress.updated", { progress: { percent: Math.min(99, round) }, summary_normal: `Step ${round + 1}.` });
    await say("output.streaming", { output_id, chunk: `This is sentence ${round + 1}. `, complete: false });
    await wait(90);
  }
  await say("output.streaming", { output_id, chunk: "", complete: true });
}

async function clarified(acting: Acting, questions: readonly Fields[]): Promise<void> {
  await begin(acting);
  for (const question of questions)
    await acting.ask("clarify", {
      question: "Which year?",
      timeout_seconds: 30,
      summary_normal: "Which year do you mean?",
      ...question,
    });
  await complete(acting);
}

/** Asks one question after the other, and calls the tool after each accept. */
async function confirmed(acting: Acting, questions: readonly Fields[]): Promise<void> {
  await begin(acting);
  for (const question of questions) {
    const { risk_level } = question;
    const { decision, resolved_by } = await acting.ask("confirm", { ...QUESTION, ...question });
    const tool_call_id = `call_${acting.hex(8)}`;
    if (decision !== "accept" || resolved_by !== "reply") continue;
    await acting.enter("calling_tool");
    const tool = "delete_photos";
    await acting.say("tool.invoked", { ...INVOKED, risk_level, irreversible: true, tool, tool_call_id });
    await acting.say("tool.completed", { ...ENDED, tool, tool_call_id });
  }
  await complete(acting);
}
