// All broken producers.
import { FILTERING, PACE, SHAPE } from "./delivery-mutants.js";
import type { Deviations } from "./deviation.js";
import { EVENTS } from "./event-mutants.js";
import { HANDSHAKE, HONORED_CLAIMS } from "./handshake-mutants.js";
import { ASKED, BLOCKING, TOKENS } from "./question-mutants.js";
import { CLOSING, RENEGOTIATION } from "./renegotiation-mutants.js";
import { READINGS, REPLIES } from "./reply-mutants.js";

export const PRODUCER_MUTANTS: Deviations = {
  ...HANDSHAKE,
  ...HONORED_CLAIMS,
  ...FILTERING,
  ...PACE,
  ...SHAPE,
  ...RENEGOTIATION,
  ...CLOSING,
  ...BLOCKING,
  ...ASKED,
  ...TOKENS,
  ...REPLIES,
  ...READINGS,
  ...EVENTS,
};
