// The place of a subscription whose view failed: it covers nothing that was not given (R17, R29).
import { describe, expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
import { createEngineRig, session, typesOf } from "../../support/rigs/engine-rig.js";

describe("R17: the place of a subscription whose view failed", () => {
  it("stays before the event that it was not given", () => {
    const rig = createEngineRig();
    let isArmed = false;
    const languages = ["en"];
    Object.defineProperty(languages, 0, {
      get: () => {
        if (isArmed) throw new Error("no language");
        return "en";
      },
    });
    const terms = { languages, preferredVerbosity: "terse" } as const;
    const broken = rig.listen(terms, "broken");
    rig.publish(session().started());
    const { subscription } = broken;
    isArmed = true;
    let place: string | undefined;
    const close = subscription.close.bind(subscription);
    // As the daemon closes it: its last message tells the place.
    Object.assign(subscription, {
      close: () => {
        place = subscription.cursor();
        close();
      },
    });
    const [failed] = rig.publish({
      ...session().state("idle", "thinking"),
      summary_normal: "Thinks.",
      summary_normal_es: "Piensa.",
      localization_hints: { primary_language: "en", available_languages: ["en", "es"] },
    });
    isArmed = false;
    expect(broken.ended).toEqual(["producer_error"]);
    expect(typesOf(broken.received)).toEqual(["session.started"]);
    const again = rig.listen({ languages: ["en"], preferredVerbosity: "terse" }, "broken", place);
    expect(again.subscription.resumed).toBe("all");
    expect(readCursor(place ?? "")?.after).toBeLessThan(failed?.epoch ?? 0);
    expect(typesOf(again.received)).toContain("state.changed");
  });
});
