import { Command } from "commander";
import { expect, test } from "vitest";
import {
  addCapabilityOptions,
  type CapabilityOptions,
  capabilitiesFromOptions,
  termsInWords,
} from "../../../src/cli/shell/capability-options.js";
import { isAsPublished } from "../../support/published-schemas.js";

function capabilities(...argv: readonly string[]) {
  const command = new Command("tail").exitOverride().configureOutput({ writeErr: () => {} });
  addCapabilityOptions(command);
  command.parse(argv, { from: "user" });
  return capabilitiesFromOptions(command.opts<CapabilityOptions>());
}

test("nothing given is nothing asked: the daemon's defaults hold", () => {
  expect(capabilities()).toEqual({});
});

test("AAEP §5.3, R26: every capability has an option, and what comes of them is valid", () => {
  const all = capabilities(
    ...["--rate", "3", "--verbosity", "terse", "--languages", "yo, en", "--boundaries", "sentence,completion"],
    ...["--include", "aaep:agent.*", "--exclude", "aaep:agent.progress.updated,aaep:agent.tool.*"],
    ...["--cognitive-load", "low", "--wpm", "200", "--max-chars", "80", "--paused", "--levels", "1,2"],
    ...["--confirmations", "--clarifications", "--extensions", "https://example.org/a/context/v1", "--signed-only"],
  );
  expect(all).toEqual({
    max_events_per_second: 3,
    preferred_verbosity: "terse",
    languages: ["yo", "en"],
    supports_confirmation_reply: true,
    supports_clarification_reply: true,
    coalesce_boundaries: ["sentence", "completion"],
    event_filters: { include: ["aaep:agent.*"], exclude: ["aaep:agent.progress.updated", "aaep:agent.tool.*"] },
    supported_conformance_levels: [1, 2],
    supported_extensions: ["https://example.org/a/context/v1"],
    cognitive_load: "low",
    pace_wpm: 200,
    accept_signed_manifests_only: true,
    aaepd: { paused: true, max_chars: 80 },
  });
  expect(isAsPublished("aaep", "Capabilities", all)).toBe(true);
  expect(termsInWords(all)).toBe(
    "3 events a second, text by sentence and completion, terse, yo, en, low cognitive load, 200 words a minute, texts up to 80 characters, paused",
  );
});

test("at a pace a long answer is cut, unless another length is asked for", () => {
  expect(capabilities("--wpm", "180")).toEqual({ pace_wpm: 180, aaepd: { max_chars: 300 } });
  expect(capabilities("--wpm", "50").aaepd?.max_chars).toBeGreaterThanOrEqual(80);
  expect(capabilities("--wpm", "180", "--max-chars", "2000").aaepd).toEqual({ max_chars: 2000 });
});

test("a list may also be given in several options", () => {
  expect(capabilities("--languages", "yo", "--languages", "en")).toEqual({ languages: ["yo", "en"] });
});

test("R32: one filter leaves the other at its default", () => {
  expect(capabilities("--exclude", "aaep:agent.tool.*")).toEqual({ event_filters: { exclude: ["aaep:agent.tool.*"] } });
});
