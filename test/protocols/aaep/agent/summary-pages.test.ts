import { expect, test } from "vitest";
import type { SessionSummary } from "../../../../src/engine/sessions/session-record.js";
import { summaryDocument } from "../../../../src/protocols/aaep/agent/agent-documents.js";

test("R8: what is told of a session's questions comes in answers of a bounded size, and each question once", () => {
  const tokens = Array.from({ length: 30 }, (_, index) => `rpl_${index}`);
  const text = "x".repeat(6000);
  const summary = {
    sessionId: "sess_1",
    agents: Array.from({ length: 500 }, (_, index) => ({
      producer: { agent_id: `agent_${index}` },
      state: "thinking",
    })),
    openTools: [{ tool: "search", toolCallId: undefined }],
    openOutputs: [{ outputId: undefined, position: 3 }],
    openQuestions: tokens.map((token, index) => ({
      token,
      ordinal: index + 2,
      event: { reply_token: token, action: text },
    })),
    outcomes: tokens.map((token, index) => ({
      token,
      outcome: { decision: "accept", rationale: text },
      number: index + 1,
    })),
  } as unknown as SessionSummary;
  const questions: unknown[] = [];
  const outcomes: unknown[] = [];
  let pages = 0;
  let after: unknown;
  do {
    const document = summaryDocument(summary, after);
    expect(JSON.stringify(document).length).toBeLessThan(66_000);
    questions.push(...(document.open_questions as readonly { readonly reply_token: string }[]));
    outcomes.push(...(document.outcomes as readonly unknown[]));
    const { agents, open_tools: tools, open_outputs: outputs } = document as Record<string, readonly unknown[]>;
    expect([agents?.length, tools?.length, outputs?.length]).toEqual(after === undefined ? [500, 1, 1] : [0, 0, 0]);
    after = document.next;
    pages += 1;
  } while (after !== undefined);
  expect(questions.map((one) => (one as { readonly reply_token: string }).reply_token)).toEqual(tokens);
  expect(outcomes.map((one) => (one as { readonly reply_token: string }).reply_token)).toEqual(tokens);
  expect(pages).toBeGreaterThan(5);
  // A question that is over leaves the list, and its place stays.
  const { next } = summaryDocument(summary);
  const rest = { ...summary, openQuestions: summary.openQuestions.slice(20) };
  expect(summaryDocument(rest, next)).toMatchObject({
    open_questions: [{ reply_token: "rpl_20" }, {}, {}, {}, {}, {}, {}, {}, {}, {}],
  });
  expect(summaryDocument({ ...summary, openQuestions: [] }, next)).toMatchObject({ open_questions: [] });
  expect(summaryDocument(summary, "elsewhere")).toEqual(summaryDocument(summary));
});
