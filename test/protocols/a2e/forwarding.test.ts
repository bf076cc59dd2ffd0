// Requests in front of a provider.
import { expect, it } from "vitest";
import type { ExchangeHost } from "../../../src/contracts/exchange.js";
import { Turns } from "../../../src/engine/time/turns.js";
import { createMessageMaker } from "../../../src/protocols/a2e/messages/message.js";
import { ProviderSession } from "../../../src/protocols/a2e/providers/provider-session.js";
import { Router } from "../../../src/protocols/a2e/providers/router.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

/** A provider that serves one request at a time, from its first turn on. */
class OneAtATime extends ProviderSession {
  readonly receive = (message: object): void => this.takeNews({ ...message }, "");
  readonly refuse = (): void => {};
  readonly finish = (): Promise<void> => Promise.resolve();

  begin(): this {
    this.serve({ name: "one", kind: "peer", priority: 0, capabilities: [] }, 1, undefined);
    return this;
  }
}

it("a request that nobody waits for any more has its slot until the provider has answered, or for a minute", () => {
  const texts: string[] = [];
  const clock = createVirtualClock();
  let ids = 0;
  const hex = (): string => {
    ids += 1;
    return `r${ids}`;
  };
  const router = new Router(new Turns(clock), () => {});
  const host = { send: (text: string) => texts.push(text) > 0 } as unknown as ExchangeHost;
  const services = { router, maker: createMessageMaker({ hex } as never, () => 0), clock };
  const provider = new OneAtATime(services, host, "gone").begin();
  const ignored = () => {};
  const news = { event: ignored, answered: ignored, refused: ignored, unreadable: ignored, lost: ignored };
  const request = () => provider.request("{}", news);
  const [first] = [request(), request(), request()];
  first();
  expect([texts.length, provider.requestCount()]).toEqual([1, 3]);
  provider.receive({ type: "tool/call/resp", req_id: "r1" });
  expect([texts.length, provider.requestCount()]).toEqual([2, 2]);
  provider.receive({ type: "tool/call/resp", req_id: "r1" });
  expect(texts.length).toBe(2);
  const second = request();
  second();
  provider.receive({ type: "error", req_id: "r2" });
  expect([texts.length, provider.requestCount()]).toEqual([3, 1]);
  clock.advance(59_999);
  expect(provider.requestCount()).toBe(1);
});
