// R17: whom a replay tells that it has ended, and that nobody is sent away for ever.
import { expect, it } from "vitest";
import { createEndings } from "../../../src/daemon/replay/replay-endings.js";

it("tells a return once for what is new to it, however often it comes back in the same way", () => {
  const endings = createEndings();
  const dueOf = (subscriberId: string, resumeAfter: string, hasHeardNews: boolean) => {
    const ending = endings.of({ subscriberId, resumeAfter });
    const isDue = ending.isDue(hasHeardNews);
    if (isDue) ending.note();
    return isDue;
  };
  expect(dueOf("a", "c1.a.1", false)).toBe(false);
  expect([dueOf("a", "c1.a.1", true), dueOf("a", "c1.a.1", true)]).toStrictEqual([true, false]);
  expect([dueOf("a", "c1.a.2", true), dueOf("b", "c1.a.1", true)]).toStrictEqual([true, true]);
});

it("tells who begins anew each time that it hears something, and once where everything is hidden from it", () => {
  const ending = createEndings().of({ subscriberId: "a", resumeAfter: undefined });
  expect(ending.isDue(false)).toBe(true);
  ending.note();
  expect([ending.isDue(false), ending.isDue(true)]).toStrictEqual([false, true]);
});
