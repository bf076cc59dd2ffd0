// What a stream of an agent owes at a time: so many answers, and so many bytes, of one stream and of all.
import { describe, expect, it } from "vitest";
import { createAnswerRoom, createOrderedAnswers } from "../../../../src/protocols/aaep/services/ordered-answers.js";

const MIB = 1024 * 1024;

/** Streams whose peers take everything, in one room. */
function createStage() {
  const room = createAnswerRoom();
  const sent: number[] = [];
  const send = ({ length }: { readonly length: number }): boolean => sent.push(length) > 0;
  const open = () => createOrderedAnswers<{ length: number }>({ send, writable: async () => {} }, room);
  return { sent, open };
}

describe("requests without an answer", () => {
  it("are 1,024 of a stream at most, or 1 MiB; the answers leave in their order", async () => {
    const { sent, open } = createStage();
    const many = open();
    const answers = Array.from({ length: 1023 }, () => many.reserve(1));
    expect(many.hasRoom()).toBe(true);
    answers.push(many.reserve(1));
    expect(many.hasRoom()).toBe(false);
    for (const [index, answer] of [...answers.entries()].reverse()) answer({ length: index });
    await many.room();
    expect(sent).toEqual(Array.from({ length: 1024 }, (_, index) => index));

    const large = open();
    const [first, second] = [large.reserve(MIB - 1), large.reserve(1)];
    expect(large.hasRoom()).toBe(false);
    first?.({ length: 10 });
    expect(large.hasRoom()).toBe(true);
    second?.({ length: 10 });
  });

  it("count as what the answer takes once it is known, and a stream with nothing that waits is always read", async () => {
    const { open } = createStage();
    const one = open();
    const [first, second] = [one.reserve(10), one.reserve(10)];
    second?.({ length: 2 * MIB });
    expect(one.hasRoom()).toBe(false);
    first?.({ length: 10 });
    await one.room();
    expect(one.hasRoom()).toBe(true);
  });

  it("are 32 MiB of all streams at most, and the end of a stream gives its room back", () => {
    const { open } = createStage();
    const others = Array.from({ length: 32 }, open);
    for (const other of others) other.reserve(MIB);
    const late = open();
    expect(late.hasRoom()).toBe(true);
    late.reserve(1);
    expect(late.hasRoom()).toBe(false);
    others[0]?.handOver();
    expect(late.hasRoom()).toBe(true);
  });
});
