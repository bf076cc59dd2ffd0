// The members of the daemon's extension in the manifest of an agent (R5d).
import type { ProducerManifest } from "#gen/aaep/types.js";
import { Fault } from "../../../base/errors.js";

/** What a manifest says to the daemon in `extensions.aaepd`. Others may stand there: a manifest is a document for any reader. */
export interface ManifestMembers {
  /** The process of the agent that an adapter passes on. */
  readonly pid?: number;
}

/** Largest number of a process on any system. */
const LARGEST_PID = 2 ** 31 - 1;

/** @throws Fault `invalid_message` for impossible values */
export function ownMembersIn({ extensions }: ProducerManifest): ManifestMembers {
  const { pid } = (extensions?.aaepd ?? {}) as Readonly<Record<string, unknown>>;
  if (pid === undefined) return {};
  if (typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid <= LARGEST_PID) return { pid };
  const sentence = `Set \`extensions.aaepd.pid\` to the number of the agent's process, 1 to ${LARGEST_PID}, or leave it out.`;
  throw new Fault("invalid_message", sentence, { pointer: "/extensions/aaepd/pid", rule: "R5d" });
}
