// Plays events to a daemon at their pace, with a bounded number of unanswered ones, and reports every refusal.
import { type Fault, faultFrom } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { AgentClient } from "../../client/agent/agent-client.js";
import type { Clock } from "../../contracts/clock.js";
import { createAgentsParts, type createRestamper } from "./recording.js";

/** The members of a line that are looked at here. */
type SentFields = Readonly<Record<string, unknown>> & { readonly session_id: string };

/** An event of the input, or the fault that replaces it. */
export interface PlayedLine {
  readonly number: number;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly fault: Fault | undefined;
}

export interface PlayOptions {
  readonly client: Pick<AgentClient, "publish" | "closed">;
  readonly lines: AsyncIterable<PlayedLine>;
  /** Returns what is published of an event; undefined if it is left out. Default: the part that an agent may publish. */
  readonly partOf?: ReturnType<typeof createAgentsParts>;
  readonly restamp: ReturnType<typeof createRestamper>;
  readonly dueMs: (fields: Readonly<Record<string, unknown>>) => number;
  readonly clock: Pick<Clock, "now" | "wallTime" | "wakeAt">;
  /** Most events without an answer at a time. 1 and up. */
  readonly maxUnanswered: number;
  readonly stopsOnError: boolean;
  /** Whether the input ends by itself, so that the lines that were not sent can be counted. Default true. */
  readonly hasEnd?: boolean;
  /** Called in the order of the lines. */
  readonly onRefused: (line: number, fault: Fault) => void;
}

export interface Played {
  readonly acceptedCount: number;
  readonly refusedCount: number;
  /** Refusals for want of a disk. The daemon may keep such an event all the same, when it can write again (R29). */
  readonly doubtfulCount: number;
  /** Lines of which nothing was published, such as those of a daemon that contain nothing an agent could publish. */
  readonly leftOutCount: number;
  /** Events that were sent and have no answer, because the daemon went. */
  readonly unansweredCount: number;
  /** Lines that were not sent. Undefined if the input does not end by itself. */
  readonly unsentCount: number | undefined;
  readonly sessionIds: ReadonlySet<string>;
  /** Time from the first event to the last answer. */
  readonly durationMs: number;
  readonly wasStopped: boolean;
  /** The fault that ended the sending, if the daemon has gone. */
  readonly gone: Fault | undefined;
}

export function play(options: PlayOptions) {
  const { client, clock, maxUnanswered, restamp, partOf = createAgentsParts() } = options;
  const unanswered = new Set<Promise<unknown>>();
  const sessionIds = new Set<string>();
  const counts = { acceptedCount: 0, refusedCount: 0, doubtfulCount: 0, leftOutCount: 0, unansweredCount: 0 };
  /** Every refusal so far is told, in the order of the lines. */
  let told = Promise.resolve();
  let gone: Fault | undefined;
  let wasStopped = false;
  /** It was stopped a second time: nothing is waited for that only adds to the report. */
  let isHurried = false;
  const { promise: stopped, resolve: interrupt } = withResolvers();

  function refused(fault: Fault): Fault {
    counts.refusedCount += 1;
    if (fault.code === "storage_unavailable") counts.doubtfulCount += 1;
    if (options.stopsOnError) interrupt();
    return fault;
  }

  /** Resolves with the fault of a refused event. */
  async function publish(fields: SentFields): Promise<Fault | undefined> {
    try {
      await client.publish(fields);
      counts.acceptedCount += 1;
      sessionIds.add(fields.session_id);
    } catch (caught) {
      const fault = faultFrom(caught);
      if (fault.code !== "peer_gone") return refused(fault);
      counts.unansweredCount += 1;
      gone ??= fault;
      interrupt();
    }
    return undefined;
  }

  function tellInOrder(line: number, answer: Fault | Promise<Fault | undefined>): void {
    told = told.then(async () => {
      const fault = await answer;
      if (fault !== undefined) options.onRefused(line, fault);
    });
  }

  /** Resolves at that time, or when no more events are to be sent. */
  function waitUntil(at: number): Promise<void> {
    if (at <= clock.now()) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(at, resolve);
      void stopped.then(() => {
        cancel();
        resolve();
      });
    });
  }

  function hasToStop(): boolean {
    return wasStopped || gone !== undefined || (options.stopsOnError && counts.refusedCount > 0);
  }

  async function run(): Promise<Played> {
    let startedAt: number | undefined;
    const lines = options.lines[Symbol.asyncIterator]();
    let reading: Promise<IteratorResult<PlayedLine>>;
    for (;;) {
      reading = lines.next();
      // Reading may wait for ever, for example on a terminal.
      const next = await Promise.race([reading, stopped]);
      if (next === undefined || next.done === true || hasToStop()) break;
      const { number, fault } = next.value;
      if (fault !== undefined) tellInOrder(number, refused(fault));
      const fields = next.value.fields === undefined ? undefined : partOf(next.value.fields);
      if (fields === undefined) {
        if (next.value.fields !== undefined) counts.leftOutCount += 1;
        continue;
      }
      startedAt ??= clock.now();
      await waitUntil(startedAt + options.dueMs(fields));
      while (unanswered.size >= maxUnanswered && !hasToStop()) await Promise.race([...unanswered, stopped]);
      if (hasToStop()) break;
      const answer = publish(restamp(fields, clock.wallTime()) as SentFields);
      tellInOrder(number, answer);
      unanswered.add(answer);
      void answer.then(() => unanswered.delete(answer));
    }
    await told;
    const durationMs = startedAt === undefined ? 0 : clock.now() - startedAt;
    const unsentCount = options.hasEnd === false ? undefined : await countLines(reading, lines, () => isHurried);
    return { ...counts, unsentCount, sessionIds, durationMs, wasStopped, gone };
  }

  return {
    /** Resolves when every sent event is answered, or the daemon has gone. Rejects if the input cannot be read. */
    done: run(),
    /** Sends no more events; answers to sent events are still awaited. */
    stop: () => {
      isHurried = wasStopped;
      wasStopped = true;
      interrupt();
    },
  };
}

/** Counts the lines from the one that is being read to the end. Undefined if they cannot be read, or if it takes too long for somebody. */
async function countLines(
  reading: Promise<IteratorResult<PlayedLine>>,
  lines: AsyncIterator<PlayedLine>,
  isEnough: () => boolean,
): Promise<number | undefined> {
  let count = 0;
  try {
    for (let next = await reading; next.done !== true; next = await lines.next()) {
      if (isEnough()) return undefined;
      count += 1;
    }
  } catch {
    return undefined;
  }
  return count;
}
