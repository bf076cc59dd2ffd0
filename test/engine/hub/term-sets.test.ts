// R34: each different set of terms has a view, so there are only so many of them at a time.
import { expect, it } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, session, typesOf } from "../../support/rigs/engine-rig.js";

it("R34: one set of terms too many is refused, and new terms that would be one leave the old ones in force", () => {
  const rig = createEngineRig({ engine: { maxTermSets: 2 } });
  const [one] = [rig.listen({ maxChars: 100 }), rig.listen({ maxChars: 200 })];
  const other = rig.listen({ maxChars: 200, maxEventsPerSecond: 5 }, "other");
  expect(faultOf(() => rig.listen({ maxChars: 300 })).code).toBe("rate_limit");
  const retune = (maxChars: number) => other.subscription.retune({ ...other.subscription.terms, maxChars });
  expect(faultOf(() => retune(300)).code).toBe("rate_limit");
  expect(other.subscription.terms.maxChars).toBe(200);
  rig.publish(session().started());
  expect(typesOf(other.received)).toEqual(["session.started"]);
  // Who is alone with a set gives it up for another; what is given up can be had again.
  one.subscription.retune({ ...one.subscription.terms, maxChars: 300 });
  one.subscription.close();
  expect(typesOf(rig.listen({ maxChars: 400 }).received)).toEqual(["state.changed"]);
});
