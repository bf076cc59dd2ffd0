// Questions of hooks: a listener's reply answers the host's process, and whatever else happens leaves the decision to the host.
import { describe, expect, it } from "vitest";
import { CLAUDE_MESSAGES as CLAUDE, CODEX_MESSAGES as CODEX } from "../../adapters/hooks/hook-messages.js";
import { createChance } from "../../support/chance.js";
import { casesOf } from "../../support/extent.js";
import { requestOf, turns } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { ABLE, type HookStage, hookStage, kindOf, type Message } from "./hook-stage.js";

const ALLOW = {
  output: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } },
};
const deny = { decision: { behavior: "deny", message: "The person rejected this." } };
const DENY = { output: { hookSpecificOutput: { hookEventName: "PermissionRequest", ...deny } } };

/** The number of no process. */
const NOBODY = 2 ** 22 + 1;

/** A turn in which the host asks about the call that it has just told. */
async function asked(stage: HookStage, more: Message = {}) {
  await stage.hook(CLAUDE.UserPromptSubmit);
  await stage.hook({ ...CLAUDE.PreToolUse, ...more });
  // However late the question comes, the call is not heard to run before.
  await stage.rig.advance(60_000);
  const running = await stage.begin({ ...CLAUDE.PermissionRequest, ...more });
  return { running, question: await stage.question() };
}

describe("a listener answers", () => {
  it("yes: the host's process is answered, and the call runs with the listener's consent", async () => {
    const stage = await hookStage();
    const { running, question } = await asked(stage);
    expect(question).toMatchObject({
      action: "Run npm test",
      consequence: "Command: npm test\nAs the agent says: Checks that all is well",
      timeout_seconds: 120,
      extensions: { aaepd: { host_dialog: true } },
    });
    await stage.reply(question, "accept");
    expect(await running.result).toEqual(ALLOW);
    await stage.hook(CLAUDE.PostToolUse);
    expect(await stage.heard()).toEqual(["(accepted)", "(reply)", "tool.invoked: Runs npm test", "Bash success"]);
  });

  it("no: the call is not heard to run", async () => {
    const stage = await hookStage();
    const { running, question } = await asked(stage);
    await stage.reply(question, "reject");
    expect(await running.result).toEqual(DENY);
    await stage.rig.advance(5000);
    expect(await stage.heard()).toEqual(["(rejected)", "(reply)"]);
  });

  it("binds the question to the newest open call of the same tool and arguments", async () => {
    const stage = await hookStage();
    await stage.hook(CLAUDE.UserPromptSubmit);
    for (const id of ["a", "b"]) await stage.hook({ ...CLAUDE.PreToolUse, tool_use_id: id });
    await stage.hook({ ...CLAUDE.PreToolUse, tool_use_id: "other", tool_input: { command: "ls" } });
    const running = await stage.begin(CLAUDE.PermissionRequest);
    await stage.reply(await stage.question(), "accept");
    expect(await running.result).toEqual(ALLOW);
    await stage.hook({ ...CLAUDE.PostToolUse, tool_use_id: "b" });
    expect(await stage.heard()).toEqual(["(accepted)", "(reply)", "tool.invoked: Runs npm test", "Bash success"]);
  });

  it("R5d: of at most 16 processes that call themselves the host; questions of more are announced and left", async () => {
    const stage = await hookStage();
    await stage.hook(CLAUDE.UserPromptSubmit, { pid: NOBODY });
    for (let pretended = 1; pretended < 16; pretended++) {
      const running = await stage.begin(CLAUDE.PermissionRequest, { pid: NOBODY + pretended });
      await stage.reply(await stage.question(), "accept");
      expect(await running.result).toEqual(ALLOW);
    }
    await stage.heard();
    expect(await stage.hook(CLAUDE.PermissionRequest, { pid: NOBODY + 16 })).toEqual({});
    expect(await stage.heard()).toEqual(["awaiting_input: Run npm test. Answer it in the agent’s own window."]);
    const known = await stage.begin(CLAUDE.PermissionRequest, { pid: NOBODY });
    await stage.reply(await stage.question(), "reject");
    expect(await known.result).toEqual(DENY);
  });

  it("about a call that was told already, and about one that nobody told", async () => {
    const stage = await hookStage();
    await stage.hook(CLAUDE.UserPromptSubmit);
    await stage.hook({ ...CLAUDE.PreToolUse, permission_mode: "bypassPermissions" });
    await stage.rig.advance(5000);
    const late = await stage.begin(CLAUDE.PermissionRequest);
    await stage.reply(await stage.question(), "accept");
    expect(await late.result).toEqual(ALLOW);
    const bare = await stage.begin({ ...CLAUDE.PermissionRequest, tool_input: { command: "ls" } });
    await stage.reply(await stage.question(), "accept");
    expect(await bare.result).toEqual(ALLOW);
    await stage.hook(CLAUDE.PostToolUse);
    expect(await stage.heard()).toEqual(["(accepted)", "(reply)", "Bash success"]);
  });

  it("safety: what a question left out is told before a yes counts", async () => {
    const stage = await hookStage();
    const { running, question } = await asked(stage, { tool_input: { command: "x".repeat(20_000) } });
    expect(String(question.consequence)).toMatch(/^Not all of it is here: \d/);
    await stage.reply(question, "accept");
    const again = await stage.question();
    expect(String(again.action)).toMatch(/^Not all was read\. Allow it all the same: Run x/);
    await stage.reply(again, "accept");
    expect(await running.result).toEqual(ALLOW);
  });
});

describe("safety: no verdict but a person's reply", () => {
  it("nobody who can answer: at once, with no verdict", async () => {
    const stage = await hookStage({ isAble: false });
    await stage.hook(CLAUDE.UserPromptSubmit);
    expect(await stage.hook(CLAUDE.PermissionRequest)).toEqual({});
    const told = await stage.heard();
    expect(told.filter((one) => one.startsWith("("))).toEqual(expect.arrayContaining(["(cancelled)", "(host_window)"]));
  });

  it("time is over, the last listener leaves, or a listener leaves it to the window", async () => {
    const stage = await hookStage();
    const first = await asked(stage);
    await stage.rig.advance(120_000);
    expect(await first.running.result).toEqual({});
    const second = await stage.begin(CLAUDE.PermissionRequest);
    await stage.listener.leave(String((await stage.question()).reply_token));
    expect(await second.result).toEqual({});
    const third = await stage.begin(CLAUDE.PermissionRequest);
    await stage.question();
    await stage.listener.close();
    expect(await third.result).toEqual({});
  });

  it("a message that could be read in two ways is heard, and not asked", async () => {
    const stage = await hookStage();
    await stage.hook(CLAUDE.UserPromptSubmit);
    const whole = JSON.stringify({ ...CLAUDE.PermissionRequest, tool_input: {} });
    for (const input of ['{"command":"ls","command":"rm -rf /"}', '{"command":"pay","amount":12345678901234567891}']) {
      const message = whole.replace('"tool_input":{}', `"tool_input":${input}`);
      expect(message).not.toBe(whole);
      expect(await stage.hook({}, { message })).toEqual({});
    }
    expect((await stage.heard()).slice(1)).toEqual([
      "awaiting_input: Run rm -rf . Answer it in the agent’s own window.",
      "awaiting_input: Run pay. Answer it in the agent’s own window.",
    ]);
  });

  it("a connection that may not ask, and a hook without --answer", async () => {
    const isAllowed = (operation: string): boolean => operation !== "ask";
    const stage = await hookStage({ accessPolicy: { of: () => ({ may: isAllowed }) } });
    expect(await stage.hook(CLAUDE.PermissionRequest)).toEqual({});
    expect(await stage.hook(CLAUDE.PermissionRequest, { answers: false })).toEqual({});
    expect((await stage.heard()).slice(1)).toEqual([
      "awaiting_input: Run npm test. Answer it in the agent’s own window.",
      "awaiting_input: Run npm test. Answer it in the agent’s own window.",
    ]);
  });
});

describe("the host answers first", () => {
  it("yes: the question is over at the call's end, and the call is told as allowed there", async () => {
    const stage = await hookStage();
    const { running } = await asked(stage);
    await stage.hook(CLAUDE.PostToolUse);
    expect(await running.result).toEqual({});
    expect(await stage.heard()).toEqual([
      "(accepted)",
      "(host)",
      "tool.invoked: Runs npm test (allowed by the host)",
      "Bash success",
    ]);
  });

  it.each([{}, { tool_use_id: "toolu_1" }])(
    "yes: with a journal on disk too, and where the turn ends in the same moment: %j",
    async (named) => {
      const configuration = { journal: { kind: "directory", path: temporaryDirectory() } } as const;
      const stage = await hookStage({ clock: "real", configuration });
      await stage.hook(CLAUDE.UserPromptSubmit);
      await stage.hook(CLAUDE.PreToolUse);
      const running = await stage.begin({ ...CLAUDE.PermissionRequest, ...named });
      await stage.question();
      const [post, stop] = await Promise.all([stage.begin(CLAUDE.PostToolUse), stage.begin(CLAUDE.Stop)]);
      expect(await Promise.all([running.result, post.result, stop.result])).toEqual([{}, {}, {}]);
      const told: string[] = [];
      while (told.at(-1) !== "session.completed") told.push(kindOf(await stage.listener.events.next("the end")));
      expect(told.filter((kind) => /^(tool|session)/.test(kind))).toEqual([
        "tool.invoked",
        "tool.completed",
        "session.completed",
      ]);
    },
  );

  it("no: the question is over at the denial", async () => {
    const stage = await hookStage();
    const { running } = await asked(stage);
    await stage.hook(CLAUDE.PermissionDenied);
    expect(await running.result).toEqual({});
    expect(await stage.heard()).toEqual(["(rejected)", "(host)", "thinking: Denied: Run npm test."]);
  });

  it.each(["Stop", "StopFailure", "UserPromptSubmit", "SessionEnd", "MessageDisplay"] as const)(
    "and the question is withdrawn at the next event of its session: %s",
    async (event) => {
      const stage = await hookStage();
      const { running } = await asked(stage);
      await stage.hook(CLAUDE[event]);
      expect(await running.result).toEqual({});
      expect((await stage.heard())[0]).toBe("(cancelled)");
    },
  );

  it("and a call that begins later shows it, and one of the same message does not", async () => {
    const stage = await hookStage();
    const { running, question } = await asked(stage);
    const other = { ...CLAUDE.PreToolUse, tool_use_id: "toolu_2", tool_input: { command: "ls" } };
    await stage.hook(other);
    await stage.hook(CLAUDE.Notification);
    expect(await stage.heard()).toEqual([]);
    await stage.rig.advance(1001);
    await stage.hook({ ...other, tool_use_id: "toolu_3" });
    expect(await running.result).toEqual({});
    expect((await stage.heard())[0]).not.toBe("(accepted)");
    await stage.reply(question, "accept");
  });

  it("of a subagent, the agent's own events show nothing", async () => {
    const stage = await hookStage();
    const sub = { agent_id: "a1", agent_type: "Explore" };
    const { running, question } = await asked(stage, sub);
    expect(question.action).toBe("Subagent Explore: Run npm test");
    await stage.hook(CLAUDE.MessageDisplay);
    await stage.reply(question, "accept");
    expect(await running.result).toEqual(ALLOW);
    const again = await stage.begin({ ...CLAUDE.PermissionRequest, ...sub });
    await stage.question();
    await stage.hook(CLAUDE.SubagentStop);
    expect(await again.result).toEqual({});
  });

  it("its process is killed: the question is withdrawn", async () => {
    const stage = await hookStage();
    const { running } = await asked(stage);
    await running.kill();
    expect(await stage.heard()).toEqual(["(cancelled)", "(agent)"]);
  });

  it("two questions of one call at a time have one answer each", async () => {
    const stage = await hookStage();
    const { running, question } = await asked(stage);
    const second = await stage.begin({ ...CLAUDE.PermissionRequest, tool_input: { command: "ls" } });
    const other = await stage.question();
    await stage.reply(other, "reject");
    await stage.reply(question, "accept");
    expect(await running.result).toEqual(ALLOW);
    expect(await second.result).toEqual(DENY);
  });
});

describe("a listener and the host answer within the same millisecond", () => {
  it("the host's process gets one answer, and listeners hear one outcome", async () => {
    const stage = await hookStage();
    await stage.hook(CLAUDE.UserPromptSubmit);
    const chance = createChance(7);
    const written = new Set<string>();
    const rounds = casesOf(1000);
    for (let round = 0; round < rounds; round += 1) {
      const call = { tool_use_id: `toolu_${round}`, tool_input: { command: `make ${round}` } };
      await stage.hook({ ...CLAUDE.PreToolUse, ...call });
      const running = await stage.begin({ ...CLAUDE.PermissionRequest, ...call });
      const question = await stage.question();
      const later = async (): Promise<void> => {
        await turns(chance.between(0, 8));
        await stage.reply(question, "accept");
      };
      await Promise.all([later(), stage.hook({ ...CLAUDE.PostToolUse, ...call })]);
      written.add(JSON.stringify(await running.result));
      const told = await stage.heard();
      expect(told.filter((one) => one === "(accepted)")).toHaveLength(1);
      expect(told.filter((one) => one === "(reply)" || one === "(host)")).toHaveLength(1);
      expect(told.filter((one) => one.startsWith("tool.invoked"))).toHaveLength(1);
      expect(told.filter((one) => one === "Bash success")).toHaveLength(1);
    }
    expect([...written].sort()).toEqual([JSON.stringify(ALLOW), "{}"].sort());
  }, 120_000);
});

describe("where the host shows its dialog only after the hook", () => {
  const GRACES = { configuration: { confirmationGraceSeconds: 60, reconnectGraceSeconds: 60 } };

  it("Codex waits 60 s at most", async () => {
    const stage = await hookStage();
    const running = await stage.begin(CODEX.PermissionRequest, { host: "codex" });
    expect(await stage.question()).toMatchObject({ timeout_seconds: 60 });
    await stage.rig.advance(60_000);
    expect(await running.result).toEqual({});
  });

  it("a call that Codex describes only when it asks is not heard to run while it asks, and after a no", async () => {
    const stage = await hookStage();
    await stage.hook(CODEX.PreToolUse, { host: "codex" });
    const running = await stage.begin(CODEX.PermissionRequest, { host: "codex" });
    const question = await stage.question();
    await stage.rig.advance(5000);
    await stage.reply(question, "reject");
    expect(await running.result).toEqual(DENY);
    await stage.hook(CODEX.Interrupt, { host: "codex" });
    expect(await stage.heard()).toEqual(["(rejected)", "(reply)", "session.cancelled: Stopped."]);
  });

  it("Codex and subagents wait for nobody, whatever the graces", async () => {
    const stage = await hookStage({ ...GRACES, isAble: false });
    expect(await stage.hook(CODEX.PermissionRequest, { host: "codex" })).toEqual({});
    expect(await stage.hook({ ...CLAUDE.PermissionRequest, agent_id: "a1" })).toEqual({});
  });

  it("and no longer than somebody is there", async () => {
    const stage = await hookStage(GRACES);
    const running = await stage.begin({ ...CLAUDE.PermissionRequest, agent_id: "a1" });
    await stage.question();
    await stage.rig.advance(5000);
    const other = await stage.rig.plain("memory");
    await other.subscribe(requestOf(ABLE, { subscriber_id: "other" }));
    await stage.listener.close();
    await stage.rig.advance(5000);
    await other.close();
    await stage.rig.advance(1000);
    expect(await running.result).toEqual({});
  });
});
