import { expect, vi } from "vitest";
import type { After } from "../../../transports/framing/options.js";

/** Timers that are due when a test says so, told apart by how long they are. */
export interface HandTimers {
  readonly after: After;
  /** Runs those of that length, once there are so many. */
  readonly fire: (milliseconds: number, count?: number) => Promise<void>;
}

export function createHandTimers(): HandTimers {
  const waiting = new Set<{ readonly milliseconds: number; readonly run: () => void }>();
  const due = (milliseconds: number) => [...waiting].filter((timer) => timer.milliseconds === milliseconds);
  return {
    after: (milliseconds, run) => {
      const timer = { milliseconds, run };
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    fire: async (milliseconds, count = 1) => {
      await vi.waitFor(() => expect(due(milliseconds)).toHaveLength(count), { timeout: 60_000, interval: 5 });
      for (const timer of due(milliseconds)) {
        waiting.delete(timer);
        timer.run();
      }
    },
  };
}
