// Tells scenarios over every lane. What is skipped says why.
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isWhole, itInFull } from "../support/extent.js";
import { LANES, type Lane } from "../support/lanes.js";
import { runScenario } from "./run.js";
import { type Scenario, skipReason } from "./scenario.js";

/** Lanes of a short run: each transport, envelope and service once. They take turns: each scenario is told over two of those that can. */
const SHORT: readonly string[] = [
  "ipc, newline",
  "ipc, JSON-RPC, content-length",
  "memory",
  "memory, JSON-RPC",
  "stdio, JSON-RPC",
  "WebSocket",
  "Server-Sent Events",
  "WebSocket, JSON-RPC",
  "gRPC, Subscribe and Publish",
  "gRPC, AaepService",
  "Connect over HTTP/1.1",
  "the client over HTTP",
  "Connect over HTTP/2, in JSON, Subscribe and Publish",
  "gRPC-Web over HTTP/2, Listen and Publish",
];

/** The lanes that tell a scenario: in a short run two of those that can. */
function tellersOf(row: number, scenario: Scenario, isAll = isWhole): readonly Lane[] {
  const able = LANES.filter((lane) => skipReason(scenario, lane) === undefined);
  if (isAll) return able;
  const short = able.filter((lane) => SHORT.includes(lane.name) && (scenario.short?.(lane) ?? true));
  return short.filter((_, column) => (row + column) % short.length < 2);
}

/** Makes the tests of a file: each scenario over each lane, in a short run over two. */
export function tellOverLanes(scenarios: readonly Scenario[]): void {
  beforeAll(ensureBuilt);

  const told = scenarios.map((scenario, row) => tellersOf(row, scenario));
  describe.each(LANES)("$name", (lane) => {
    for (const [row, scenario] of scenarios.entries()) {
      if (skipReason(scenario, lane) !== undefined) continue;
      const test = told[row]?.includes(lane) ? it : itInFull;
      test(scenario.name, async () => {
        await runScenario(scenario, lane);
        expect(expect.getState().assertionCalls).toBeGreaterThan(0);
      });
    }
  });

  it("each scenario is told over several lanes, in a short run over two", () => {
    const names = LANES.map(({ name }) => name);
    expect(SHORT.filter((name) => !names.includes(name))).toEqual([]);
    for (const [row, scenario] of scenarios.entries()) {
      expect(tellersOf(row, scenario, true).length).toBeGreaterThanOrEqual(8);
      expect([scenario.name, tellersOf(row, scenario, false).length]).toEqual([scenario.name, 2]);
    }
  });
}
