// The judge of void places finds what it is there for (R17, R27, R29): an event was given out, a kill took it back, and its listener names the place
// behind it.
import { describe, expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import type { Arrived, ClientEvent } from "../../support/oracles/place-facts.js";
import { voidVerdict } from "../../support/oracles/void-verdict.js";
import { session } from "../../support/rigs/engine-rig.js";

const STARTED = "aaep:agent.session.started";
const TOOL = "aaep:agent.tool.invoked";
const STATE = "aaep:agent.state.changed";

function entry(epoch: number, type: string): JournaledEvent {
  const event = { ...session().started(), type, event_id: `evt_${epoch}`, session_id: "sess_1" };
  return { epoch, event, kind: type.replace("aaep:agent.", "") } as unknown as JournaledEvent;
}
const came = (id: string, type: string, more: Partial<ClientEvent> = {}): ClientEvent => ({
  kind: "event",
  id,
  type,
  sessionId: "sess_1",
  ...more,
});
const cursor = (after: number): string => `c1.${"a".repeat(32)}.${after}`;
const place = (after: number): Arrived => ({ kind: "place", cursor: cursor(after) });

const [started, taken, kept] = [entry(1, STARTED), entry(2, TOOL), entry(100, TOOL)];
const sum = came("evt_sum", STATE, { isSummary: true });

function verdict(resumed: string, back: readonly Arrived[]): readonly string[] {
  const first = [came("evt_1", STARTED), came("evt_2", TOOL), place(2)];
  return voidVerdict({
    runs: [
      { first: 1, durable: 1, head: 2 },
      { first: 100, durable: 100, head: 100 },
    ],
    entries: [started, taken, kept],
    disk: [started, kept],
    seats: [
      {
        name: "seat",
        chain: [
          { named: undefined, resumed: undefined, head: 0, until: 2, run: 0, items: first },
          { named: cursor(2), resumed, head: 1, run: 1, items: [...back] },
        ],
      },
    ],
  });
}

const declared: ClientEvent = { ...sum, gap: 1 };
const rest = [came("evt_100", TOOL), place(100)];

describe("the judge of void places", () => {
  it("R17: has nothing to say against a gap, and finds that the place is met otherwise", () => {
    expect(verdict("gap", [declared, ...rest])).toEqual([]);
    expect(verdict("rolled_back", [sum, ...rest])).toContainEqual(expect.stringMatching(/was met as/));
  });

  it("R17, R27: finds that what the journal holds never came, whatever was declared", () => {
    expect(verdict("gap", [{ ...sum, gap: 5 }, place(100)])).toContainEqual(expect.stringMatching(/lost: .*100/));
  });

  it("R17: finds that a session is not spoken of that is open", () => {
    expect(verdict("gap", [place(100)])).toContainEqual(expect.stringMatching(/is open, and is not believed/));
  });

  it("R27: finds a gap behind a place that was good", () => {
    expect(verdict("all", [declared, ...rest])).toContainEqual(expect.stringMatching(/a gap where nothing/));
  });

  it("R29: finds an epoch that is given out twice", () => {
    const twice = { runs: [], entries: [started, started], disk: [started], seats: [] };
    expect(voidVerdict(twice)).toEqual([expect.stringMatching(/was given 1 after 1/)]);
  });
});
