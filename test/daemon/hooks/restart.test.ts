// R8c: a turn goes on over a restart of the daemon, and its 30 minutes of silence too.
import { expect, it } from "vitest";
import { CLAUDE_MESSAGES as CLAUDE } from "../../adapters/hooks/hook-messages.js";
import { turns } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { hookStage } from "./hook-stage.js";

it("R8c: a turn goes on over a restart, with its open call, its text and its name", async () => {
  const configuration = { journal: { kind: "directory", path: temporaryDirectory() } } as const;
  const before = await hookStage({ clock: "real", configuration });
  await before.hook(CLAUDE.UserPromptSubmit);
  await before.hook(CLAUDE.PreToolUse);
  const asking = await before.begin(CLAUDE.PermissionRequest);
  await before.reply(await before.question(), "accept");
  expect((await asking.result).output).toBeDefined();
  const lost = await before.begin({ ...CLAUDE.PermissionRequest, tool_input: { command: "ls" } });
  lost.result.catch(() => {});
  const { session_id } = await before.question();
  await before.rig.stop();

  const after = await hookStage({ clock: "real", configuration });
  await after.hook(CLAUDE.PostToolUse);
  await after.hook({ ...CLAUDE.MessageDisplay, final: true });
  await after.hook(CLAUDE.Stop);
  const told = [];
  for (;;) {
    const event = await after.listener.events.next("the end of the turn");
    if (event.session_id === session_id) told.push(event);
    if (event.type === "aaep:agent.session.completed") break;
  }
  expect(told.map(({ type }) => String(type).replace("aaep:agent.", ""))).toEqual(
    expect.arrayContaining(["tool.completed", "output.streaming", "session.completed"]),
  );
  expect(told.find(({ type }) => type === "aaep:agent.tool.completed")).toMatchObject({ status: "success" });
  expect(told.at(-1)).toMatchObject({ session_id, producer: { agent_name: "Claude in shop" } });
  const peer = await after.rig.rpc("memory");
  const status = await peer.request("aaepd.status", {});
  expect(status).toMatchObject({ session_count: 0, question_count: 0 });
  expect(Object.keys((status.hooks as { readonly claude: object }).claude)).toContain("UserPromptSubmit");
});

it("R8c: the silence before a restart counts", async () => {
  const configuration = { journal: { kind: "directory", path: temporaryDirectory() } } as const;
  const before = await hookStage({ configuration });
  await before.hook(CLAUDE.UserPromptSubmit);
  await before.rig.stop();

  // This clock began anew: it is where the other one was.
  const after = await hookStage({ configuration });
  await after.rig.advance(30 * 60_000 - 1);
  expect((await after.heard()).filter((one) => one.startsWith("session.cancelled"))).toEqual([]);
  await after.rig.advance(1);
  expect((await after.heard()).filter((one) => one.startsWith("session."))).toEqual(["session.cancelled: Stopped."]);
});

it("R8c: a turn whose host has gone with the daemon ends at the restart, and its name is free", async () => {
  const configuration = { journal: { kind: "directory", path: temporaryDirectory() } } as const;
  const before = await hookStage({ configuration });
  // The number of no process, and of one that runs.
  await before.hook(CLAUDE.UserPromptSubmit, { pid: 2 ** 22 + 1 });
  await before.hook({ ...CLAUDE.UserPromptSubmit, session_id: "alive" }, { pid: process.pid, name: "Helper" });
  await before.rig.stop();

  const after = await hookStage({ configuration });
  const status = await (await after.rig.rpc("memory")).request("aaepd.status", {});
  expect(status).toMatchObject({ session_count: 1 });
  for (const [index, name] of [undefined, "Helper", "Helper"].entries())
    await after.hook({ ...CLAUDE.UserPromptSubmit, session_id: `new ${index}` }, { pid: process.pid, name });
  await turns();
  const told = after.listener.events.rest().filter(({ correlation_id: id }) => String(id).startsWith("new "));
  expect(told.map(({ producer }) => producer)).toMatchObject([
    { agent_name: "Claude in shop" },
    { agent_name: "Helper 2" },
    { agent_name: "Helper 3" },
  ]);
});
