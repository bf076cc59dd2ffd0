// `aaepd tail --akashik`: prints what an agent of the Field is told.

import type { AkashikNotification } from "#gen/akashik/types.js";
import type { Framing } from "../../../transports/framing/framings.js";
import { ipcConnector } from "../../client/node.js";
import { backOffMs, isHopeless, Pause } from "../../client/timers.js";
import { connectingTo, socketOf } from "../shell/find-socket.js";
import { EXIT, type ExitCode, exitCodeFromFault, whileRead } from "../shell/run-command.js";
import { timeOfDay } from "../terminal/amounts.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { type FieldMembership, joinField } from "./field-membership.js";

export interface FollowFieldOptions {
  readonly socket?: string;
  readonly framing?: Framing;
  readonly json?: true;
  readonly time: boolean;
  readonly quiet?: true;
  readonly count?: number;
  readonly reconnect: boolean;
  /** An agent with a name of its own stays in the Field, which keeps for it what it misses. */
  readonly subscriberId?: string;
  readonly interests?: readonly string[];
  readonly minRelevance?: number;
  readonly debounce?: number;
}

export async function followField(options: FollowFieldOptions, io: CommandIo): Promise<ExitCode> {
  const { subscriberId, interests = [], minRelevance = 0, debounce = 0 } = options;
  const output = createLineWriter(io.stdout);
  const status = createLineWriter(io.stderr);
  const say = (text: string): void => {
    if (options.quiet !== true) void status.write(text);
  };
  const socket = await socketOf(options.socket, io);
  const agentId = subscriberId ?? `aaepd-tail-${io.ids.hex(4)}`;
  const framing = options.framing === undefined ? {} : { framing: options.framing };
  const pause = new Pause(io.clock);
  let left = options.count ?? Number.POSITIVE_INFINITY;
  let membership: FieldMembership | undefined;
  let isOver = false;

  const finish = (): void => {
    isOver = true;
    pause.cutShort();
    void membership?.leave(subscriberId === undefined);
  };
  async function print(notification: AkashikNotification): Promise<void> {
    if (left <= 0) return;
    left -= 1;
    await output.write(lineOf(notification, options, io));
    if (left <= 0) finish();
  }
  async function follow(): Promise<ExitCode> {
    let hasSubscribed = false;
    for (let retry = 0; !isOver; retry += 1) {
      membership = joinField({
        connect: connectingTo(socket, ipcConnector(socket.path, framing)),
        agentId,
        interests,
        minRelevance,
        debounceMs: debounce,
        newId: () => io.ids.hex(8),
        subscribed: () => {
          hasSubscribed = true;
          retry = 0;
          say(`Connected to the Field as ${agentId}.`);
        },
        notified: print,
      });
      const end = await membership.ended;
      if (end.kind === "left") break;
      if (end.kind === "refused") {
        void status.write(shownText(`Error: ${end.sentence}`));
        return EXIT.fault;
      }
      if (!hasSubscribed || !options.reconnect || isHopeless(end.fault)) {
        void status.write(shownText(`Error: ${end.fault.sentence}`));
        return exitCodeFromFault(end.fault);
      }
      if (retry === 0) say("The daemon has gone. Waiting for it to come back.");
      await pause.take(backOffMs(retry, Math.random()));
    }
    return EXIT.ok;
  }

  return whileRead(output, io, finish, follow).finally(() => status.flush());
}

/** As in `14:22:11 memory.recorded 0.7: writer recorded: Market prices rose. (mem-1)`. Lines of JSON have no time. */
function lineOf(
  notification: AkashikNotification,
  { json, time: withTime }: FollowFieldOptions,
  io: CommandIo,
): string {
  if (json === true) return jsonText(notification);
  const colors = colorsFor(io);
  const { event, relevance_score, summary, memory_unit_id, conflict_id, requires_action } = notification;
  const time = withTime ? `${colors.dim(timeOfDay(new Date(io.clock.wallTime())))} ` : "";
  const kind = `${event} ${relevance_score}`;
  const shownKind = requires_action ? `${colors.bold(kind)}, to act on` : colors.cyan(kind);
  const id = memory_unit_id ?? conflict_id;
  return `${time}${shownKind}: ${shownText(summary)}${id === null ? "" : ` (${shownText(id)})`}`;
}
