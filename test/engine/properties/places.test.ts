// Property: after any place that a subscription was told in a random life, with skips, pauses, new terms and a peer that takes nothing now and then,
// whoever names the place gets the rest, though a return in between is broken off (R9, R10, R17, R18, R26).
import { expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { type Chance, createChance } from "../../support/chance.js";
import { type CursorFacts, cursorFacts, digestOf } from "../../support/oracles/cursor-reading.js";
import { chanceTerms, TEXTS } from "../../support/rigs/chance-terms.js";
import { createEngineRig, type EngineRig, type Received, session } from "../../support/rigs/engine-rig.js";

const SESSIONS = ["sess_a", "sess_b", "sess_c"];
const OWED = new Set(["tool.invoked", "tool.completed", "session.errored"]);
const STEP_COUNT = 70;

interface Told {
  readonly cursor: string;
  /** How much had been received by then, up to where everything had been skipped, and the outputs that had been. */
  readonly receivedCount: number;
  readonly skippedTo: number;
  readonly skipped: ReadonlySet<string>;
}

interface Came {
  readonly ids: ReadonlySet<string>;
  /** By outputs, the positions of their characters. */
  readonly positions: ReadonlyMap<string, ReadonlySet<number>>;
}

const outputOf = ({ event }: { readonly event: JournaledEvent["event"] }): string =>
  `${event.session_id}/${event.output_id}`;

function came(...parts: readonly (readonly Received[])[]): Came {
  const ids = new Set<string>();
  const positions = new Map<string, Set<number>>();
  for (const { event } of parts.flat()) {
    ids.add(event.event_id);
    if (typeof event.chunk !== "string") continue;
    const output = positions.get(outputOf({ event })) ?? new Set<number>();
    positions.set(outputOf({ event }), output);
    for (let at = 0; at < [...event.chunk].length; at += 1) output.add(Number(event.position) + at);
  }
  return { ids, positions };
}

function isWhole(entry: JournaledEvent, { ids, positions }: Came): boolean {
  const { event, kind } = entry;
  if (kind !== "output.streaming") return ids.has(event.event_id);
  const output = positions.get(outputOf(entry));
  return [...String(event.chunk)].every((_, index) => output?.has(Number(event.position) + index) === true);
}

const someTerms = (chance: Chance): Terms => ({
  ...chanceTerms(chance),
  paused: chance.isLikely(0.15),
  supportsConfirmationReply: chance.isLikely(0.5),
  paceWpm: chance.pick([undefined, undefined, undefined, 200]),
});

/** Plays one life: how many of its places were tried, and what is wrong with what came after them. */
function tried(
  seed: number,
  turnsBetween: number | undefined,
): { readonly placeCount: number; readonly faults: readonly string[] } {
  const chance = createChance(seed);
  const journaled: JournaledEvent[] = [];
  const engine = {
    queueLimitCount: chance.pick([4, 16, 256]),
    viewWindowCount: chance.pick([4, 32, 1024]),
    ...(turnsBetween === undefined ? {} : { turnRoomMs: 0 }),
  };
  const rig = createEngineRig({
    engine,
    ...(turnsBetween === undefined ? {} : { turnsBetween }),
    journaled: (entry) => void journaled.push(entry),
  });
  const told = playedLife(rig, chance, journaled);
  const faults = told.flatMap((place) => faultsAfter(place, rig, chance, journaled));
  return { placeCount: told.length, faults: faults.map((fault) => `seed ${seed}: ${fault}`) };
}

interface ToldOf extends Told {
  readonly received: readonly Received[];
}

function playedLife(rig: EngineRig, chance: Chance, journaled: readonly JournaledEvent[]): readonly ToldOf[] {
  const listener = rig.listen(someTerms(chance));
  const told: ToldOf[] = [];
  const open = new Set<string>();
  const over = new Set<string>();
  const skipped = new Set<string>();
  let [skippedTo, isBlocked, questionCount] = [0, false, 0];
  for (const one of SESSIONS) rig.publish(session(one).started());
  for (let step = 0; step < STEP_COUNT; step += 1) {
    const one = chance.pick(SESSIONS);
    const call = `call_${step}`;
    const roll = chance.next();
    if (roll < 0.55) {
      const output = `out_${chance.between(0, 7)}`;
      if (over.has(one) || over.has(`${one}/${output}`)) continue;
      const complete = chance.isLikely(0.12);
      rig.publish(session(one).chunk(chance.pick(TEXTS), complete, output));
      if (complete) over.add(`${one}/${output}`);
      if (complete) open.delete(`${one}/${output}`);
      else open.add(`${one}/${output}`);
    } else if (roll < 0.66) {
      if (!over.has(one)) rig.publish(session(one).invoked("look", call), session(one).toolDone("look", call));
    } else if (roll < 0.69) {
      if (over.size > 0 && !over.has(one) && one !== SESSIONS[0]) {
        rig.publish(session(one).errored());
        over.add(one);
        for (const output of open) if (output.startsWith(`${one}/`)) open.delete(output);
      }
    } else if (roll < 0.72) {
      questionCount += 1;
      if (!over.has(one))
        rig.publish(
          session(one).confirmation(`rpl_${"0".repeat(20)}${questionCount}`, {
            timeout_seconds: 5,
            action: `Do ${questionCount}`,
          }),
        );
    } else if (roll < 0.8) {
      isBlocked = !isBlocked;
      listener.block(isBlocked);
    } else if (roll < 0.86) listener.subscription.retune(someTerms(chance));
    else if (roll < 0.88) {
      const [output] = open;
      if (output === undefined) continue;
      skipped.add(output);
      const [sessionId = "", outputId = ""] = output.split("/");
      listener.subscription.skip(sessionId, outputId);
    } else if (roll < 0.895) {
      skippedTo = journaled.at(-1)?.epoch ?? 0;
      listener.subscription.skip(undefined, undefined);
    } else rig.advance(chance.pick([100, 1000, 3000, 6000]));
    const cursor = listener.subscription.cursor();
    if (cursor === undefined || told.at(-1)?.cursor === cursor) continue;
    const { received } = listener;
    told.push({ cursor, receivedCount: received.length, skippedTo, skipped: new Set(skipped), received });
  }
  listener.block(true);
  return told.filter(() => chance.isLikely(0.35));
}

function faultsAfter(
  place: ToldOf,
  rig: EngineRig,
  chance: Chance,
  journaled: readonly JournaledEvent[],
): readonly string[] {
  // A return on other terms, which is broken off.
  const middle = rig.listen(someTerms(chance), "middle", place.cursor);
  if (chance.isLikely(0.5)) middle.takeRuns(chance.between(1, 4));
  for (let turn = chance.between(0, 5); turn > 0; turn -= 1) rig.clock.turn();
  if (chance.isLikely(0.3)) rig.advance(chance.pick([50, 1000, 6000]));
  if (chance.isLikely(0.3)) middle.subscription.retune(someTerms(chance));
  const middleCount = middle.received.length;
  const second = middle.subscription.cursor() ?? place.cursor;
  middle.subscription.close();
  const back = rig.listen({ coalesceBoundaries: ["none"], supportsConfirmationReply: true }, "back", second);
  rig.clock.settle();
  const middleReceived = middle.received.slice(0, middleCount);
  const all = came(place.received.slice(0, place.receivedCount), middleReceived, back.received);
  const faults = back.subscription.resumed === "all" ? [] : [`${place.cursor} was met as ${back.subscription.resumed}`];
  for (const entry of journaled) {
    const isOwed = entry.kind === "output.streaming" || (entry.made === undefined && OWED.has(entry.kind));
    if (!isOwed || entry.epoch <= place.skippedTo || place.skipped.has(outputOf(entry))) continue;
    if (!isWhole(entry, all)) faults.push(`${entry.event.event_id} (${entry.epoch}) never came after ${place.cursor}`);
  }
  faults.push(
    ...coveredAgain(middleReceived, cursorFacts(place.cursor)),
    ...coveredAgain(back.received, cursorFacts(second)),
  );
  back.subscription.close();
  return faults;
}

/** Text and tools that came though the place covers them, or twice. */
function coveredAgain(received: readonly Received[], { after, outputs }: CursorFacts): readonly string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { event, delivery } of received) {
    if (typeof event.chunk === "string") {
      const named = outputs.get(digestOf(outputOf({ event })))?.to ?? 0;
      if (event.chunk !== "" && Number(event.position) < named) faults.push(`${event.event_id} stands below ${named}`);
    } else if (/tool\./.test(event.type)) {
      if (seen.has(event.event_id) || delivery.epoch <= after)
        faults.push(`${event.event_id} (${delivery.epoch}) again`);
      seen.add(event.event_id);
    }
  }
  return faults;
}

it.each([undefined, 1, 3])(
  "R17: nothing is lost, and nothing covered comes again, after any place (turns between: %s)",
  (turns) => {
    const lives = Array.from({ length: 25 }, (_, index) => tried(index + 1, turns));
    expect(lives.flatMap(({ faults }) => faults)).toEqual([]);
    // Or nothing of this was tried.
    expect(lives.reduce((sum, { placeCount }) => sum + placeCount, 0)).toBeGreaterThan(50);
  },
);
