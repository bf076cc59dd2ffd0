// Requests in front of a provider.
import { expect, it } from "vitest";
import { Forwarding } from "../../../src/protocols/a2e/providers/forwarding.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

it("a request that nobody waits for any more has its slot until the provider has answered, or for a minute", () => {
  const texts: string[] = [];
  const clock = createVirtualClock();
  let ids = 0;
  const forwarding = new Forwarding({
    send: (text) => texts.push(text) > 0,
    newId: () => {
      ids += 1;
      return `r${ids}`;
    },
    maxParallel: () => 1,
    announced: () => {},
    clock,
  });
  const ignored = () => {};
  const news = { event: ignored, answered: ignored, refused: ignored, unreadable: ignored, lost: ignored };
  const request = () => forwarding.request("{}", news);
  const [first] = [request(), request(), request()];
  first();
  expect([texts.length, forwarding.count()]).toEqual([1, 3]);
  forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
  expect([texts.length, forwarding.count()]).toEqual([2, 2]);
  forwarding.receive({ type: "tool/call/resp", req_id: "r1" }, "");
  expect(texts.length).toBe(2);
  const second = request();
  second();
  forwarding.receive({ type: "error", req_id: "r2" }, "");
  expect([texts.length, forwarding.count()]).toEqual([3, 1]);
  clock.advance(59_999);
  expect(forwarding.count()).toBe(1);
});
