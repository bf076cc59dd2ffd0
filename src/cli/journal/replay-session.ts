// The agent of a replay: publishes a recorded session into a daemon of this process when the first listener is there.
import type { Fault } from "../../base/errors.js";
import { textOf } from "../../base/members.js";
import type { AgentClient } from "../../client/agent/agent-client.js";
import type { Clock } from "../../contracts/clock.js";
import type { Daemon } from "../../daemon/daemon.js";
import { ownMembersOf } from "../../engine/event/own-members.js";
import { type Played, type PlayedLine, play } from "../recordings/play.js";
import { createRestamper } from "../recordings/recording.js";
import type { RecordedEvent } from "./journal-session.js";

export interface ReplayOptions {
  readonly daemon: Pick<Daemon, "subscriptions">;
  readonly client: AgentClient;
  readonly events: Iterable<RecordedEvent>;
  readonly clock: Clock;
  readonly ids: Parameters<typeof createRestamper>[0]["ids"];
  /** Called with the number of an event, from 1, that the daemon did not take. */
  readonly onRefused: (number: number, fault: Fault) => void;
}

/** How often the listeners are looked at, ms. */
const LOOK_MS = 100;

/** Resolves when all events are played, and every listener has taken them at its own pace or has gone. */
export async function replaySession(options: ReplayOptions): Promise<Played> {
  const { daemon, client, events, clock, ids, onRefused } = options;
  const until = async (isDone: () => boolean): Promise<void> => {
    do await new Promise<void>((resolve) => void clock.wakeAt(clock.now() + LOOK_MS, resolve));
    while (!isDone());
  };
  await until(() => daemon.subscriptions().length > 0);
  let dueMs = 0;
  async function* lines(): AsyncGenerator<PlayedLine> {
    let number = 0;
    for (const { fields, pauseMs } of events) {
      number += 1;
      dueMs += pauseMs;
      if (number === 1 && !isStart(fields)) yield { number, fields: startOf(fields, ids), fault: undefined };
      yield { number, fields, fault: undefined };
    }
  }
  const played = await play({
    client,
    lines: lines(),
    partOf: (fields) => (asks(fields) ? undefined : fields),
    // An instant of the recording would be refused (R3b).
    restamp: createRestamper({ keepsIds: true, ids }),
    dueMs: () => dueMs,
    clock,
    maxUnanswered: 256,
    stopsOnError: false,
    onRefused,
  }).done;
  await until(() =>
    daemon
      .subscriptions()
      .every(
        (one) => !one.terms.paused && one.waitingCount === 0 && one.untakenCount === 0 && one.behindSince === undefined,
      ),
  );
  return played;
}

/**
 * Whether the event asks, or is the state before a question for those who get it (R6). Nobody is asked again: all get the notice of the question, and
 * its recorded outcome.
 */
function asks(fields: RecordedEvent["fields"]): boolean {
  const own = ownMembersOf(fields);
  return /agent\.awaiting\./.test(textOf(fields.type)) || (own?.asks !== undefined && own.question === undefined);
}

function isStart({ type }: RecordedEvent["fields"]): boolean {
  return /agent\.session\.started$/.test(textOf(type));
}

/** The beginning of a session that has lost its own: without one, a daemon takes nothing of it. */
function startOf(first: RecordedEvent["fields"], ids: ReplayOptions["ids"]): RecordedEvent["fields"] {
  const { "@context": context, session_id, timestamp, producer, localization_hints } = first;
  return {
    "@context": context,
    type: "aaep:agent.session.started",
    event_id: `evt_${ids.hex(16)}`,
    session_id,
    timestamp,
    producer,
    urgency: "normal",
    summary_normal: "The beginning of the recording is lost.",
    ...(localization_hints === undefined ? {} : { localization_hints }),
  };
}
