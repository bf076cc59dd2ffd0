// Producers of vendors: whose session a session is, and what may be missing of it.
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Driver, ScenarioName } from "../../src/conformance/drive/driver.js";
import { PRODUCER_CASES } from "../../src/conformance/producer/all-cases.js";
import { widerTerm } from "../../src/conformance/producer/negotiated/honored-terms.js";
import { CORE_KINDS } from "../../src/conformance/producer/schema-faults.js";
import { objectIn } from "../../src/conformance/wire/conversation.js";
import { openLinks } from "../../src/conformance/wire/open-links.js";
import { itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { judgeProducer, toldOf } from "./mutants/judge-mutant.js";

type Event = Readonly<Record<string, unknown>>;

/** A producer that takes no agents, so that its sessions are known by their order alone. */
interface Vendor {
  /** An event of a session, to every subscriber. */
  readonly say: (session: string, kind: string, members?: Event) => void;
  readonly wait: (ms: number) => Promise<void>;
}

const PATIENCE_MS = 600;

/** The verdicts about a producer that shows its scenarios one after the other. `joined` is called when a subscriber was accepted. */
async function judged(
  cases: readonly string[],
  show: (vendor: Vendor, scenario: ScenarioName) => Promise<void>,
  {
    joined = () => {},
    honored = {},
    patienceMs = PATIENCE_MS,
  }: { readonly joined?: (vendor: Vendor) => void; readonly honored?: Event; readonly patienceMs?: number } = {},
): Promise<readonly string[]> {
  const subscribers = new Set<Socket>();
  let last = 0;
  const write = (socket: Socket, message: object): void => {
    socket.write(`${JSON.stringify(message)}\n`);
  };
  const vendor: Vendor = {
    say: (session, kind, members = {}) => {
      last += 1;
      const event = { type: `aaep:agent.${kind}`, event_id: `evt_${last}`, session_id: session, ...members };
      for (const socket of subscribers) write(socket, event);
    },
    wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => subscribers.delete(socket));
    socket.on("data", () => {
      if (subscribers.has(socket)) return;
      subscribers.add(socket);
      write(socket, { type: "subscription.accepted", subscription_id: "sub_1", honored_capabilities: honored });
      joined(vendor);
    });
  });
  const path = join(temporaryDirectory(), "v.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());

  let turn: Promise<void> = Promise.resolve();
  const driver: Driver = {
    lacks: () => undefined,
    perform: async (scenario) => {
      turn = turn.then(() => show(vendor, scenario));
      return { sessionId: undefined, done: turn, giveUp: () => {} };
    },
    stop: async () => {},
  };
  const links = await openLinks({ kind: "ipc", path }, { framing: "newline" });
  return toldOf(await judgeProducer(links, driver, patienceMs, cases));
}

itInFull("a session that begins too late is not taken for that of the next scenario", async () => {
  const results = await judged(["P2-blocks", "P2-handoff"], async ({ say, wait }, scenario) => {
    if (scenario === "confirmation") await wait(1.5 * PATIENCE_MS);
    say(`sess_${scenario}`, "session.started");
    if (scenario === "handoff") say("sess_handoff", "handoff.requested", { urgency: "critical" });
    say(`sess_${scenario}`, "session.completed");
  });
  expect(results).toEqual([
    `P2-blocks skipped: The scenario "confirmation" was asked for, and no event of it came. The suite waited 0.6 seconds. Give a slow target more with --patience.`,
    "P2-handoff passed",
  ]);
});

itInFull("a case does not fail for a session that may be another user's", async () => {
  const [result] = await judged(["P2-handoff"], async ({ say }) => {
    say("sess_other", "session.started");
    say("sess_own", "session.started");
    say("sess_own", "handoff.requested", { urgency: "critical" });
    say("sess_own", "session.completed");
  });
  expect(result).toMatch(
    /^P2-handoff skipped: Another session, sess_own, began beside that of the scenario, .*: None came\.$/,
  );
});

/** How the session of a scenario ends. */
function endOf(scenario: string): string {
  if (scenario.startsWith("error")) return "session.errored";
  return scenario.startsWith("cancel") ? "session.cancelled" : "session.completed";
}

itInFull(
  "P1-one-terminal: another user's session need not end with a scenario, and a session that began alone has to",
  async () => {
    let shown = 0;
    const begins = async ({ say }: Vendor, scenario: string, hasOther: boolean, ends: boolean): Promise<void> => {
      shown += 1;
      if (hasOther) say(`sess_other${shown}`, "session.started");
      say(`sess_${shown}`, "session.started");
      say(`sess_${shown}`, "progress.updated");
      if (ends) say(`sess_${shown}`, endOf(scenario));
    };
    expect(await judged(["P1-one-terminal"], (vendor, scenario) => begins(vendor, scenario, true, true))).toEqual([
      "P1-one-terminal passed",
    ]);
    expect(
      await judged(["P1-one-terminal"], (vendor, scenario) => begins(vendor, scenario, false, shown % 2 === 0)),
    ).toEqual(["P1-one-terminal failed: A session did not end, though its scenario was over."]);
  },
);

itInFull(
  "P1-one-terminal: a subscription that hears a late event of a session need not have heard its end",
  async () => {
    let ended: string | undefined;
    const results = await judged(
      ["P1-one-terminal", "P1-nothing-after-end"],
      async ({ say }, scenario) => {
        const session = `sess_${scenario.replaceAll("-", "")}`;
        say(session, "session.started");
        say(session, endOf(scenario));
        ended = session;
      },
      {
        joined: ({ say }) => {
          if (ended !== undefined) say(ended, "progress.updated");
        },
      },
    );
    expect(results).toEqual([
      "P1-one-terminal passed",
      "P1-nothing-after-end failed: An event came after the end of its session.",
    ]);
  },
);

/** Members of a question that is open for so many seconds. */
const asking = (seconds: number, members: Event = {}): Event => ({
  timestamp: new Date().toISOString(),
  reply_token: "rpl_1",
  timeout_seconds: seconds,
  urgency: "critical",
  ...members,
});

/** A call that takes the action after a reply that came too late, and does not say that it is irreversible. */
const actsLate = (members: Event, accepts: boolean) =>
  judged(["P2-late-reply"], async ({ say, wait }, scenario) => {
    const session = `sess_${scenario.replaceAll("-", "")}`;
    say(session, "session.started");
    if (scenario === "two-confirmations-short") {
      say(session, "awaiting.confirmation", asking(0.1, members));
      await wait(500);
      say(session, "tool.invoked", { tool: "delete_photos" });
      say(session, "awaiting.confirmation", asking(30, { reply_token: "rpl_2" }));
      await wait(800);
    } else {
      say(session, "awaiting.confirmation", asking(30));
      await wait(100);
      if (accepts) say(session, "tool.invoked", { tool: "delete_photos" });
    }
    say(session, "session.completed");
  });

it("a call takes the action if its question names its tool, or if an accept brings it about in the same case", async () => {
  const verdicts = await Promise.all([
    actsLate({ extra_context: { tool: "delete_photos" } }, false),
    actsLate({}, true),
    actsLate({}, false),
  ]);
  expect(verdicts.flat()).toEqual([
    "P2-late-reply failed: The action was taken.",
    "P2-late-reply failed: The action was taken.",
    "P2-late-reply skipped: No accept shows whether delete_photos takes the action.",
  ]);
});

itInFull(
  "a question is not open for much longer than its time, however patient the run is, and whatever its timestamps",
  async () => {
    const show =
      (timestamp?: string) =>
      async ({ say, wait }: Vendor, scenario: ScenarioName) => {
        say(`sess_${scenario}`, "session.started");
        say(
          `sess_${scenario}`,
          "awaiting.confirmation",
          // Longer than its time and a half, and not twice as long; a second more where its timestamp says nothing.
          asking(timestamp === undefined ? 1 : 0.2, { timestamp: timestamp ?? new Date().toISOString() }),
        );
        await wait(1600);
        say(`sess_${scenario}`, "session.completed", { timestamp: timestamp ?? new Date().toISOString() });
      };
    const verdicts = await Promise.all(
      [undefined, "soon"].map((timestamp) => judged(["P2-timeout-default"], show(timestamp), { patienceMs: 8000 })),
    );
    expect(verdicts.flat()).toEqual([
      expect.stringMatching(/^P2-timeout-default failed: It was open for 1\d{3} ms by its own timestamps/),
      expect.stringMatching(/^P2-timeout-default failed: It was open for an unknown time by its own timestamps/),
    ]);
  },
);

/** A value for which `String` and `Number` throw. */
const HOSTILE = { toString: 1, valueOf: null, toJSON: 1 };
const MEMBERS = [
  ...["timestamp", "producer", "urgency", "sequence_number", "localization_hints", "summary_normal", "aaep_version"],
  ...["from_state", "to_state", "tool", "tool_call_id", "chunk", "position", "output_id", "coalesce_hint"],
  ...["reply_token", "timeout_seconds", "default_decision", "choices", "accepted_response_kinds", "progress"],
];

itInFull("members of wrong types fail cases, and end no run", async () => {
  const watching = PRODUCER_CASES.filter(({ kind }) => kind === "watching").map(({ id }) => id);
  const verdicts = await Promise.all(
    [HOSTILE, null, [HOSTILE, null], "__proto__"].map((value) => {
      const members = Object.fromEntries(MEMBERS.map((name) => [name, value]));
      return judged(watching, async ({ say }, scenario) => {
        say(`sess_${scenario}`, "session.started", members);
        for (const kind of CORE_KINDS) if (!kind.startsWith("session.")) say(`sess_${scenario}`, kind, members);
        say(`sess_${scenario}`, "session.completed", members);
      });
    }),
  );
  for (const results of verdicts) {
    expect(results.length).toBe(watching.length);
    expect(results).toContainEqual(expect.stringMatching(/^P1-schema failed: /));
  }
  for (const value of [HOSTILE, null, [HOSTILE, null]]) {
    const terms = { max_events_per_second: 2, languages: ["en"], coalesce_boundaries: ["word"], event_filters: {} };
    expect(widerTerm(terms, Object.fromEntries(Object.keys(terms).map((name) => [name, value])))).toBeTypeOf("string");
  }
});

it("a message that is nested too deep to be written is none", () => {
  expect(objectIn(`{"a":${"[".repeat(999)}"]"${"]".repeat(999)}}`)).toBeDefined();
  expect(objectIn(`{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`)).toBeUndefined();
});
