// What a stream of an agent owes at a time: so many answers, and so many bytes.
import { describe, expect, it } from "vitest";
import { OrderedAnswers } from "../../../../src/protocols/aaep/services/ordered-answers.js";

const MIB = 1024 * 1024;

/** Streams whose peers take everything. */
function createStage() {
  const sent: number[] = [];
  const send = ({ length }: { readonly length: number }): boolean => sent.push(length) > 0;
  const open = () => new OrderedAnswers<{ length: number }>({ send, writable: async () => {} });
  return { sent, open };
}

describe("requests without an answer", () => {
  it("are 1,024 of a stream at most, or 1 MiB; the answers leave in their order", async () => {
    const { sent, open } = createStage();
    const many = open();
    const answers = Array.from({ length: 1023 }, () => many.reserve(1));
    expect(many.room()).toBeUndefined();
    answers.push(many.reserve(1));
    expect(many.room()).toBeInstanceOf(Promise);
    for (const [index, answer] of [...answers.entries()].reverse()) answer({ length: index });
    await many.room();
    expect(sent).toEqual(Array.from({ length: 1024 }, (_, index) => index));

    const large = open();
    const [first, second] = [large.reserve(MIB - 1), large.reserve(1)];
    expect(large.room()).toBeInstanceOf(Promise);
    first?.({ length: 10 });
    expect(large.room()).toBeUndefined();
    second?.({ length: 10 });
  });

  it("count as what the answer takes once it is known, and a stream with nothing that waits is always read", async () => {
    const { open } = createStage();
    const one = open();
    const [first, second] = [one.reserve(10), one.reserve(10)];
    second?.({ length: 2 * MIB });
    expect(one.room()).toBeInstanceOf(Promise);
    first?.({ length: 10 });
    await one.room();
    expect(one.room()).toBeUndefined();
  });
});
