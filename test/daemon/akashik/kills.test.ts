// A killed daemon: every acknowledged unit and subscription is there, and what waited is told once. `npm run test:crash` has the long run.
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { ensureBuilt } from "../../support/built.js";
import { isLong, isWhole } from "../../support/extent.js";
import { akashikAgent, unit } from "../../support/peers/akashik-peer.js";
import { createMortalDaemon } from "../../support/peers/mortal-daemon.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

const KILLS = isLong ? 200 : isWhole ? 10 : 2;

it("units, subscriptions and notifications outlive kills", async () => {
  const daemon = createMortalDaemon({
    directory: temporaryDirectory(),
    services: [],
    options: ["--producer-id", "test"],
  });
  onTestFinished(() => daemon.kill());
  const acknowledged = new Set<string>();
  const told = new Map<string, number>();
  let subscriptions = 0;
  for (let run = 0; run <= KILLS; run += 1) {
    expect(await daemon.start().ready).toBe(true);
    const writer = await akashikAgent(await connectIpc(daemon.socket), "writer");
    // The reader is there in every second run alone.
    const isThere = run % 2 === 1 || run === KILLS;
    const reader = isThere ? await akashikAgent(await connectIpc(daemon.socket), "reader") : undefined;
    if (reader !== undefined && subscriptions === 0) {
      await reader.ask("SUBSCRIBE", { action: "subscribe", subscription: { events: ["memory.recorded"] } });
      subscriptions = 1;
      acknowledged.clear();
    }
    if (run < KILLS) {
      const before = acknowledged.size;
      for (let index = 0; index < 3; index += 1) {
        const { memory_unit_id: id } = await writer.ask("RECORD", unit(`Unit ${run}-${index}.`));
        if (subscriptions > 0) acknowledged.add(String(id));
      }
      // One more, which nobody waits for.
      void writer.ask("RECORD", unit(`Late ${run}.`));
      expect(acknowledged.size - before).toBe(subscriptions > 0 ? 3 : 0);
    }
    if (reader !== undefined) {
      expect((await reader.ask("SUBSCRIBE", { action: "list" })).subscriptions).toHaveLength(1);
      const missing = (): boolean => [...acknowledged].some((id) => !told.has(id));
      while (missing()) {
        const { memory_unit_id: id } = await reader.notifications.next("a unit that was acknowledged");
        told.set(String(id), (told.get(String(id)) ?? 0) + 1);
      }
      const polled = await reader.ask("ATTUNE", { format: "ids_only" });
      const ids = new Set(
        (polled.record as readonly { readonly memory_unit: { readonly id: string } }[]).map(
          (one) => one.memory_unit.id,
        ),
      );
      expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
    }
    await daemon.kill();
  }
  expect([...told].filter(([, count]) => count > 1)).toEqual([]);
  expect(daemon.accidents()).toEqual([]);
}, 600_000);
