// Every section of the report, in its order. Loaded after the build, because some rows measure compiled modules in this process.
import { attack } from "./rows/attack.mjs";
import { durable } from "./rows/durable.mjs";
import { ingest } from "./rows/ingest.mjs";
import { latency } from "./rows/latency.mjs";
import { slow } from "./rows/many.mjs";
import { memory } from "./rows/memory.mjs";
import { services } from "./rows/services.mjs";
import { shaped } from "./rows/shaped.mjs";
import { socket } from "./rows/socket.mjs";
import { start } from "./rows/start.mjs";
import { stdio } from "./rows/stdio.mjs";
import { streams } from "./rows/streams.mjs";

export const SECTIONS = [
  ingest,
  socket,
  services,
  streams,
  stdio,
  latency,
  attack,
  durable,
  memory,
  slow,
  start,
  shaped,
];
