// The broken producers that were written from the chapters alone, before the cases were read.
import { CLOSING, RENEGOTIATION } from "./change-mutants.js";
import { FILTERING, PACE, SHAPE } from "./delivery-mutants.js";
import { ENVELOPE } from "./envelope-mutants.js";
import { HANDSHAKE, HONORED_CLAIMS } from "./handshake-mutants.js";
import type { Mutant } from "./mutant.js";
import { OUTPUT } from "./output-mutants.js";
import { BLOCKING, INCAPABLE, REPLIES, TOKENS } from "./question-mutants.js";
import { SESSIONS, STATES, TOOLS } from "./session-mutants.js";

export const CHAPTER_MUTANTS: readonly Mutant[] = [
  ...HANDSHAKE,
  ...HONORED_CLAIMS,
  ...FILTERING,
  ...PACE,
  ...SHAPE,
  ...RENEGOTIATION,
  ...CLOSING,
  ...BLOCKING,
  ...INCAPABLE,
  ...TOKENS,
  ...REPLIES,
  ...SESSIONS,
  ...STATES,
  ...TOOLS,
  ...OUTPUT,
  ...ENVELOPE,
];
