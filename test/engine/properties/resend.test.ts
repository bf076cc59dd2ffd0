// Property: every merged text that left in a random life can be asked for again by its id (R12, R28).
import { expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { createChance } from "../../support/chance.js";
import { casesOf } from "../../support/extent.js";
import { chanceTerms, TEXTS } from "../../support/rigs/chance-terms.js";
import { createEngineRig, session } from "../../support/rigs/engine-rig.js";

it.each([false, true])("R28: merged text that was sent can be asked for again (after a return: %s)", (isReturn) => {
  const bad: string[] = [];
  let askedCount = 0;
  for (let seed = 1; seed < casesOf(60); seed += 1) {
    const chance = createChance(seed);
    const rig = createEngineRig();
    rig.publish(session().started(), session("sess_2").started());
    const a = rig.listen(chanceTerms(chance));
    const done = new Set<string>();
    const act = (): void => {
      const roll = chance.next();
      const one = chance.pick(["sess_1", "sess_2"]);
      const out = `out_${Math.floor(chance.next() * 2)}`;
      try {
        if (roll < 0.7 && !done.has(one + out)) {
          const complete = chance.next() < 0.1;
          rig.publish(session(one).chunk(chance.pick(TEXTS), complete, out));
          if (complete) done.add(one + out);
        } else if (roll < 0.8)
          rig.publish(session(one).invoked("look", `call_${seed}${Math.floor(chance.next() * 1e9)}`));
        else rig.advance(chance.pick([100, 1000, 6000]));
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
      }
    };
    for (let i = 0; i < 25; i += 1) act();
    const places = a.places.filter(({ cursor }) => cursor !== undefined);
    const place = isReturn && places.length > 0 ? chance.pick(places).cursor : undefined;
    const own = chanceTerms(chance);
    const back = rig.listen(own, "back", place);
    for (let i = 0; i < 15; i += 1) act();
    rig.advance(20_000);
    for (const { event } of [...back.received]) {
      if (typeof event.chunk !== "string") continue;
      askedCount += 1;
      const at = back.received.length;
      try {
        back.subscription.repeat(event.event_id);
        rig.clock.settle();
        const again = back.received.at(-1)?.event;
        if (
          back.received.length !== at + 1 ||
          again?.chunk !== event.chunk ||
          again?.position !== event.position ||
          again?.complete !== event.complete
        ) {
          bad.push(
            `seed ${seed} ${JSON.stringify(own)}: ${JSON.stringify([event.position, event.chunk, event.complete])} -> ${JSON.stringify([again?.position, again?.chunk, again?.complete])}`,
          );
        }
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        bad.push(
          `seed ${seed} ${JSON.stringify(own)}: not found ${JSON.stringify([event.event_id, event.position, event.chunk, event.complete, event.coalesce_hint])}`,
        );
      }
    }
  }
  expect(bad).toEqual([]);
  expect(askedCount).toBeGreaterThan(casesOf(100));
});
