import type { PeekableConnection } from "../../src/contracts/transport.js";
import { createByteConnection } from "../framing/byte-connection.js";
import type { ByteConnectionOptions } from "../framing/options.js";
import { PIPE_PIECE_BYTES } from "../framing/pieces.js";
import type { Stdio } from "./take-stdio.js";

/**
 * The connection to whoever started this process. The end of standard input is its orderly end: `frames` ends, and what is still to be said can be
 * said until `close` (R8a). Speaks one JSON text a line until spoken to otherwise (AAEP appendix B).
 */
export function createStdioConnection(
  stdio: Pick<Stdio, "readable" | "writable">,
  options: ByteConnectionOptions = {},
): PeekableConnection<Uint8Array> {
  return createByteConnection(
    stdio,
    { label: "stdio", trust: "parent" },
    {
      framing: "newline",
      pieceBytes: PIPE_PIECE_BYTES,
      ...options,
    },
  );
}
