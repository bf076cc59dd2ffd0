// Every scenario over every lane. What is skipped says why.
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isTried, isWhole, itInFull } from "../support/extent.js";
import { LANES } from "../support/lanes.js";
import { handshakes } from "./handshakes.js";
import { listening } from "./listening.js";
import { publishing } from "./publishing.js";
import { questions } from "./questions.js";
import { runScenario } from "./run.js";
import { skipReason } from "./scenario.js";
import { terms } from "./terms.js";

const SCENARIOS = [...handshakes, ...terms, ...listening, ...questions, ...publishing];

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

beforeAll(ensureBuilt);

for (const lane of LANES) {
  describe(lane.name, () => {
    for (const [row, scenario] of SCENARIOS.entries()) {
      if (skipReason(scenario, lane) !== undefined) continue;
      const column = SHORT.indexOf(lane.name);
      const test = isWhole || (column !== -1 && isTried(row, column, SHORT.length, 2)) ? it : itInFull;
      test(scenario.name, async () => {
        await runScenario(scenario, lane);
        expect(expect.getState().assertionCalls).toBeGreaterThan(0);
      });
    }
  });
}

describe("the matrix", () => {
  it("has every lane of a short run", () => {
    const names = LANES.map(({ name }) => name);
    expect(SHORT.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("tells each scenario over several lanes, and names each once", () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    for (const scenario of SCENARIOS) {
      expect(LANES.filter((lane) => skipReason(scenario, lane) === undefined).length).toBeGreaterThanOrEqual(8);
    }
  });
});
