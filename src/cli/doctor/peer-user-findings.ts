// Whether commands and clients ask the kernel who listens at a socket.
import { installCommand, PEER_USER_PACKAGE } from "../../../transports/optional-packages.js";
import { advice, type Finding, fact } from "../../daemon/platform/finding.js";
import type { Patient } from "./patient.js";

const ASKED = "The kernel is asked whose process listens at a socket";
const NOT_ASKED = "The kernel is not asked whose process listens at a socket";

export function peerUserFindings({ place, peerUserSource }: Patient): readonly Finding[] {
  // At a named pipe of Windows nothing is looked at.
  if (place.platform === "win32") return [];
  const source = peerUserSource();
  switch (source.kind) {
    case "kernel":
      return [fact("peer_user", `${ASKED} (package ${PEER_USER_PACKAGE}).`)];
    case "not_installed": {
      const why = `the optional package ${PEER_USER_PACKAGE} is not installed`;
      return [fact("peer_user", `${NOT_ASKED}: ${why}. Owner and mode decide alone.`)];
    }
    case "broken": {
      const [why = ""] = String(source.error).split("\n");
      const message = `${NOT_ASKED}: the package ${PEER_USER_PACKAGE} does not work here (${why}). Owner and mode decide alone.`;
      return [advice("peer_user_broken", message, `Install it again: ${installCommand(["peer"])}`)];
    }
  }
}
