// docs/command-line.md: what it shows of a terminal is what the commands write there.
import { createColors } from "picocolors";
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { readySentences } from "../../src/cli/serve/serve.js";
import { createTailLines } from "../../src/cli/tail/tail-lines.js";
import { createReadText } from "../../src/cli/terminal/agent-text.js";
import { logSentence } from "../../src/cli/terminal/log-sentences.js";
import { docBlock, docPage } from "../support/doc-blocks.js";

const PAGE = docPage("command-line.md");

/** Lines of a block, without the time in front. */
function shown(name: string): readonly string[] {
  return docBlock(PAGE, "text", name).trimEnd().split("\n").map(withoutTime);
}

function withoutTime(line: string): string {
  return line.replace(/^\d\d:\d\d:\d\d /, "");
}

it("serve says what the page says", () => {
  const endpoints = { ipc: "/run/user/1000/aaep/aaepd.sock" };
  const path = "/home/ada/.local/state/aaepd/journal/aaepd/journal.mdb";
  const lines = [
    {
      level: "error",
      path,
      reason: "The disk is full.",
      remedy: "Make room on it.",
      msg: "the journal cannot be written; publishing is refused",
    },
    { level: "info", reason: "signal", signal: "SIGINT", exitCode: 0, msg: "stopping" },
    { level: "info", exitCode: 0, msg: "stopped" },
  ];
  expect(shown("serve")).toEqual(
    [
      ...readySentences({ producerId: "aaepd", endpoints, tokenPath: undefined }, new Date()),
      ...lines.map((fields) => logSentence(JSON.stringify({ time: new Date().toISOString(), ...fields })).trimEnd()),
    ].map(withoutTime),
  );
});

it("tail prints what the page says", () => {
  const tailLine = createTailLines({
    asJson: false,
    withLabel: false,
    withTime: true,
    withNames: true,
    colors: createColors(false),
    read: createReadText("braille", {}),
  });
  const event = (agent_name: string, type: string, fields: object) =>
    tailLine(
      "aaepd",
      {
        type: `aaep:agent.${type}`,
        timestamp: "2026-05-24T14:22:11.000Z",
        producer: { agent_id: agent_name, agent_name },
        ...fields,
      } as unknown as Envelope,
      false,
    );
  const lines = [
    event("Librarian", "session.started", { summary_normal: "Looks for a book." }),
    event("Librarian", "state.changed", { to_state: "thinking" }),
    event("Librarian", "output.streaming", { chunk: "It is on **shelf 3.14**.", complete: false, position: 0 }),
    event("Gardener", "session.started", { summary_normal: "Waters the plants." }),
    event("Librarian", "output.streaming", { chunk: "", complete: true, position: 24 }),
    event("Librarian", "session.completed", { summary_normal: "Looks for a book." }),
  ];
  expect(lines.flatMap((line) => (line === undefined ? [] : [withoutTime(line)]))).toEqual(shown("tail"));
});
