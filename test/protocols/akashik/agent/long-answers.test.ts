// Answers that would be long: they are cut, the newest first, and not made for a peer that has gone.
import { expect, it } from "vitest";
import { createAkashikStage, RECORD } from "../akashik-stage.js";

const MOST_TEXT = 1024 * 1024;

it("DETECT and ATTUNE show the newest conflicts that an answer has room for", async () => {
  const stage = createAkashikStage();
  const [one, other] = [await stage.agent("one"), await stage.agent("other")];
  const { memory_unit_id: target } = (await one.ask("RECORD", RECORD)).payload as Record<string, unknown>;
  let newest: unknown;
  for (let index = 0; index < 80; index += 1) {
    const relations = [{ type: "contradicts", target_id: target }];
    const { conflicts_detected } = (await other.ask("RECORD", { ...RECORD, relations })).payload as {
      readonly conflicts_detected: readonly { readonly id: string }[];
    };
    newest = conflicts_detected[0]?.id;
    const resolution = { synthesis: "\u6f22".repeat(16_384), rationale: "r" };
    await one.ask("MERGE", { conflict_id: newest, strategy: "last_write_wins", resolution });
  }
  const { conflicts } = (await one.ask("DETECT", { mode: "list" })).payload as {
    readonly conflicts: readonly { readonly id: string }[];
  };
  expect(conflicts.length).toBeGreaterThan(50);
  expect(conflicts.length).toBeLessThan(80);
  expect(conflicts[0]?.id).toBe(newest);
  expect(JSON.stringify(conflicts).length).toBeLessThan(MOST_TEXT + 20_000);
});
