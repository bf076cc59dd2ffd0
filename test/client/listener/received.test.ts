// R12: what a subscriber drops as a repeat, and its bounded memory.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { Received } from "../../../src/client/listener/received.js";
import { casesOf } from "../../support/extent.js";
import { type Came, RETURN_CASES } from "../../support/return-cases.js";
import { chunkMessage, eventMessage } from "../fake-producer.js";

const event = (number: number, fields = {}) => eventMessage(number, fields) as unknown as Envelope;
const chunk = (...args: Parameters<typeof chunkMessage>) => chunkMessage(...args) as unknown as Envelope;

describe("R12: after a return it drops", () => {
  let count = 0;
  const sent = (came: Came): Envelope => {
    if ("event" in came) return event(0, { event_id: came.event });
    if ("question" in came) return event(0, { event_id: came.question, type: "aaep:agent.awaiting.clarification" });
    count += 1;
    const { text, at, complete, id = `evt_t${count}` } = came;
    return { ...chunk(0, text, at, complete === true), event_id: id };
  };
  const heard = ({ type, event_id, chunk: text, position: at, complete }: Envelope): Came => {
    if (typeof text === "string") return { text, at: Number(at), ...(complete === true && { complete }) };
    return type.includes("awaiting") ? { question: event_id } : { event: event_id };
  };
  it.each(RETURN_CASES)("$name", ({ came, news }) => {
    const received = new Received();
    const all = came.flatMap((events) => {
      received.reconnected();
      return events.flatMap((one) => received.accept(sent(one)) ?? []);
    });
    expect(all.map(heard)).toEqual(news);
  });
});

test("R12, R28: on one connection a question is asked once, in either spelling of its type", () => {
  for (const type of ["aaep:", "https://aaep-protocol.org/types/"].map(
    (prefix) => `${prefix}agent.awaiting.confirmation`,
  )) {
    const received = new Received();
    const question = event(1, { type });
    expect([received.accept(question), received.accept(question)]).toEqual([question, undefined]);
    received.reconnected();
    expect([received.accept(question), received.accept(question)]).toEqual([question, undefined]);
  }
});

test("R12: a session that begins anew under its id, as after a restart that kept nothing, writes new text", () => {
  const received = new Received();
  const begins = (number: number): Envelope => event(number, { type: "aaep:agent.session.started" });
  const { session_id } = begins(1);
  const says = (text: string) => received.accept({ ...chunk(0, text, 0), session_id })?.chunk;
  received.accept(begins(1));
  expect(says("Hello Ann.")).toBe("Hello Ann.");
  received.reconnected();
  expect([received.accept(begins(1)), says("Hello Ann.")]).toEqual([undefined, undefined]);
  received.reconnected();
  expect([received.accept(begins(2))?.event_id, says("Hello Bob.")]).toEqual([begins(2).event_id, "Hello Bob."]);
});

test("R12: the newest 10,000 ids are remembered, and never more than 20,000", () => {
  const received = new Received();
  const offer = (number: number): boolean => received.accept(event(number)) !== undefined;
  for (let number = 1; number <= 50_000; number += 1) if (!offer(number)) throw new Error(`evt_${number} is new`);
  for (let number = 50_000; number > 40_000; number -= 1) if (offer(number)) throw new Error(`evt_${number} was there`);
  expect(offer(30_000)).toBe(true);
});

test("R12: the newest 256 outputs are remembered, also those of one long session, and never more than 512", () => {
  const received = new Received();
  const say = (output: number) => received.accept({ ...chunk(0, "Once.", 0), output_id: `out_${output}` });
  for (let number = 0; number < 2000; number += 1) expect(say(number)).toBeDefined();
  expect(say(2000 - 256)).toBeUndefined();
  expect(say(2000 - 2 * 256 - 1)).toBeDefined();
});

test("R12: outputs of two sessions, and one without a name, are apart", () => {
  const received = new Received();
  const { output_id: _, ...unnamed } = chunk(1, "One.", 0);
  const others = [unnamed, { ...unnamed, session_id: "sess_2" }, { ...unnamed, output_id: "out_2" }];
  for (const one of others) expect(received.accept(one as Envelope)).toEqual(one);
  for (const one of others) expect(received.accept(one as Envelope)).toBeUndefined();
});

test("R12: of an output 16,384 characters are compared, of any plane; what stands before them counts as heard", () => {
  const received = new Received();
  const say = (text: string, at: number) => received.accept(chunk(0, text, at));
  say("🙂".repeat(32_768), 0);
  expect(say("X", 0)).toMatchObject({ position: 0 });

  const full = new Received();
  full.accept(chunk(0, "🙂".repeat(32_769), 0));
  const compared = 32_769 - 16_384;
  for (const at of [0, compared - 1]) expect(full.accept(chunk(0, "X", at))).toBeUndefined();
  expect(full.accept(chunk(0, "🙂X", compared))).toMatchObject({ chunk: "X", position: compared + 1 });
});

test("R10, R12: however text is cut, merged, repeated and taken back, what is accepted joins by position to the text", () => {
  const said = [
    "Ụbọchị 🙂 one. Two 日本 three four.",
    "Ụbọchị 🙂 one. Two 日本, six.",
    "Ụbọchị 🙂 seven eight nine. Ten 🙂🙂.",
  ];
  const cut = fc.tuple(fc.nat(40), fc.nat(40));
  const connection = fc.record({ text: fc.constantFrom(...said), cuts: fc.array(cut, { maxLength: 8 }) });
  fc.assert(
    fc.property(fc.array(connection, { minLength: 1, maxLength: 4 }), (connections) => {
      const received = new Received();
      let heard: string[] = [];
      let completeAt: number | undefined;
      for (const [index, { text, cuts }] of connections.entries()) {
        received.reconnected();
        const characters = [...text];
        // All of it comes on each connection, from its beginning on, in any pieces.
        const ends = [...cuts.flat().filter((at) => at < characters.length), characters.length].sort((a, b) => a - b);
        let from = 0;
        for (const to of ends) {
          const complete = to === characters.length;
          const news = received.accept(chunk(index, characters.slice(from, to).join(""), from, complete));
          from = to;
          if (news === undefined) continue;
          const { position, chunk: fresh } = news;
          const before = heard;
          heard = [...heard.slice(0, Number(position)), ...String(fresh)];
          // What is accepted begins with what stood otherwise, or behind all that was heard.
          if (fresh !== "") expect(before[Number(position)]).not.toBe([...String(fresh)][0]);
          if (news.complete === true) completeAt = heard.length;
        }
        expect(heard.join("")).toBe(text);
        expect(completeAt).toBe(characters.length);
      }
    }),
    { numRuns: casesOf(1000) },
  );
});
