import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { registerStatus } from "../../../src/cli/status/status.js";
import { statusLines } from "../../../src/cli/status/status-text.js";
import type { DaemonStatus } from "../../../src/daemon/status/daemon-status.js";
import { isWhole, itInFull } from "../../support/extent.js";
import { requestOf, startRig } from "../../support/rigs/daemon-rig.js";
import { session } from "../../support/rigs/engine-rig.js";
import { createStage, eventually, run, runtimeEnvironment } from "../command-stage.js";

const NOW = Date.UTC(2026, 4, 24, 14, 0, 0);

const STATUS: DaemonStatus = {
  version: "0.1.0",
  pid: 4711,
  producer_id: "aaepd",
  started_at: "2026-05-24T11:57:00.000Z",
  uptime_seconds: 7380,
  problems: [
    {
      grade: "advice",
      code: "slow_subscriber",
      message: "narrator takes too slowly: it has taken nothing for 12 s, in which 40 events came.",
      remedy:
        "See whether the program reads. After 60 s or 16384 events without taking any it is closed, and can resume.",
      subscription_id: "sub_1",
      subscriber_id: "narrator",
      since: "2026-05-24T13:59:48.000Z",
    },
  ],
  endpoints: { ipc: "/run/user/1000/aaep/aaepd.sock" },
  connections: { ipc: 3 },
  memory: {
    rss_bytes: 90e6,
    heap_used_bytes: 20e6,
    heap_total_bytes: 30e6,
    external_bytes: 1e6,
    anonymous_bytes: 50e6,
  },
  rates: { published_per_second: 12.5, delivered_per_second: 25 },
  totals: { published: 1200, delivered: 2400, coalesced: 30, overtook: 1, fell_behind: 1, gaps: 0, gap_events: 0 },
  closures: { lagging: 2, subscriber: 5 },
  publish_faults: { invalid_event: 3 },
  limits: {},
  journal: {
    kind: "disk",
    path: "/home/ada/.local/state/aaepd/journal/aaepd",
    policy: "durable",
    events: 1200,
    bytes: 3_500_000,
    oldest_at: "2026-05-24T12:00:00.000Z",
    oldest_age_seconds: 7200,
    head: 5000,
    durable_epoch: 5000,
    pending_events: 0,
  },
  session_count: 2,
  subscription_count: 1,
  question_count: 1,
  sessions: [
    {
      session_id: "sess_1",
      agent_id: "planner",
      agent_name: "Retirement Planner",
      state: "awaiting_input",
      events: 34,
      open_tools: 1,
      tools: [{ tool: "fetch_balance", since: "2026-05-24T13:59:48.000Z" }],
      open_outputs: 0,
      open_questions: 1,
      asked_for_seconds: 40,
      agent_connected: false,
      grace_until: "2026-05-24T14:00:03.000Z",
    },
  ],
  subscriptions: [
    {
      subscription_id: "sub_1",
      subscriber_id: "narrator",
      since: "2026-05-24T13:00:00.000Z",
      reads: "journal",
      paused: false,
      blocked: true,
      queue: 2,
      untaken: 41,
      lag_events: 40,
      lag_seconds: 12,
      delivered: 340,
      coalesced: 23,
      overtook: 0,
      fell_behind: 1,
      gaps: 0,
      gap_events: 0,
      terms: {
        max_events_per_second: 3,
        preferred_verbosity: "terse",
        languages: ["en", "de"],
        coalesce_boundaries: ["sentence", "completion"],
        event_filters: { include: ["*"], exclude: ["aaep:agent.tool.*"] },
        cognitive_load: "medium",
        pace_wpm: 180,
        supports_confirmation_reply: true,
        supports_clarification_reply: false,
        supported_extensions: [],
        paused: false,
        max_chars: 16384,
      },
    },
  ],
  questions: [
    {
      session_id: "sess_1",
      kind: "confirmation",
      asked: "Delete the file.",
      asked_at: "2026-05-24T13:59:20.000Z",
      deadline: "2026-05-24T14:01:30.000Z",
      can_answer: 1,
      shown_to: 1,
    },
  ],
};

describe("the status for people", () => {
  it("tells what is wrong first, then all the rest, in sentences", () => {
    const [heading, ...lines] = statusLines(STATUS, NOW, 500);
    expect(heading).toBe("Daemon aaepd, aaepd 0.1.0, process 4711, up 2 hours 3 minutes");
    expect(lines[0]).toBe("All is well, with 1 piece of advice.");
    expect(lines[1]).toMatch(/^ {2}Advice: narrator takes too slowly: .* Since \d\d:59:48\.$/);
    expect(lines.slice(2)).toEqual([
      `    Remedy: ${STATUS.problems[0]?.remedy}`,
      "Sessions: 2",
      "  Retirement Planner: waits for an answer for 40 seconds, runs fetch_balance for 12 seconds; sess_1, 34 events, its agent is away and may come back within 3 seconds",
      "  and 1 more",
      "Subscriptions: 1",
      "  narrator: takes nothing for 12 seconds, 40 events, reads from the journal, at most 41 events behind; delivered 340, merged 23, fell behind once; subscribed for 1 hour",
      "    Terms: 3 events a second; terse verbosity; languages en, de; boundaries sentence, completion; includes *; excludes aaep:agent.tool.*; 180 words a minute; answers confirmations",
      "Open questions: 1",
      '  confirmation in sess_1, 1 minute 30 seconds left: "Delete the file."',
      "    1 can answer, shown to 1, asked 40 seconds ago",
      "Rates: 12.5 events published and 25 delivered a second.",
      "Since the start: 1200 published, 2400 delivered, 30 merged. Subscriptions ended: 2 lagging, 5 by the subscriber.",
      "Journal: on disk, policy durable, 1200 events, 3.3 MiB, the oldest 2 hours old",
      "  /home/ada/.local/state/aaepd/journal/aaepd",
      "Memory: 85.8 MiB resident, 47.7 MiB of it the process's own; 19.1 MiB of heap in use",
      "Connections: 3 over ipc",
      "  ipc at /run/user/1000/aaep/aaepd.sock",
    ]);
  });

  it("fits 80 columns, draws nothing, and shows no control characters of others", () => {
    const evil = {
      ...STATUS.questions[0],
      asked: "Delete\u001b[2J \u202eeverything?\nYes",
    } as (typeof STATUS.questions)[0];
    const lines = statusLines({ ...STATUS, questions: [evil] }, NOW, 80);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(lines.join("\n")).not.toMatch(/[\u2500-\u257f|\u0000-\u0009\u001b\u202e]/);
    expect(lines.join(" ").replace(/ +/g, " ")).toContain("everything? Yes");
  });

  it("says that nothing is wrong, and leaves out what is not there", () => {
    const none = {
      problems: [],
      sessions: [],
      session_count: 0,
      subscriptions: [],
      subscription_count: 0,
      closures: {},
    };
    const quiet = { ...STATUS, ...none, questions: [], question_count: 0, connections: {}, endpoints: {} };
    const lines = statusLines(quiet, NOW, 80);
    expect(lines.slice(1, 5)).toEqual([
      "All is well.",
      "Sessions: none",
      "Subscriptions: none",
      "Open questions: none",
    ]);
    expect(lines.at(-1)).toBe("Connections: none");
  });
});

describe("aaepd status", () => {
  it("tells a running daemon's sessions, subscriptions and questions, as text and as JSON", async () => {
    const rig = await startRig();
    const listener = await rig.plain();
    await listener.subscribe(
      requestOf(
        { supports_confirmation_reply: true, max_events_per_second: 7, languages: ["en"] },
        { subscriber_id: "narrator" },
      ),
    );
    const agent = await rig.rpc();
    await agent.publish(session("sess_status").started(), session("sess_status").confirmation("rpl_status"));
    await listener.events.next("aaep:agent.awaiting.confirmation");

    const stage = await run(registerStatus, createStage(), "--socket", rig.path);
    expect(stage.err()).toBe("");
    expect(stage.exitCode()).toBe(0);
    const text = stage.out();
    expect(text).toContain("All is well.\n");
    expect(text).toMatch(/^ {2}test-agent: waits for an answer for \d seconds?; sess_status, /m);
    expect(text).toContain("  narrator: gets live events; delivered");
    expect(text).toContain("7 events a second");
    expect(text).toContain('"Delete the file."');
    expect(text).toContain("Journal: in memory,");

    const json = await run(registerStatus, createStage(), "--socket", rig.path, "--json");
    expect(JSON.parse(json.out())).toMatchObject({ sessions: [{ session_id: "sess_status" }] });
    await agent.close();
    await listener.close();
  });

  it("ends with 69 where there is no daemon, and says how to start one", async () => {
    const stage = createStage();
    await run(registerStatus, stage);
    expect(stage.exitCode()).toBe(69);
    expect(stage.out()).toBe("");
    expect(stage.err()).toMatch(
      /^Error: There is no daemon in .*\. To start one: aaepd setup, or in a terminal of its own: aaepd serve \(not_found\)\n$/s,
    );
  });

  it("tells of several daemons each under its heading, and of one that speaks something else that it does", async () => {
    const environment = runtimeEnvironment();
    const configuration = (name: string) => ({
      socket: { kind: "path", path: join(environment.directory, `${name}.sock`) } as const,
      producerId: name,
    });
    const first = await startRig({ configuration: configuration("first") });
    const second = await startRig({ configuration: configuration("second") });
    // Takes connections and ends them.
    const other = createServer((socket) => void socket.on("error", () => {}).destroy());
    await new Promise<void>((resolve) => other.listen(join(environment.directory, "zother.sock"), resolve));
    onTestFinished(() => new Promise<void>((resolve) => void other.close(() => resolve())));

    const stage = createStage({ environment });
    await run(registerStatus, stage);
    expect(stage.exitCode()).toBe(69);
    const headings = stage.out().match(/^Daemon [a-z]+/gm);
    expect(headings).toEqual(["Daemon first", "Daemon second", "Daemon zother"]);
    expect(stage.out()).toMatch(/\n\nDaemon second/);
    expect(stage.out()).toMatch(/Daemon zother\n {2}Error: /);
    await first.stop();
    await second.stop();
  });

  const PLAIN = [
    ["a dumb terminal", { columns: 72, environment: { TERM: "dumb" } }],
    ["a pipe", {}],
    ["a terminal of NO_COLOR", { columns: 72, environment: { TERM: "xterm", NO_COLOR: "1" } }],
  ] as const;
  it.each(PLAIN.slice(0, isWhole ? 3 : 1))(
    "watches on %s: one telling after the other, an empty line between, until it is interrupted",
    async (_, options) => {
      const rig = await startRig();
      const stage = createStage(options);
      const running = run(registerStatus, stage, "--socket", rig.path, "--watch", "1");
      await eventually(() => expect(stage.out().match(/^Daemon /gm)).toHaveLength(1));
      const told = performance.now();
      await eventually(() => expect(stage.out().match(/^Daemon /gm)).toHaveLength(2));
      expect(performance.now() - told).toBeGreaterThan(500);
      stage.interrupt();
      await running;
      expect(stage.exitCode()).toBe(0);
      expect(stage.out()).toMatch(/\n\nDaemon /);
      expect(stage.out()).not.toContain("\u001b");
    },
  );

  it.each([0, 1, 20])("a terminal that says %i columns gets words and no single letters", async (columns) => {
    const rig = await startRig();
    const stage = await run(registerStatus, createStage({ columns }), "--socket", rig.path);
    const lines = stage.out().trimEnd().split("\n");
    const width = Math.max(...lines.map((line) => line.length));
    if (columns === 0) expect([width > 60, width <= 80]).toEqual([true, true]);
    // Paths without spaces are cut anywhere, and may leave a short rest.
    expect(lines.filter((line) => line.trim().length < 3).length).toBeLessThan(lines.length / 10);
  });

  itInFull("watches: on a terminal in the same place, also while there is no daemon", async () => {
    const stage = createStage({ columns: 72 });
    const running = run(registerStatus, stage, "-w", "1");
    await eventually(() => expect(stage.out().startsWith("\u001b[H\u001b[JError: There is no daemon")).toBe(true));
    await eventually(() => expect(stage.out().split("\u001b[H\u001b[J")).toHaveLength(3));
    stage.interrupt();
    await running;
    expect(stage.exitCode()).toBe(0);
  });
});
