import { expect, test } from "vitest";
import type { SessionSummary } from "../../../../src/engine/sessions/session-record.js";
import { summaryDocument } from "../../../../src/protocols/aaep/agent/agent-documents.js";

test("R8: what is told of a session's questions comes in answers of a bounded size, and each question once", () => {
  const tokens = Array.from({ length: 30 }, (_, index) => `rpl_${index}`);
  const text = "x".repeat(6000);
  const summary = {
    sessionId: "sess_1",
    agents: [],
    openTools: [],
    openOutputs: [],
    openQuestions: tokens.map((token) => ({ token, event: { reply_token: token, action: text } })),
    outcomes: tokens.map((token) => ({ token, outcome: { decision: "accept", rationale: text } })),
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
    after = document.next;
    pages += 1;
  } while (after !== undefined);
  expect(questions.map((one) => (one as { readonly reply_token: string }).reply_token)).toEqual(tokens);
  expect(outcomes.map((one) => (one as { readonly reply_token: string }).reply_token)).toEqual(tokens);
  expect(pages).toBeGreaterThan(5);
  // A question that is over leaves no place: the list begins anew, and nothing is missed.
  expect(summaryDocument(summary, "question gone")).toEqual(summaryDocument(summary));
});
