// The members of the daemon's extension in the manifest of an agent (R5d, R39).
import type { ProducerManifest } from "#gen/aaep/types.js";
import { Fault } from "../../../base/errors.js";

/** The members of `extensions.aaepd` for the daemon. Others may stand there: a manifest is a document for any reader. */
export interface ManifestMembers {
  /** The process of the agent that an adapter passes on. */
  readonly pid: number | undefined;
  /** Whether the agent ends a session when it is asked to. */
  readonly canStop: boolean;
}

/** Largest number of a process on any system. */
const LARGEST_PID = 2 ** 31 - 1;

/** @throws Fault `invalid_message` for impossible values */
export function ownMembersIn({ extensions }: ProducerManifest): ManifestMembers {
  const { pid, can_stop: canStop = false } = (extensions?.aaepd ?? {}) as Readonly<Record<string, unknown>>;
  const isPid = typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid <= LARGEST_PID;
  if (pid !== undefined && !isPid)
    throw impossible("pid", `to the number of the agent's process, 1 to ${LARGEST_PID}`, "R5d");
  if (typeof canStop !== "boolean") throw impossible("can_stop", "to true or false", "R39");
  return { pid: isPid ? pid : undefined, canStop };
}

function impossible(name: string, to: string, rule: string): Fault {
  const sentence = `Set \`extensions.aaepd.${name}\` ${to}, or leave it out.`;
  return new Fault("invalid_message", sentence, { pointer: `/extensions/aaepd/${name}`, rule });
}
