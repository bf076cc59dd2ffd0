/// <reference types="node" preserve="true" />
// The exports of `aaepd/daemon`: a daemon inside another program, and connections to it in memory.
export { createMemoryPair, type MemoryOptions, type MemoryPair } from "../../transports/memory/memory-pair.js";
export type { Access, AccessPolicy, Operation } from "../contracts/access.js";
export type { Configuration } from "./config/config.js";
export { resolveConfiguration } from "./config/config-sources.js";
export type { DaemonOptions } from "./config/daemon-options.js";
export type { Reconfigured } from "./config/reconfigure.js";
export type { Daemon, StopReason } from "./daemon.js";
export { createClock } from "./platform/clock.js";
export { createIdSource, sha256Hex } from "./platform/ids.js";
export { createLog } from "./platform/log.js";
export { startDaemonAndRelays as startDaemon } from "./relays.js";
