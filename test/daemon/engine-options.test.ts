import { expect, it } from "vitest";
import { resolveConfiguration } from "../../src/daemon/config/config-sources.js";
import { engineOptionsOf } from "../../src/daemon/start-engine.js";

const HOUR_MS = 3_600_000;

it.each([
  ["auto", 7 * 24 + 24],
  ["memory", 24],
])(
  "R17: with --journal %s what is known of ended sessions and absent subscribers outlasts their events: %d hours",
  (journal, hours) => {
    const { configuration } = resolveConfiguration({
      command: "serve",
      flags: { journal },
      environment: { XDG_CONFIG_HOME: "/nonexistent" },
    });
    expect(engineOptionsOf({ ...configuration, declaredProducerId: undefined }).endedRetentionMs).toBe(hours * HOUR_MS);
  },
);
