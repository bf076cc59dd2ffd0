// The lines of agents as they were recorded between each agent, unchanged, and an editor that allows the first command and rejects the second. The
// model was a scripted one. Each line is `MS host|child LINE`. What an agent offers of models and settings is left out.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { acpStage } from "./acp-stage.js";

/** The signs of each recorded line, by its number from 1. All other lines are silent. */
const RECORDED: Readonly<Record<string, readonly string[]>> = {
  "opencode-1.18.33": [
    "5: turn | Write a note. | ses_de902cb9affeReCkMsEYAUxVV3 | /home/user/shop",
    "7: text-end",
    "7: text | msg_216fd366c001v7CEnIMtFu4lwW | I look at it ",
    "8: text | msg_216fd366c001v7CEnIMtFu4lwW | first. Then I write.",
    "11: question | question 1 | call_0 | execute | Run echo milk > note.txt | Command: echo milk > note.txt | medium | false | 600",
    "12: question-over | question 1 | accept",
    "12: tool | call_0 | execute | Runs echo milk > note.txt | host",
    "14: tool-end | call_0 | success",
    "15: text-end",
    "15: text | msg_216fd4d5f0012FV1JKSHlj73iO | The note ",
    "16: text | msg_216fd4d5f0012FV1JKSHlj73iO | is there.",
    "18: end | completed | Done.",
    "19: turn | Remove it. | ses_de902cb9affeReCkMsEYAUxVV3 | /home/user/shop",
    "21: question | question 2 | call_2 | execute | Run rm note.txt | Command: rm note.txt | medium | false | 600",
    "23: question-over | question 2 | reject",
    "26: end | completed | Done.",
  ],
  "codex-acp-2.6.0": [
    "9: turn | Write a note. | 01a2171a-d9aa-7ec2-bf43-7ff5f37a66a8 | /home/user/shop",
    "11: text |  | Warning: Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.\n\n",
    "13: text-end",
    "13: text | msg_0 | I ",
    "14: text | msg_0 | write ",
    "15: text | msg_0 | a ",
    "16: text | msg_0 | note.",
    "19: question | question 1 | call_0 | execute | Run echo milk > note.txt | Command: echo milk > note.txt\ncwd: /home/user/shop | medium | false | 600",
    "20: question-over | question 1 | accept",
    "20: tool | call_0 | execute | Runs echo milk > note.txt | host",
    "22: tool-end | call_0 | success",
    "24: text-end",
    "24: text | msg_1 | The ",
    "25: text | msg_1 | note ",
    "26: text | msg_1 | is ",
    "27: text | msg_1 | there.",
    "31: end | completed | Done.",
    "32: turn | Remove it. | 01a2171a-d9aa-7ec2-bf43-7ff5f37a66a8 | /home/user/shop",
    "33: text |  | Warning: Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.\n\n",
    "37: question | question 2 | call_2 | execute | Run rm note.txt | Command: rm note.txt\ncwd: /home/user/shop | medium | false | 600",
    "38: question-over | question 2 | reject",
    "43: end | cancelled | Stopped.",
  ],
};

test.each(Object.entries(RECORDED))("%s", (name, expected) => {
  const lines = readFileSync(new URL(`recorded/${name}.txt`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const stage = acpStage();
  const told: string[] = [];
  let now = 0;
  const note = (what: string): void => {
    const all = stage.told();
    told.push(...all.slice(told.length).map((sign) => `${what}: ${sign}`));
  };
  for (const [index, line] of lines.entries()) {
    const [at = "", from = "", ...words] = line.split(" ");
    stage.pass(Number(at) - now);
    now = Number(at);
    note(`before ${index + 1}`);
    (from === "host" ? stage.editor : stage.agent)(words.join(" "));
    note(String(index + 1));
  }
  expect(told).toEqual(expected);
  expect(stage.toAgent).toEqual(
    lines.filter((line) => / host /.test(line)).map((line) => line.replace(/^\d+ host /, "")),
  );
});
