// R18, R34: what of an agent's events waits to be shaped is bounded, and what waits of all agents together.
import { describe, expect, it } from "vitest";
import { createPublisherBacklog, createSharedBacklog } from "../../../src/engine/views/publisher-backlog.js";
import { createSharedRendering, type SharedRendering } from "../../../src/engine/views/shared-rendering.js";

/** `source`: the JSON that counts. Default: it is estimated. */
function liveOf(
  chunk: string | undefined,
  urgency: "normal" | "critical" = "normal",
  source: string | undefined = undefined,
): SharedRendering {
  const event = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "acme:report.made",
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-05-24T14:00:00.000Z",
    producer: { agent_id: "agent" },
    urgency,
    ...(chunk === undefined ? {} : { chunk }),
  };
  return createSharedRendering({
    event,
    kind: "extension",
    source,
    at: 0,
    ordinal: 1,
    made: undefined,
    epoch: 1,
  });
}

describe("R18, R34: what waits of one agent", () => {
  it.each([
    ["256 events", 256, liveOf(undefined)],
    ["one of the longest chunks", 1, liveOf("x".repeat(16_384))],
    ["4,096 critical events", 4096, liveOf(undefined, "critical", "")],
    ["1 Mi units of events", 16, liveOf(undefined, "normal", "x".repeat(64 * 1024))],
    ["2 Mi units of critical events", 32, liveOf(undefined, "critical", "x".repeat(64 * 1024))],
  ] as const)("is at most %s", async (_, most, live) => {
    const backlog = createPublisherBacklog(createSharedBacklog());
    for (let count = 1; count < most; count += 1) backlog.added(live);
    expect(backlog.room()).toBeUndefined();
    backlog.added(live);
    const room = backlog.room();
    expect(room).toBeInstanceOf(Promise);
    backlog.taken(live);
    await room;
    expect(backlog.room()).toBeUndefined();
  });

  it("counts for all: where sixteen agents have as much as they may, an agent with more than a little has no room", async () => {
    const all = createSharedBacklog();
    const long = liveOf("x".repeat(16_384));
    const others = Array.from({ length: 16 }, () => createPublisherBacklog(all));
    const [first] = others;
    for (const one of others) one.added(long);
    const busy = createPublisherBacklog(all);
    for (let count = 0; count < 16; count += 1) busy.added(liveOf(undefined));
    const room = busy.room();
    expect(room).toBeInstanceOf(Promise);
    first?.taken(long);
    await room;
    expect(busy.room()).toBeUndefined();
  });

  it("counts for all by the size of critical events too, which an agent with few of them does not feel", async () => {
    const all = createSharedBacklog();
    const large = liveOf(undefined, "critical", "x".repeat(2 * 1024 * 1024 - 1));
    const others = Array.from({ length: 17 }, () => createPublisherBacklog(all));
    for (const one of others) one.added(large);
    const few = createPublisherBacklog(all);
    few.added(liveOf(undefined, "critical"));
    expect(few.room()).toBeUndefined();
    const room = others[0]?.room();
    expect(room).toBeInstanceOf(Promise);
    others[1]?.taken(large);
    others[2]?.taken(large);
    await room;
  });

  it("an agent that sends little does not stand behind what the others sent", () => {
    const all = createSharedBacklog();
    for (let count = 0; count < 20; count += 1) createPublisherBacklog(all).added(liveOf("x".repeat(16_384)));
    const quiet = createPublisherBacklog(all);
    for (let count = 0; count < 15; count += 1) {
      expect(quiet.room()).toBeUndefined();
      quiet.added(liveOf("word "));
    }
    for (let count = 0; count < 1000; count += 1) quiet.added(liveOf(undefined, "critical"));
    expect(quiet.room()).toBeUndefined();
  });
});
