// Text that a kill took back, and the text that stands in its place, at a client whose last place stands before both (R17, R29).
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { createReceived } from "../../src/client/received.js";
import type { Terms } from "../../src/engine/terms/terms.js";
import { session } from "../support/rigs/engine-rig.js";
import { createRuns } from "../support/rigs/restart-rig.js";
import { begin, placeOf, S } from "../support/rigs/restart-session.js";

const PASS: Partial<Terms> = { coalesceBoundaries: ["none"] };

it("R17: a client shows what is said in place of text that a kill took back, though its last checkpoint stands before that", async () => {
  const runs = createRuns();
  const first = runs.start();
  const token = begin(first);
  const client = createReceived();
  let shown = "";
  const show = (events: readonly { readonly event: unknown }[]): void => {
    for (const { event } of events) {
      const news = client.accept(event as Envelope);
      if (typeof news?.chunk === "string") shown += `[${news.chunk}]`;
    }
  };
  const listener = first.listen(PASS);
  first.publish(session().chunk("One "));
  await first.flush();
  // The last checkpoint.
  const place = placeOf(listener) ?? "";
  // Within the second after it: heard, and never kept.
  first.publish(session().chunk("two "));
  client.reached(place);
  show(listener.received);
  const second = runs.start();
  second.agent.resumeSession(S, token);
  const back = second.listen(PASS, "listener", place);
  const { resumed } = back.subscription;
  second.publish(session().chunk("six seven", true));
  show(back.received);
  expect([resumed, shown]).toEqual(["all", "[One ][two ][six seven]"]);
});
