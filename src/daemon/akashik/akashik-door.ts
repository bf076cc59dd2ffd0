// The way into Akashik: nothing of it runs before an agent speaks it, unless an earlier boot has left a Field.
import type { FirstMessage } from "../../contracts/protocol.js";
import { isAkashik } from "../../protocols/akashik/messages/protocol.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { createExchangeDoor, type ExchangeDoor } from "../exchanges/exchange-door.js";
import type { AkashikHost, AkashikHostServices, AkashikReport } from "./akashik-host.js";
import { hasKeptField } from "./kept-field.js";

export interface AkashikDoor extends Pick<ExchangeDoor<AkashikHost>, "load" | "serve" | "endAll"> {
  readonly recognizes: (first: FirstMessage) => boolean;
  /** Opens the Field of an earlier boot, if there is one: sessions go on feeding it. */
  readonly openKept: () => Promise<void>;
  /** As `AkashikHost.answer`. */
  readonly answer: AkashikHost["answer"];
  /** Undefined while Akashik was never used. */
  readonly report: () => AkashikReport | undefined;
  readonly stop: () => void;
}

export function createAkashikDoor(options: DaemonOptions, services: AkashikHostServices): AkashikDoor {
  const { load, serve, open, opened, endAll } = createExchangeDoor(async () => {
    const { startAkashikHost } = await import("./akashik-host.js");
    return () => startAkashikHost(options, services);
  });
  return {
    load,
    serve,
    endAll,
    recognizes: ({ members }) => isAkashik(members),
    openKept: async () => {
      if (hasKeptField(services.journal.durableState)) await open();
    },
    answer: async (...request) => (await open()).answer(...request),
    report: () => opened()?.report(),
    stop: () => opened()?.stop(),
  };
}
