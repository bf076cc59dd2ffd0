// Journals on disk in folders of their own, and events to put into them.
import { onTestFinished } from "vitest";
import { createClock } from "../../../src/daemon/platform/clock.js";
import type { AgentEvent, NewEvent } from "../../../src/engine/event/event.js";
import { createJournalRing } from "../../../src/engine/journal/journal-ring.js";

import type { BlockStore } from "../../../src/storage/blocks/block-store.js";
import { type OpenOptions, openDiskJournal } from "../../../src/storage/open-disk-journal.js";
import { WindowedJournal, type WindowedJournalOptions } from "../../../src/storage/window/windowed-journal.js";
import { type CollectedLog, collectLog } from "../collected-log.js";

export const MEBIBYTE = 1024 * 1024;
export const DAY_MS = 24 * 60 * 60 * 1000;

export interface JournalRig {
  readonly journal: WindowedJournal;
  readonly path: string;
  readonly log: CollectedLog;
}

export interface JournalRigOptions extends Partial<Omit<OpenOptions, "directory">> {
  readonly directory: string;
}

function defaultsWith(log: CollectedLog) {
  return {
    policy: "durable" as const,
    clock: createClock(),
    log,
    retention: { ageMs: 7 * DAY_MS, bytes: 512 * MEBIBYTE },
    createWindow: createJournalRing,
    window: { maxEvents: 1024 },
  };
}

/** A journal in that folder, closed when the test has finished unless it was before. */
export async function openRig(options: JournalRigOptions): Promise<JournalRig> {
  const log = collectLog();
  const opened = await openDiskJournal({
    ...defaultsWith(log),
    ...options,
  });
  const journal = opened.create();
  let closed: Promise<void> | undefined;
  const end = journal.close.bind(journal);
  const close = (): Promise<void> => {
    closed ??= end();
    return closed;
  };
  onTestFinished(close);
  return { journal: Object.assign(journal, { close }), path: opened.path, log };
}

/** A journal over any store that is ready. The store outlives it. */
export async function openOver(
  store: BlockStore,
  options: Partial<Omit<WindowedJournalOptions, "store" | "recovered">> = {},
): Promise<Omit<JournalRig, "path">> {
  const recovered = await store.recover(0);
  if (recovered.kind === "failing") throw new Error(recovered.failure.reason);
  const log = collectLog();
  const window = {
    store,
    recovered,
    path: "a store of a test",
    ...defaultsWith(log),
    closeStore: async () => undefined,
    ...options,
  };
  return { journal: new WindowedJournal(window), log };
}

/** An event of a session, with its id made of `id`. */
export function newEvent(
  id: string,
  fields: Readonly<Record<string, unknown>> = {},
  more: Partial<NewEvent> = {},
): NewEvent {
  const event: AgentEvent = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "acme:report.made",
    event_id: `evt_${id}`,
    session_id: "sess_1",
    timestamp: "2026-05-24T14:22:11.342Z",
    producer: { agent_id: "planner" },
    ...fields,
  };
  return { event, kind: "extension", source: JSON.stringify(event), at: 0, ordinal: 1, made: undefined, ...more };
}
