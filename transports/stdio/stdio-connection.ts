import type { PeekableConnection } from "../../src/contracts/transport.js";
import { createByteConnection } from "../framing/byte-connection.js";
import type { ByteConnectionOptions } from "../framing/options.js";
import type { Stdio } from "./take-stdio.js";

/**
 * Creates the connection to the process that started this one. The end of standard input is its orderly end: the frames end, and messages can be sent
 * until `close` (R8a). Writes one JSON text a line until the peer uses another framing (AAEP appendix B).
 */
export function createStdioConnection(
  stdio: Pick<Stdio, "readable" | "writable" | "parentId">,
  options: ByteConnectionOptions = {},
): PeekableConnection<Uint8Array> {
  return createByteConnection(
    stdio,
    { label: "stdio", trust: "parent", processId: stdio.parentId },
    { framing: "newline", ...options },
  );
}
