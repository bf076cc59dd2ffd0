// The listeners of the hooks, and those of them that can answer.
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { chosenSocket } from "../shell/find-socket.js";
import { statusAt } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";

/** The end of a name that a command makes for itself. */
const OWN_NAME = /^aaepd-([a-z]+)-[\da-f]+$/;

/** Where hooks without a socket of their own find the daemon. */
export function usualHookSocket(environment: CommandIo["environment"]): string {
  return ipcPath(currentPlace(environment), "aaepd");
}

/** The names of the listeners, each once: "tail" for `aaepd tail`. */
export function listenerNames(subscriptions: DaemonStatus["subscriptions"]): readonly string[] {
  return [...new Set(subscriptions.map(({ subscriber_id: id }) => shownText(OWN_NAME.exec(id)?.[1] ?? id)))];
}

export function ableToConfirm({ subscriptions }: DaemonStatus): DaemonStatus["subscriptions"] {
  return subscriptions.filter(({ terms }) => terms.supports_confirmation_reply);
}

/** A sentence about the listeners of now. `asks`: the hooks ask, and somebody has to answer. */
export async function audience(
  { socket, asks }: { readonly socket: string | undefined; readonly asks: boolean },
  io: Pick<CommandIo, "environment" | "clock">,
): Promise<string> {
  const chosen = chosenSocket(socket, io.environment);
  const { path, isByVariable } = chosen ?? { path: usualHookSocket(io.environment), isByVariable: false };
  const status = await statusAt(path, io, isByVariable);
  if (status === undefined)
    return `Nobody listens now: no daemon answers at ${shownText(path)}. To start one: aaepd setup, or in a terminal of its own: aaepd serve`;
  const names = listenerNames(status.subscriptions);
  if (names.length === 0)
    return "Nobody listens now. To hear and answer, in a terminal of your own: aaepd tail --interactive";
  const heard = `Heard by: ${names.join(", ")}`;
  if (!asks || ableToConfirm(status).length > 0) return heard;
  return `${heard}. Nobody of them can answer. To answer, in a terminal of your own: aaepd tail --interactive`;
}
