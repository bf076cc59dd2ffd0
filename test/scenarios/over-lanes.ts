// Tells scenarios over every lane. What is skipped says why.
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isTried, isWhole, itInFull } from "../support/extent.js";
import { LANES } from "../support/lanes.js";
import { runScenario } from "./run.js";
import { type Scenario, skipReason } from "./scenario.js";

/** Lanes of a short run: each transport, envelope and service once. They take turns: each scenario is told over two of them. */
const SHORT: readonly string[] = [
  "ipc, newline",
  "ipc, JSON-RPC, content-length",
  "memory",
  "memory, JSON-RPC",
  "stdio, JSON-RPC",
  "gRPC, Subscribe and Publish",
  "gRPC, AaepService",
  "Connect over HTTP/1.1",
  "the client over HTTP",
  "Connect over HTTP/2, in JSON, Subscribe and Publish",
  "gRPC-Web over HTTP/2, Listen and Publish",
];

/** Makes the tests of a file: each scenario over each lane, in a short run over two. */
export function tellOverLanes(scenarios: readonly Scenario[]): void {
  beforeAll(ensureBuilt);

  describe.each(LANES)("$name", (lane) => {
    for (const [row, scenario] of scenarios.entries()) {
      if (skipReason(scenario, lane) !== undefined) continue;
      const column = SHORT.indexOf(lane.name);
      const test = isWhole || (column !== -1 && isTried(row, column, SHORT.length, 2)) ? it : itInFull;
      test(scenario.name, async () => {
        await runScenario(scenario, lane);
        expect(expect.getState().assertionCalls).toBeGreaterThan(0);
      });
    }
  });

  it("each scenario is told over several lanes, and the short run has every kind", () => {
    const names = LANES.map(({ name }) => name);
    expect(SHORT.filter((name) => !names.includes(name))).toEqual([]);
    for (const scenario of scenarios)
      expect(LANES.filter((lane) => skipReason(scenario, lane) === undefined).length).toBeGreaterThanOrEqual(8);
  });
}
