// R33: a subscription whose terms are long keeps no other out of the status.
import { expect, it } from "vitest";
import { statusDocument } from "../../../src/daemon/status/status-document.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig } from "../../support/rigs/engine-rig.js";

const FACTS = {
  version: "0",
  producerId: "test",
  startedAt: 0,
  now: 0,
  uptimeMs: 0,
  endpoints: {},
  connections: new Map(),
  auditTrouble: undefined,
  hostsDown: [],
};

function listedTerms(terms: Partial<Terms>) {
  const rig = createEngineRig();
  rig.listen(terms);
  return statusDocument(undefined, rig.engine.report(), FACTS).subscriptions[0]?.terms;
}

const names = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "x"));

it("of terms beyond 4 KiB each list is told as far as its eighth entry", () => {
  const [eight, nine] = [names(8, 400), names(9, 400)];
  expect(
    listedTerms({
      eventFilters: { include: eight, exclude: nine },
      languages: ["en", "de"],
      supportedExtensions: nine,
    }),
  ).toMatchObject({
    event_filters: { include: eight, exclude: [...nine.slice(0, 8), "…"] },
    languages: ["en", "de"],
    supported_extensions: [...nine.slice(0, 8), "…"],
  });
});

it("shorter ones are told whole", () => {
  const many = names(30, 20);
  expect(listedTerms({ eventFilters: { include: ["*"], exclude: many } })).toMatchObject({
    event_filters: { include: ["*"], exclude: many },
  });
});
