// docs/akashik.md, run as it stands there: the commands, what they print, and the numbers of its examples.
import { expect, it } from "vitest";
import { isAkashikRequest } from "#gen/akashik/validators.js";
import { listenerOf, relevanceScore } from "../../src/protocols/akashik/field/relevance.js";
import { wordsOf } from "../../src/protocols/akashik/field/words.js";
import { OPERATIONS } from "../../src/protocols/akashik/messages/envelope.js";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { startCommand } from "../support/peers/program.js";
import { startRig } from "../support/rigs/daemon-rig.js";

const PAGE = docPage("akashik.md");
const block = (language: string, name: string): string => docBlock(PAGE, language, name);

const IN_PYTHON = "python3 examples/akashik/agent.py";
const IN_TYPESCRIPT = block("sh", "typescript").trim();

it.each([
  [IN_PYTHON, IN_TYPESCRIPT],
  [IN_TYPESCRIPT, IN_PYTHON],
])("an agent by %s is told of what another one by %s records", async (reading, writing) => {
  ensureBuilt();
  const rig = await startRig();
  const run = (name: string, program: string) =>
    startCommand(["sh", "-c", `exec ${block("sh", name).trim().replace(IN_PYTHON, program)}`], {
      environment: { SOCKET: String(rig.daemon.endpoints.ipc) },
    });
  const reader = run("reader", reading);
  await eventually(() => expect(reader.stdout()).toContain("subscribed"));
  const writer = run("writer", writing);
  for (const { ended } of [writer, reader]) expect(await ended).toMatchObject({ code: 0 });
  expect(reader.stdout()).toBe(block("text", "reader"));
  expect(writer.stdout()).toContain("recorded: recorded");
});

it("the message is as the schema says, and the page has every operation", () => {
  expect(isAkashikRequest(JSON.parse(block("json", "subscribe")))).toBe(true);
  for (const operation of OPERATIONS) expect(PAGE).toContain(`| \`${operation}\` |`);
});

it("the scores of the examples are those of the Field", () => {
  const rows = [...PAGE.matchAll(/^\| (finding|decision|observation) "(.*)" \| ([\d.]+) \|$/gm)];
  expect(rows).toHaveLength(4);
  const listener = listenerOf({ role: "strategist", interests: ["market pricing", "competitor analysis"] });
  for (const [, kind, text = "", score] of rows)
    expect(relevanceScore({ kind: kind as "finding", words: wordsOf(text) }, listener), text).toBe(Number(score));
});
