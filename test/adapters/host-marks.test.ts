import { describe, expect, test } from "vitest";
import { assertNotBelowAgent } from "../../src/adapters/host-marks.js";
import { ensureBuilt } from "../support/built.js";
import { cleanEnvironment, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

describe("Safety 1: what an agent has started does not answer for the person", () => {
  const HOSTS =
    "AI_AGENT ANTIGRAVITY_AGENT AUGMENT_AGENT CLAUDECODE CLINE_ACTIVE CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED " +
    "CODEX_THREAD_ID COPILOT_AGENT_SESSION_ID CURSOR_AGENT GEMINI_CLI GOOSE_TERMINAL OPENCODE QWEN_CODE";
  test.each(["AAEPD_AGENT", ...HOSTS.split(" ")])("%s", (name) => {
    expect(() => assertNotBelowAgent({ [name]: "1" })).toThrow(`The variable ${name} says`);
    expect(() => assertNotBelowAgent({ [name]: "" })).not.toThrow();
    expect(() => assertNotBelowAgent({ TERM_PROGRAM: "vscode" })).not.toThrow();
  });

  test("aaepd tail --interactive refuses, and aaepd tail does not", async () => {
    ensureBuilt();
    const environment = { ...cleanEnvironment(temporaryDirectory()), AAEPD_AGENT: "Claude in shop" };
    const asking = startProgram(["tail", "--interactive"], { environment });
    expect(await asking.ended).toEqual({ code: 2, signal: null });
    expect(asking.stderr()).toMatch(/^Error: The variable AAEPD_AGENT says that an agent has started this command\./);
    const listening = startProgram(["tail"], { environment });
    await new Promise((resolve) => listening.child.stderr.once("data", resolve));
    expect(listening.stderr()).not.toContain("Error");
  });
});
