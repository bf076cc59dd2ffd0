// R5: whether a tool is called, in each cell of mode × listener × mark, with a real daemon.
import { expect, test } from "vitest";
import type { OpenAgentOptions } from "../../../src/client/agent/agent-options.js";
import { openAgent as openedWith } from "../../../src/client/agent/open-agent.js";
import type { ConfirmationOutcome } from "../../../src/client/agent/questions.js";
import { openAgent } from "../../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { isTried } from "../../support/extent.js";
import { shared } from "../../support/lifetime.js";
import { accepts, listenAt, openedAt, rejects } from "./agent-stage.js";

/** Who is there. "none": no daemon. "deaf": a daemon, and nobody else. "mute": a listener that cannot answer. */
const LISTENERS = ["none", "deaf", "mute", "accepts", "rejects", "waits", "leaves"] as const;
type Listener = (typeof LISTENERS)[number];
const MODES = ["optional", "required"] as const;
/** How the author marks the tool. */
const MARKS = ["plain", "plain, as-host", "irreversible", "irreversible, as-host"] as const;
type Mark = (typeof MARKS)[number];

interface Cell {
  readonly isCalled: boolean;
  /** By what its question was resolved; undefined: nobody was asked. */
  readonly by?: ConfirmationOutcome["resolved_by"];
  /** How the call is published; undefined: nobody is there, or it is not made. */
  readonly published?: "irreversible" | "plain";
}

/** Nobody is asked about a tool that can be undone. */
const PLAIN: Readonly<Record<Listener, Cell>> = {
  none: { isCalled: true },
  deaf: { isCalled: true, published: "plain" },
  mute: { isCalled: true, published: "plain" },
  accepts: { isCalled: true, published: "plain" },
  rejects: { isCalled: true, published: "plain" },
  waits: { isCalled: true, published: "plain" },
  leaves: { isCalled: true, published: "plain" },
};

/** What must happen, written out: nothing here is computed from what does. */
const EXPECTED: Readonly<Record<Mark, Readonly<Record<Listener, Cell>>>> = {
  plain: PLAIN,
  "plain, as-host": PLAIN,
  irreversible: {
    none: { isCalled: false, by: "no_subscriber" },
    deaf: { isCalled: false, by: "no_subscriber" },
    mute: { isCalled: false, by: "no_subscriber" },
    accepts: { isCalled: true, published: "irreversible" },
    rejects: { isCalled: false, by: "reply" },
    waits: { isCalled: false, by: "timeout" },
    leaves: { isCalled: false, by: "subscription_ended" },
  },
  "irreversible, as-host": {
    none: { isCalled: true },
    deaf: { isCalled: true, published: "plain" },
    mute: { isCalled: true, published: "plain" },
    accepts: { isCalled: true, published: "irreversible" },
    rejects: { isCalled: false, by: "reply" },
    waits: { isCalled: false, by: "timeout" },
    leaves: { isCalled: false, by: "subscription_ended" },
  },
};

const CELLS = MODES.flatMap((mode) =>
  LISTENERS.flatMap((listener) => MARKS.map((mark) => ({ mode, listener, mark, expected: EXPECTED[mark][listener] }))),
).filter(({ mode, listener }) => mode === "optional" || listener !== "none");

test("every cell of mode, listener and mark is here, beside those of a mode that does not open", () => {
  expect(CELLS).toHaveLength(MODES.length * LISTENERS.length * MARKS.length - MARKS.length);
  expect(new Set(CELLS.map((cell) => JSON.stringify([cell.mode, cell.listener, cell.mark]))).size).toBe(CELLS.length);
});

test("the mode required does not open without a daemon", async () => {
  await expect(openedAt(undefined, { mode: "required" })).rejects.toMatchObject({ code: "not_found" });
});

test.each([{ mode: "requird" }, { unheard: "as_host" }])("%j is refused: it is misspelt", async (misspelt) => {
  const opening = openedWith({ id: "bank", connectors: [], ...misspelt } as OpenAgentOptions);
  await expect(opening).rejects.toMatchObject({ code: "usage", sentence: expect.stringContaining("Give ") });
});

/** Each cell has its own agent, session and listeners at it. */
const daemon = shared(() => serve(runtimeEnvironment().XDG_RUNTIME_DIR));

// In a short run the two modes take turns.
const TRIED = CELLS.filter(({ mode, listener, mark }) => {
  const row = LISTENERS.indexOf(listener) + MARKS.indexOf(mark);
  return listener === "none" || isTried(row, MODES.indexOf(mode), MODES.length, 1);
});

test.each(TRIED)("R5: $mode, $listener, $mark", async ({ mode, listener, mark, expected }) => {
  const socketPath = listener === "none" ? undefined : (await daemon()).socketPath;
  // Beside each listener one notes what is published, and cannot answer.
  const witness = socketPath === undefined ? undefined : await listenAt(socketPath);
  const answers = { accepts, rejects, waits: () => undefined } as const;
  if (socketPath !== undefined && (listener === "accepts" || listener === "rejects" || listener === "waits"))
    await listenAt(socketPath, { answer: answers[listener] });
  if (socketPath !== undefined && listener === "leaves") {
    const leaving = await listenAt(socketPath, {
      answer: () => {
        void leaving.subscriber.close();
        return undefined;
      },
    });
  }
  const { agent, troubles } = await openedAt(socketPath, {
    mode,
    unheard: mark.endsWith("as-host") ? "as-host" : "reject",
  });

  let isCalled = false;
  const outcomes: ConfirmationOutcome[] = [];
  await agent.session("Cleans up.", (s) =>
    s.tool(
      "photos/delete",
      () => {
        isCalled = true;
      },
      {
        summary: "Deleting 12 photos.",
        irreversible: mark.startsWith("irreversible"),
        consequence: "They cannot be restored.",
        timeout_seconds: listener === "waits" ? 1 : 60,
        declined: (outcome) => void outcomes.push(outcome),
      },
    ),
  );

  expect(isCalled).toBe(expected.isCalled);
  expect(outcomes.map(({ resolved_by: by }) => by)).toEqual(expected.by === undefined ? [] : [expected.by]);
  for (const { decision } of outcomes) expect(decision).not.toBe("accept");
  expect(troubles).toEqual([]);
  if (witness === undefined) return;
  const ended = expected.isCalled ? "Ended." : "Ended. One action was not carried out.";
  await eventually(() => expect(witness.lines.at(-1)).toBe(`session.completed | ${ended}`));
  const calls = witness.events.filter(({ type }) => type === "aaep:agent.tool.invoked");
  expect(calls).toHaveLength(expected.published === undefined ? 0 : 1);
  const [call] = calls;
  if (call !== undefined) {
    expect(call.irreversible).toBe(expected.published === "irreversible" ? true : undefined);
    expect(JSON.stringify(call)).not.toContain("approved_by");
  }
  const isUnasked = mark === "irreversible, as-host" && expected.published === "plain";
  const saysUnasked = witness.lines.filter((line) => line.includes("Nobody could be asked. It goes ahead"));
  const unasked = "state.changed | calling_tool | Nobody could be asked. It goes ahead: Deleting 12 photos.";
  expect(saysUnasked).toEqual(isUnasked ? [unasked] : []);
  // It is said directly before the call.
  if (isUnasked) expect(witness.lines[witness.lines.indexOf(unasked) + 1]).toMatch(/^tool\.invoked \| photos\.delete/);
});

test.each([
  ["confirm", undefined, "needs action"],
  ["confirm", { action: "A", consequense: "B" }, 'no member "consequense", but action, consequence'],
  ["confirm", { action: "A" }, "needs consequence"],
  ["clarify", { queston: "Q" }, 'no member "queston", but question'],
  ["clarify", { question: 5 }, "needs question"],
  ["clarify", { question: "Q", timeout_secs: 5 }, 'no member "timeout_secs"'],
  ["clarify", { question: "Q", choices: ["bill", "card"] }, "choices is an array of objects"],
] as const)("%s of %j asks nobody, and says what is wrong with it", async (kind, question, sentence) => {
  const { agent, troubles } = await openedAt(undefined);
  const asking = agent.session("Asks.")[kind](question as never);
  await expect(asking).rejects.toThrow(sentence);
  await expect(asking).rejects.toMatchObject({ code: "usage" });
  expect(troubles).toEqual([]);
});

test("a question may have the members of any event, and summaries in other languages", async () => {
  const { agent } = await openedAt(undefined);
  const extensions = { example: { kind: "size" } };
  const question = { question: "Q", summary_terse: "Q", summary_normal_yo: "Q", correlation_id: "c", extensions };
  expect(await agent.session("Asks.").clarify(question)).toMatchObject({ resolved_by: "no_subscriber" });
});

test("an agent with an unknown option is not opened", async () => {
  const options = { id: "sorter", naem: "Sorter", connectors: [] };
  await expect(openAgent(options)).rejects.toMatchObject({
    code: "usage",
    sentence: expect.stringContaining('"naem"'),
  });
});

test("R5: an irreversible tool that nobody can be asked about says what to do", async () => {
  const { agent } = await openedAt(undefined);
  const removing = agent.session("Cleans up.").tool("rm", () => 1, { irreversible: true });
  await expect(removing).rejects.toThrow(/rm is not called: nobody could be asked\. Start a listener/);
});

test("R5: a silent agent never answers accept, whatever the default", async () => {
  const { agent } = await openedAt(undefined);
  const s = agent.session("Asks.");
  expect(await s.confirm({ action: "A", consequence: "B", default_decision: "accept" })).toMatchObject({
    decision: "reject",
    resolved_by: "no_subscriber",
  });
  expect(await s.clarify({ question: "C", default_response: "blue" })).toMatchObject({
    response: "blue",
    resolved_by: "no_subscriber",
  });
  expect(await s.clarify({ question: "D" })).not.toHaveProperty("response");
});

test("R5: a declined tool without another way rejects, with the outcome as its cause", async () => {
  const { agent } = await openedAt(undefined);
  const s = agent.session("Deletes.");
  const call = s.tool("delete", () => expect.fail("it was called"), { irreversible: true });
  await expect(call).rejects.toMatchObject({
    code: "confirmation_required",
    cause: { decision: "reject", resolved_by: "no_subscriber" },
  });
});
