// Every section of the report, in its order. Loaded after the build, because some rows measure compiled modules in this process.
import { a2e } from "./rows/a2e.mjs";
import { agentTokens } from "./rows/agent-tokens.mjs";
import { akashik } from "./rows/akashik.mjs";
import { attack } from "./rows/attack.mjs";
import { encodings } from "./rows/counted.mjs";
import { durable, jetstream } from "./rows/durable.mjs";
import { ingest, language } from "./rows/ingest.mjs";
import { latency } from "./rows/latency.mjs";
import { checkpoints, slow, slowFull } from "./rows/many.mjs";
import { memory } from "./rows/memory.mjs";
import { more } from "./rows/more.mjs";
import { readback } from "./rows/readback.mjs";
import { reading } from "./rows/reading.mjs";
import { replies } from "./rows/replies.mjs";
import { services } from "./rows/services.mjs";
import { servicesIngest } from "./rows/services-ingest.mjs";
import { servicesPaused } from "./rows/services-paused.mjs";
import { shaped } from "./rows/shaped.mjs";
import { socket } from "./rows/socket.mjs";
import { start } from "./rows/start.mjs";
import { stdio } from "./rows/stdio.mjs";
import { stdioOut } from "./rows/stdio-out.mjs";

export const SECTIONS = [
  ingest,
  language,
  reading,
  socket,
  services,
  stdioOut,
  stdio,
  agentTokens,
  latency,
  replies,
  attack,
  durable,
  jetstream,
  readback,
  more,
  memory,
  slow,
  slowFull,
  checkpoints,
  servicesPaused,
  servicesIngest,
  a2e,
  akashik,
  start,
  shaped,
  encodings,
];
