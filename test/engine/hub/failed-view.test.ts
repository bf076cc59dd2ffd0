// The place of a subscription whose view failed: it covers nothing that was not given (R17, R29).
import { expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
import { createEngineRig, session, typesOf } from "../../support/rigs/engine-rig.js";
import { createFailingView } from "../../support/rigs/failing-view.js";

it("R17: the place of a subscription whose view failed stays before the event that it was not given", () => {
  const rig = createEngineRig();
  const { terms, arm, event } = createFailingView();
  const broken = rig.listen(terms, "broken");
  rig.publish(session().started());
  const { subscription } = broken;
  let place: string | undefined;
  const close = subscription.close.bind(subscription);
  // As the daemon closes it: its last message tells the place.
  Object.assign(subscription, {
    close: () => {
      place = subscription.cursor();
      close();
    },
  });
  arm(true);
  const [failed] = rig.publish(event);
  arm(false);
  expect(broken.ended).toEqual(["producer_error"]);
  expect(typesOf(broken.received)).toEqual(["session.started"]);
  const again = rig.listen(terms, "broken", place);
  expect(again.subscription.resumed).toBe("all");
  expect(readCursor(place ?? "")?.after).toBeLessThan(failed?.epoch ?? 0);
  expect(typesOf(again.received)).toContain("state.changed");
});
