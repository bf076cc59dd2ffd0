// A session with everything that could be lost on the way from one form into another.
import type { Message } from "../support/oracles/wire-sniffer.js";

const CONTEXT = ["https://aaep-protocol.org/context/v1", "https://example.org/v1"];
const EXTENSION = {
  mine: {
    nothing: null,
    none: [],
    empty: {},
    text: "",
    zero: 0,
    small: 1e-7,
    large: 9_007_199_254_740_991,
    larger: 1e22,
    deep: [{ a: [true, false, { "10": "ten", "2": "two" }] }],
    isCamelCase: true,
    urgency: "URGENCY_NORMAL",
    "key.with/odd~chars": "Ẹ ṣé 😀 \u0000\u2028",
  },
};

/** `mark`: letters or digits that stand in every id. */
export function richSession(mark: string): readonly Message[] {
  let count = 0;
  const event = (kind: string, fields: Message): Message => {
    count += 1;
    return {
      "@context": CONTEXT,
      type: `aaep:agent.${kind}`,
      event_id: `evt_${mark}E${count}`,
      session_id: `sess_${mark}`,
      producer: {
        agent_id: "rich-agent",
        agent_version: "1.2.3",
        agent_name: "Rich",
        model: "m",
        manifest_uri: "file:///m",
      },
      ...fields,
    };
  };
  return [
    event("session.started", {
      summary_normal: "Begins.",
      summary_normal_yo: "Ó bẹ̀rẹ̀.",
      expected_duration_ms: 86_400_000,
      requested_by: "maria",
      request_text: "",
      tools_available: ["fetch", "delete"],
      localization_hints: { primary_language: "en", text_direction: "ltr", available_languages: ["en", "yo"] },
      correlation_id: "c-1",
      extensions: EXTENSION,
      aaep_version: "1.0.0",
    }),
    event("state.changed", { from_state: "idle", to_state: "pondering_deeply", expected_duration_ms: 0 }),
    event("progress.updated", {
      progress: {
        percent: 12.5,
        step: 9_007_199_254_740_991,
        total_steps: 9_007_199_254_740_991,
        description: "Half.",
      },
      eta_ms: 1,
    }),
    event("tool.invoked", {
      summary_normal: "Fetches.",
      tool: "fetch",
      tool_call_id: "call_1",
      risk_level: "low",
      irreversible: false,
      args_summary: "{}",
    }),
    event("tool.completed", {
      tool: "fetch",
      tool_call_id: "call_1",
      status: "error",
      error_message: "No.",
      duration_ms: 0,
    }),
    event("output.streaming", {
      chunk: "Ẹ ǹlẹ́ 😀\r\n",
      position: 0,
      complete: false,
      coalesce_hint: "sentence",
      output_id: "out_1",
      content_type: "text/plain",
      language: "yo",
      extensions: EXTENSION,
    }),
    event("output.streaming", { chunk: "", position: 10, complete: true, output_id: "out_1" }),
    event("awaiting.confirmation", {
      action: "Delete it.",
      consequence: "It is gone.",
      reply_token: `rpl_${mark}C`,
      timeout_seconds: 86_400,
      default_decision: "reject",
      risk_level: "high",
      reversibility: "reversible_with_effort",
      irreversible: false,
      allowed_replies: ["accept", "reject"],
      extra_context: { tool: "delete", ids: [1, 2.5, -3], none: [], nothing: null },
    }),
    event("awaiting.clarification", {
      question: "Which?",
      reply_token: `rpl_${mark}Q`,
      timeout_seconds: 60,
      accepted_response_kinds: ["multiple_choice"],
      choices: [
        { value: "a", label: "A" },
        { value: "b", label: "Nothing" },
      ],
      context: "",
      default_response: "a",
    }),
    event("session.errored", {
      summary_normal: "Failed.",
      summary_normal_yo: "Kò ṣiṣẹ́.",
      error_category: "requires_user",
      error_code: "E_1",
      recoverable: false,
      remediation_hint: "Try again.",
    }),
  ];
}
