// R28: whatever a listener was sent can be had again by the id that it holds, merged events among them (pitfall A7).
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
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
function speak(rig: EngineRig, text: string, everyMs: number): void {
  rig.publish(started(), state("idle", "thinking"));
  for (const [index, token] of tokens(text).entries()) {
    rig.publish(chunk(token));
    if (index % 31 === 30) rig.publish(invoked("fetch", `call_${index}`), toolDone("fetch", `call_${index}`));
    if (index % 47 === 46) rig.publish({ ...progress(index % 100), producer: { agent_id: "other" } });
    if (index % 53 === 52) rig.advance(6000);
    rig.advance(everyMs);
  }
  rig.publish(chunk("", true), completed());
  rig.advance(120_000);
}

describe("R28, R12: an event that was merged", () => {
  const cases: readonly (readonly [string, Partial<Terms>, number])[] = [
    ["by sentences", {}, 50],
    ["by sentences, at two a second", { maxEventsPerSecond: 2 }, 200],
    ["by words", { coalesceBoundaries: ["word"] }, 50],
    ["by words, at one a second", { coalesceBoundaries: ["word"], maxEventsPerSecond: 1 }, 100],
    ["by paragraphs, for a person who reads slowly", { coalesceBoundaries: ["paragraph"], paceWpm: 50 }, 50],
    ["for a braille display of 80 characters", { maxChars: 80, maxEventsPerSecond: 1 }, 20],
    ["at completion", { coalesceBoundaries: ["completion"] }, 10],
    ["of chunks that pass through, at one a second", { coalesceBoundaries: ["none"], maxEventsPerSecond: 1 }, 100],
    ["in another language and verbosity", { languages: ["es", "en"], preferredVerbosity: "terse" }, 50],
  ];
  it.each(cases)("%s: is sent again as it was", (_name, terms, everyMs) => {
    const rig = createEngineRig();
    const reader = rig.listen(terms);
    speak(rig, PROSE.repeat(4), everyMs);
    const given = reader.received.map(({ event }) => event);
    expect(given.filter(({ event_id: id, chunk: text }) => DERIVED.test(id) && text !== "").length).toBeGreaterThan(0);
    for (const event of given) expect(again(rig, reader, event)).toEqual(event);
  });

  it("is found by another connection under the same terms, and after others have spoken", () => {
    const rig = createEngineRig();
    const reader = rig.listen();
    speak(rig, PROSE, 20);
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
    speak(rig, PROSE, 20);
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

  it("made-up ids are not found, and cost a bounded number of hashes", () => {
    let hashCount = 0;
    const rig = createEngineRig({
      hashed: () => {
        hashCount += 1;
      },
    });
    const reader = rig.listen();
    rig.publish(started());
    rig.publish(chunk("word by word it goes on and on ".repeat(500)));
    const [place] = rig.publish(chunk("word by word it goes on and on ".repeat(500)));
    const epoch = (place?.epoch ?? 0).toString(16).padStart(16, "0");
    for (const offset of [0, 15_499, 15_501, 20_000, 31_000, 31_001, 0xffff_ffff]) {
      const madeUp = `evt_${epoch}${offset.toString(16).padStart(8, "0")}${"ab".repeat(20)}`;
      hashCount = 0;
      expect(faultOf(() => reader.subscription.repeat(madeUp)).code).toBe("not_found");
      expect(hashCount).toBeLessThanOrEqual(512);
    }
    for (const id of ["evt_x", `evt_${"f".repeat(64)}`, `evt_${"0".repeat(64)}`])
      expect(faultOf(() => reader.subscription.repeat(id)).code).toBe("not_found");
  });
});

describe("R28: what an id costs that nobody was sent", () => {
  /** A rig that counts the events read from its journal one by one. */
  const countingRig = () => {
    const count = { reads: 0 };
    const rig = createEngineRig({
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
  const madeUp = (epoch: number | undefined, offset: number): string =>
    `evt_${(epoch ?? 0).toString(16).padStart(16, "0")}${offset.toString(16).padStart(8, "0")}${"ab".repeat(20)}`;
  const other = session("sess_2");

  it("is the chunks of one output, 4,096 at most for the present and the former terms together", () => {
    const { rig, count } = countingRig();
    const reader = rig.listen();
    reader.subscription.retune({ ...reader.subscription.terms(), maxChars: 10_000 });
    rig.publish(started());
    rig.publish(other.started());
    const place = Array.from({ length: 6000 }, () => rig.publish(chunk("x"), other.chunk("y"))).at(-1)?.[0];
    for (let turn = 0; turn < 3; turn += 1) {
      count.reads = 0;
      expect(faultOf(() => reader.subscription.repeat(madeUp(place?.epoch, 6000 - turn))).code).toBe("not_found");
      expect(count.reads).toBeLessThanOrEqual(4096);
    }
    count.reads = 0;
    expect(faultOf(() => reader.subscription.repeat(madeUp(place?.epoch, 6000))).code).toBe("not_found");
    expect(count.reads).toBe(4096);
  });

  it("is nothing of what stands between the chunks, of the same session or of others", () => {
    const { rig, count } = countingRig();
    const reader = rig.listen();
    rig.publish(started());
    rig.publish(other.started());
    for (let index = 0; index < 9; index += 1) {
      rig.publish(chunk("word ", false), chunk("elsewhere ", false, "out_2"), progress(index));
      for (let more = 0; more < 100; more += 1) rig.publish(other.chunk("y"));
    }
    const [place] = rig.publish(chunk("word "));
    expect(faultOf(() => reader.subscription.repeat(madeUp(place?.epoch, 50))).code).toBe("not_found");
    expect(count.reads).toBe(10);
  });

  it("is 4,096 state changes where it names one, whether or not the subscription wants any", () => {
    const { rig, count } = countingRig();
    const reader = rig.listen();
    const eventFilters = { include: ["aaep:agent.progress.updated"], exclude: [] };
    reader.subscription.retune({ ...reader.subscription.terms(), eventFilters });
    reader.subscription.retune({ ...reader.subscription.terms(), maxChars: 80 });
    rig.publish(started());
    const names = ["idle", "thinking", "deciding"];
    let epoch: number | undefined;
    for (let index = 0; index < 5000; index += 1) {
      const [place] = rig.publish(
        state(String(names[index === 0 ? 0 : 1 + (index % 2)]), String(names[1 + ((index + 1) % 2)])),
      );
      epoch = place?.epoch;
    }
    expect(faultOf(() => reader.subscription.repeat(madeUp(epoch, 0))).code).toBe("not_found");
    expect(count.reads).toBe(4096);
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

  it("R6, R17, AAEP §6.4.3: notices, reminders, resolutions and sums are sent again", () => {
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
    if (sum === undefined) throw new Error("nothing was summed up");
    expect(again(rig, late, sum)).toEqual(sum);
  });

  it("R27: a gap is sent again", () => {
    const rig = createEngineRig({ journal: { maxEvents: 32 }, engine: { viewWindowCount: 8 } });
    const slow = rig.listen();
    rig.publish(started());
    slow.block(true);
    for (let index = 0; index < 200; index += 1)
      rig.publish(invoked("fetch", `call_${index}`), toolDone("fetch", `call_${index}`));
    slow.block(false);
    const gap = slow.received.find(({ event }) => event.extensions?.aaepd?.gap !== undefined)?.event;
    if (gap === undefined) throw new Error("no gap was told");
    expect(again(rig, slow, gap)).toEqual(gap);
  });

  it("sums are kept for all subscriptions together, the newest 1,024", () => {
    const rig = createEngineRig();
    for (let index = 0; index < 1023; index += 1) {
      rig.agent.publish([{ fields: session(`sess_${index + 10}`).started() }], false);
    }
    rig.publish(started());
    const first = rig.listen();
    const [oldest] = first.received;
    const newest = first.received.at(-1);
    if (oldest === undefined || newest === undefined) throw new Error("nothing was summed up");
    expect(again(rig, first, oldest.event)).toEqual(oldest.event);
    rig.publish(progress(1));
    rig.listen({}, "second");
    expect(faultOf(() => first.subscription.repeat(newest.event.event_id)).code).toBe("not_found");
  });
});
