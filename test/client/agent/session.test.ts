// A session of an agent, as a listener of a real daemon hears it.
import { expect, test } from "vitest";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { listenAt, openedAt } from "./agent-stage.js";

async function stage(options: Parameters<typeof openedAt>[1] = {}, listening: Parameters<typeof listenAt>[1] = {}) {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const heard = await listenAt(socketPath, listening);
  return { ...(await openedAt(socketPath, options)), heard, socketPath };
}

test("AAEP §4.1: a session ends as errored when its work rejects, and the error goes on", async () => {
  const { agent, heard, troubles } = await stage();
  const mistake = new Error("The disk is full.");
  await expect(
    agent.session("Sorts.", async (s) => {
      s.text("I begin.");
      await s.tool("move", () => Promise.reject(mistake));
    }),
  ).rejects.toBe(mistake);
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.errored | The disk is full."));
  expect(heard.events.find(({ type }) => type === "aaep:agent.tool.completed")).toMatchObject({
    status: "error",
    error_message: "The disk is full.",
  });
  expect(troubles).toEqual([]);
});

test("AAEP §4.1: a session ends as cancelled when its signal is aborted, at once; what follows is not heard", async () => {
  const { agent, heard, troubles } = await stage();
  const controller = new AbortController();
  let goOn: () => void = () => {};
  const work = agent.session(
    "Sorts.",
    async (s) => {
      s.text("I begin.");
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      s.text("Too late.");
      expect(await s.tool("move", () => 1)).toBe(1);
      expect(await s.confirm({ action: "A", consequence: "B" })).toMatchObject({ resolved_by: "cancelled" });
      return "done";
    },
    { signal: controller.signal },
  );
  await eventually(() => expect(heard.text()).toBe("I begin."));
  controller.abort();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.cancelled | Ended."));
  const count = heard.lines.length;
  goOn();
  expect(await work).toBe("done");
  await agent.close();
  expect(heard.lines).toHaveLength(count);
  expect(troubles).toEqual([]);
});

test("a session that is disposed of without being completed ends as cancelled; with it, as completed", async () => {
  const { agent, heard } = await stage();
  const open = async (isCompleted: boolean): Promise<void> => {
    await using s = agent.session(isCompleted ? "First." : "Second.");
    s.text("Here.");
    if (isCompleted) s.complete("All done.");
  };
  await open(true);
  await open(false);
  await eventually(() => expect(heard.lines.filter((line) => /^session\.c/.test(line))).toHaveLength(2));
  expect(heard.lines).toContain("session.completed | All done.");
  expect(heard.lines).toContain("session.cancelled | Ended.");
});

test("AAEP §4.3: tools may run at the same time, each with its own id; what is open at the end is closed", async () => {
  const { agent, heard, troubles } = await stage();
  await agent.session("Sorts.", async (s) => {
    const results = await Promise.all([1, 2, 3].map((number) => s.tool("count", async () => number)));
    expect(results).toEqual([1, 2, 3]);
    void s.tool("never", () => new Promise(() => {}));
    s.text("Half a ");
  });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  const ids = heard.events.flatMap(({ type, tool_call_id: id }) => (type.endsWith("tool.invoked") ? [id] : []));
  expect(new Set(ids).size).toBe(4);
  expect(heard.lines).toContain("tool.completed | never | timeout");
  expect(troubles).toEqual([]);
});

test("AAEP §4.3.1: the name of a tool becomes one that AAEP has; people hear it as it was written", async () => {
  const { agent, heard, troubles } = await stage();
  const names = ["github/create_issue", "Search the web", "mcp:files.read", "naïve", "検索", "1st", "", undefined];
  await agent.session("Sorts.", async (s) => {
    for (const name of names) await s.tool(name as string, () => 1);
  });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.lines.filter((line) => line.startsWith("tool.invoked"))).toEqual([
    "tool.invoked | github.create_issue | github/create_issue",
    "tool.invoked | Search_the_web | Search the web",
    "tool.invoked | mcp_files.read | mcp:files.read",
    "tool.invoked | na_ve | naïve",
    "tool.invoked | __ | 検索",
    "tool.invoked | _1st | 1st",
    "tool.invoked | _ | _",
    "tool.invoked | undefined | undefined",
  ]);
  expect(troubles).toEqual([]);
});

test("R5: a slip of the hand in a call runs no tool, and nothing of it is heard", async () => {
  const { agent, heard } = await stage();
  const run = (): never => {
    throw new Error("It ran.");
  };
  const slips = [
    [run, { irreversibel: true }, /A tool has no option "irreversibel", but summary, .+, declined\.$/],
    [
      run,
      { action: "Delete." },
      "The option action is about a question, and nobody is asked without irreversible: true.",
    ],
    [12, { irreversible: true }, "Give the tool as a function, which is called later: () => remove(12)."],
  ] as const;
  await agent.session("Deletes.", async (s) => {
    for (const [tool, options, sentence] of slips)
      await expect(s.tool("delete", tool as typeof run, options as object)).rejects.toThrow(sentence);
  });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.lines.filter((line) => /tool|awaiting/.test(line))).toEqual([]);
});

test("AAEP §4.1: an end that the author publishes is the end of the session; if it is refused, there is a plain one", async () => {
  const { agent, heard, troubles } = await stage();
  const type = "aaep:agent.session.errored";
  const mistake = new Error("No.");
  const work = agent.session("Sorts.", async (s) => {
    void s.tool("never", () => new Promise(() => {}));
    s.publish({ type, error_category: "transient", error_code: "DISK_FULL", summary_normal: "The disk is full." });
    s.text("Too late.");
    throw mistake;
  });
  await expect(work).rejects.toBe(mistake);
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.errored | The disk is full."));
  expect(heard.events.at(-1)).toMatchObject({ error_category: "transient", error_code: "DISK_FULL" });
  expect(troubles).toEqual([]);
  const s = agent.session("Sorts again.");
  s.publish({ type, error_category: "none" as never, summary_normal: "Unheard." });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.cancelled | Ended."));
  expect(heard.lines.filter((line) => line.startsWith("session.started"))).toHaveLength(2);
  expect(troubles.map(({ fault }) => fault.code)).toEqual(["invalid_event"]);
});

test.each([Object.create(null), Object.assign(new Error(), { message: 5 }), undefined])(
  "a tool may throw anything, and its author gets the same back: %#",
  async (thrown) => {
    const { agent, heard, troubles } = await stage();
    const work = agent.session("Sorts.", (s) =>
      s.tool("move", () => {
        throw thrown;
      }),
    );
    expect(await work.catch((caught: unknown) => [caught])).toEqual([thrown]);
    await eventually(() => expect(heard.lines.at(-1)).toMatch(/^session\.errored \| ./));
    expect(heard.lines).toContain("tool.completed | move | error");
    expect(troubles).toEqual([]);
  },
);

test("what is no text is told; a piece without text is none", async () => {
  const { agent, heard, troubles } = await stage();
  await agent.session("Writes.", (s) => {
    for (const chunk of ["Heard", undefined, 3, null, {}, "."]) s.text(chunk as string);
    s.publish("aaep:agent.session.completed" as unknown as Parameters<typeof s.publish>[0]);
  });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.text()).toBe("Heard.");
  expect(troubles.map(({ fault }) => fault.message)).toEqual([
    "[usage] number is no text.",
    "[usage] object is no text.",
    '[usage] Give publish an event: an object with a type, such as "aaep:agent.state.changed".',
  ]);
});

test("agent.close ends what is open, and waits until the daemon has it", async () => {
  const { agent, heard } = await stage();
  agent.session("Never ends.").text("Here.");
  await agent.close();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.cancelled | Ended."));
  expect(agent.status).toEqual({ kind: "closed" });
  agent.session("Afterwards.").text("Unheard.");
});
