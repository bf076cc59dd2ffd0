// What `aaepd/daemon` exports: a daemon inside another program, and connections to it in memory.
export { createMemoryPair, type MemoryOptions, type MemoryPair } from "../../transports/memory/memory-pair.js";
export { createClock } from "./clock.js";
export type { Configuration } from "./config.js";
export { resolveConfiguration } from "./config-sources.js";
export { type Daemon, type StopReason, startDaemon } from "./daemon.js";
export type { DaemonOptions } from "./daemon-options.js";
export { createIdSource, sha256Hex } from "./ids.js";
export { createLog } from "./log.js";
export type { Reconfigured } from "./reconfigure.js";
