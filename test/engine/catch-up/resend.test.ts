// R28: whatever a listener was sent can be had again by the id that it holds, merged events among them (pitfall A7).
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, type EngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";

const { started, completed, state, progress, chunk, confirmation, invoked, toolDone } = session();

const DERIVED = /^evt_[0-9a-f]{64}$/;
const PROSE =
  "The first sentence is here. And this is the second one, a little longer than the first! Was there a third? " +
  "There was: it names Dr. Grey, who lives at No. 5.\n\n- one item\n- another item\n\n```\nlet a = 1;\nlet b = 2;\n```\n" +
  "日本語の文です。次の文もあります。 The end follows 👍🏽 here. ";

function tokens(text: string): readonly string[] {
  return text.match(/.{1,7}/gsu) ?? [];
}

function again(rig: EngineRig, to: Listener, event: AgentEvent): AgentEvent | undefined {
  const before = to.received.length;
  to.subscription.repeat(event.event_id);
  rig.clock.settle();
  expect(to.received.length).toBe(before + 1);
  return to.received.at(-1)?.event;
}

/** A session of two agents with text, tools, states and pauses between. */
function speak(rig: EngineRig): void {
  rig.publish(started(), state("idle", "thinking"));
  for (const [index, token] of tokens(PROSE).entries()) {
    rig.publish(chunk(token));
    if (index % 31 === 30) rig.publish(invoked("fetch", `call_${index}`), toolDone("fetch", `call_${index}`));
    if (index % 47 === 46) rig.publish({ ...progress(index % 100), producer: { agent_id: "other" } });
    if (index % 53 === 52) rig.advance(6000);
    rig.advance(20);
  }
  rig.publish(chunk("", true), completed());
  rig.advance(120_000);
}

describe("R28, R12: an event that was merged", () => {
  it("is found by another connection under the same terms, and after others have spoken", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    speak(rig);
    const other = session("sess_2");
    rig.publish(other.started(), other.chunk("Another voice. ", false), other.chunk("It ends.", true));
    const sentence = reader.received.find(
      ({ event }) => event.chunk === "And this is the second one, a little longer than the first! ",
    );
    if (sentence === undefined) throw new Error("the sentence was not delivered by itself");
    const back = rig.listen({}, "listener");
    expect(again(rig, back, sentence.event)).toEqual(sentence.event);
  });

  it("is found under the terms that the subscription had before, and not where it is longer than it may be now (R26)", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    speak(rig);
    const short = reader.received.find(({ event }) => event.chunk === "The first sentence is here. ")?.event;
    const long = reader.received.find(({ event }) => String(event.chunk).startsWith("```"))?.event;
    const second = reader.received.find(({ event }) => String(event.chunk).startsWith("And this is"))?.event;
    if (short === undefined || second === undefined) throw new Error("the sentences were not delivered by themselves");
    expect(long).toBeDefined();
    reader.subscription.retune({ ...reader.subscription.terms(), maxChars: 50 });
    rig.clock.settle();
    expect(again(rig, reader, short)).toEqual(short);
    expect(faultOf(() => reader.subscription.repeat(second.event_id)).code).toBe("not_found");
  });

  it("leaves at once, before what waits and while the subscription is paused", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    rig.publish(started(), chunk("One sentence"), chunk(" is here. "), chunk("Another one "));
    const first = reader.received.at(-1)?.event;
    if (first === undefined) throw new Error("nothing was delivered");
    expect(first.chunk).toBe("One sentence is here. ");
    reader.subscription.retune({ ...reader.subscription.terms(), paused: true });
    rig.publish(chunk("goes on. "), chunk("End.", true));
    expect(again(rig, reader, first)).toEqual(first);
  });

  it("is not found once its text has left the journal", () => {
    const rig = createEngineRig({ journal: { maxEvents: 64 } });
    const reader = rig.listen();
    rig.publish(started(), chunk("One sentence"), chunk(" is here. "), chunk("Another one "));
    const first = reader.received.at(-1)?.event;
    expect(first?.chunk).toBe("One sentence is here. ");
    for (let index = 0; index < 63; index += 1) rig.publish(progress(index));
    const fault = faultOf(() => reader.subscription.repeat(String(first?.event_id)));
    expect([fault.code, fault.pointer, fault.rule]).toEqual(["not_found", "/event_id", "R28"]);
  });
});

describe("R28: what an id costs that nobody was sent", () => {
  /** A rig that counts the events read from its journal one by one, and the hashes. */
  const countingRig = () => {
    const count = { reads: 0, hashes: 0 };
    const rig = createEngineRig({
      hashed: () => {
        count.hashes += 1;
      },
      around: (journal) => ({
        at: (epoch, only) => {
          const entry = journal.at(epoch, only);
          if (entry !== undefined) count.reads += 1;
          return entry;
        },
      }),
    });
    return { rig, count };
  };
  const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");
  const madeUp = (epoch: number | undefined, start: number, end: number): string =>
    `evt_${hex(epoch ?? 0, 16)}${hex(start, 8)}${hex(end, 8)}${"ab".repeat(16)}`;

  it("is the event that it names, and four hashes for the present and for the former terms", () => {
    const { rig, count } = countingRig();
    const reader = rig.listen();
    reader.subscription.retune({ ...reader.subscription.terms(), maxChars: 10_000 });
    rig.publish(started());
    const texts = Array.from({ length: 600 }, () => rig.publish(chunk("word "))).at(-1)?.[0];
    const [states] = rig.publish(state("writing_output", "thinking"));
    for (const [place, start, end] of [
      [texts, 0, 3000],
      [texts, 2990, 3000],
      [texts, 0, 0],
      [texts, 0xffff_ffff, 0xffff_ffff],
      [states, 0, 0],
      [states, 1, 0],
      [states, 500, 0],
      [states, 0xffff_ffff, 0],
    ] as const) {
      Object.assign(count, { reads: 0, hashes: 0 });
      expect(faultOf(() => reader.subscription.repeat(madeUp(place?.epoch, start, end))).code).toBe("not_found");
      expect([count.reads, count.hashes <= 8]).toEqual([1, true]);
    }
    for (const id of ["evt_x", `evt_${"f".repeat(64)}`, `evt_${"0".repeat(64)}`])
      expect(faultOf(() => reader.subscription.repeat(id)).code).toBe("not_found");
  });

  it("a text is not made again where more than 4,096 events of its session belong to it", () => {
    const { rig, count } = countingRig();
    const reader = rig.listen();
    rig.publish(started(), chunk("One sentence"));
    for (let index = 0; index < 5000; index += 1) rig.publish(chunk("elsewhere ", false, "out_2"));
    rig.publish(chunk(" is here. "), chunk("Another one "));
    const given = reader.received.find(({ event }) => event.chunk === "One sentence is here. ");
    if (given === undefined) throw new Error("the sentence was not delivered");
    expect(faultOf(() => reader.subscription.repeat(given.event.event_id)).code).toBe("not_found");
    // One more tells that it is one too many.
    expect(count.reads).toBeLessThanOrEqual(2 * 4096 + 1);
  });
});

describe("R28: what the daemon made", () => {
  it("R11: a collapsed state change is sent again as it was", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started());
    const names = ["idle", "thinking", "deciding", "searching", "reading"];
    for (const [index, from] of names.slice(0, -1).entries()) rig.publish(state(from, String(names[index + 1])));
    rig.advance(5000);
    const collapsed = reader.received.at(-1)?.event;
    if (collapsed === undefined) throw new Error("nothing was delivered");
    expect(collapsed).toMatchObject({ from_state: "idle", to_state: "reading" });
    expect(collapsed.event_id).toMatch(DERIVED);
    expect(again(rig, reader, collapsed)).toEqual(collapsed);
  });

  it("R6, AAEP §6.4.3: notices, reminders and resolutions are sent again; sums are not", () => {
    const rig = createEngineRig();
    rig.listen({ supportsConfirmationReply: true });
    const reader = rig.listen();
    rig.publish(started(), state("idle", "thinking"), confirmation("rpl_1", { timeout_seconds: 600 }));
    rig.advance(300_000);
    const late = rig.listen({}, "late");
    rig.advance(301_000);
    const marks = reader.received.map(({ event }) => Object.keys(event.extensions?.aaepd ?? {}));
    expect(marks.flat()).toEqual(expect.arrayContaining(["asks", "question", "decision"]));
    for (const { event } of [...reader.received]) expect(again(rig, reader, event)).toEqual(event);
    const sum = late.received.find(({ event }) => event.extensions?.aaepd?.summary === true)?.event;
    expect(faultOf(() => late.subscription.repeat(String(sum?.event_id))).code).toBe("not_found");
  });
});

describe("R4, R28: a state that begins in what a critical event implied", () => {
  it("is sent again as it was", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(session().state("idle", "thinking"));
    rig.advance(10_000);
    for (let index = 0; index < 6; index += 1) rig.publish(session().invoked("look", `call_${index}`));
    rig.publish(session().state("thinking", "deciding"));
    rig.publish({ ...session().invoked("look", "call_z"), urgency: "critical" });
    rig.publish(session().state("deciding", "thinking"));
    rig.advance(60_000);
    const mended = listener.received.findLast(({ event }) => event.to_state === "thinking")?.event;
    listener.subscription.repeat(String(mended?.event_id));
    rig.clock.settle();
    expect([mended?.from_state, listener.received.at(-1)?.event]).toEqual(["calling_tool", mended]);
  });
});
