// The way of hooks into the daemon: nothing of it is loaded before the first one runs, unless an earlier boot has left a conversation.

import type { DurableState } from "../../contracts/journal.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import type { HookHostServices, HookReport, HookServer } from "./hook-host.js";
import { hasKeptHooks } from "./kept-conversation.js";

export interface HookDoor {
  /** Loads the code. Rejects with the error of Node. */
  readonly load: () => Promise<unknown>;
  /** Takes over the conversations of an earlier boot, if there are any: before their graces are over. */
  readonly openKept: () => Promise<void>;
  /** The method `aaepd.hook`, as `HookServer.take`. */
  readonly take: HookServer["take"];
  /** Undefined while no hook ever ran. */
  readonly report: () => HookReport | undefined;
  readonly stop: () => void;
}

export function createHookDoor(options: DaemonOptions, services: HookHostServices): HookDoor {
  let loading: Promise<typeof import("./hook-host.js")> | undefined;
  let server: HookServer | undefined;
  const load = () => {
    loading ??= import("./hook-host.js");
    return loading;
  };
  const open = async (): Promise<HookServer> => {
    const { startHookHost } = await load();
    server ??= startHookHost(options, services);
    return server;
  };
  const isKept = (state: DurableState | undefined): boolean => state !== undefined && hasKeptHooks(state);
  return {
    load,
    openKept: async () => {
      if (isKept(services.journal.durableState)) await open();
    },
    take: async (...call) => (await open()).take(...call),
    report: () => server?.report(),
    stop: () => server?.stop(),
  };
}
