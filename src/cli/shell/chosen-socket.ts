// The socket chosen for a command: by its option, else by the variable that daemons use too.
import { isPipeName } from "../../../transports/ipc/paths.js";
import { Fault, faultFrom, usage } from "../../base/errors.js";
import { given, readPath, socketChoice } from "../../daemon/config/config-values.js";

export const SOCKET_VARIABLE = "AAEPD_SOCKET";

export interface ChosenSocket {
  readonly path: string;
  /** The variable chose it. Errors say so, because a variable is easily forgotten. */
  readonly isByVariable: boolean;
}

/**
 * Returns the socket of `--socket`, else of AAEPD_SOCKET. Undefined if neither names one, as with the variable's `auto`: the command then looks for
 * daemons. Throws a Fault "usage" if the variable names no place, as with `off`.
 */
export function chosenSocket(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ChosenSocket | undefined {
  if (option !== undefined) return { path: pathOfOption(option), isByVariable: false };
  const text = environment[SOCKET_VARIABLE];
  if (text === undefined) return undefined;
  const read = socketChoice.fromText(text);
  if (read.kind === "value" && read.value.kind === "auto") return undefined;
  if (read.kind === "value" && read.value.kind === "path") return { path: read.value.path, isByVariable: true };
  const sentence = `The variable ${SOCKET_VARIABLE} is ${JSON.stringify(text.slice(0, 200))}, at which no daemon listens. Set it to the path of a socket or to auto, unset it, or give --socket.`;
  throw usage(sentence);
}

/** A path as daemons read it, so that both mean the same socket. */
function pathOfOption(text: string): string {
  const read = isPipeName(text) ? given(text) : readPath(text, "the path of a socket");
  if (read.kind === "value") return read.value;
  throw usage(`--socket is ${JSON.stringify(text)}. Give ${read.wanted}.`);
}

/** Connects as `connect` does. If the variable chose the socket, the Fault mentions the variable. */
export function connectingTo<Given extends readonly unknown[], Connected>(
  { isByVariable }: ChosenSocket,
  connect: (...given: Given) => Promise<Connected>,
): (...given: Given) => Promise<Connected> {
  if (!isByVariable) return connect;
  return async (...given) => {
    try {
      return await connect(...given);
    } catch (caught) {
      const fault = faultFrom(caught);
      const sentence = `${fault.sentence} The variable ${SOCKET_VARIABLE} names that socket. Change it, unset it, or give --socket.`;
      throw new Fault(fault.code, sentence, { origin: fault.origin, cause: fault });
    }
  };
}
