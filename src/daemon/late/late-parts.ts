// The parts of a daemon that few need: A2E, Akashik, and hooks of terminal agents. None of them runs before somebody uses it. Their code is loaded
// behind the start: later, as at the limit of open files, that might not be possible, and Node remembers a failed load.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Conversation, FirstMessage } from "../../contracts/protocol.js";
import type { Connection } from "../../contracts/transport.js";
import { isA2eType } from "../../protocols/a2e/messages/first-types.js";
import { isAkashik } from "../../protocols/akashik/messages/protocol.js";
import type { A2eHostServices } from "../a2e/a2e-host.js";
import type { AkashikHostServices } from "../akashik/akashik-host.js";
import { hasKeptField } from "../akashik/kept-field.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import type { HookHostServices, startHookHost } from "../hooks/hook-host.js";
import { hasKeptHooks } from "../hooks/kept-conversation.js";

/** Serves the connections of one protocol. */
export interface ExchangeServer {
  /** `frames`: the frames of the connection. Default: the UTF-8 of a message. */
  readonly serve: (connection: Connection<Uint8Array>, frames?: TextCodec<Uint8Array>) => Conversation;
}

export type LateParts = ReturnType<typeof createLateParts>;

export function createLateParts(
  options: DaemonOptions,
  services: A2eHostServices & AkashikHostServices & HookHostServices,
) {
  const a2e = createLatePart(async () => {
    const { startA2eHost } = await import("../a2e/a2e-host.js");
    return () => startA2eHost(options, services);
  });
  const akashik = createLatePart(async () => {
    const { startAkashikHost } = await import("../akashik/akashik-host.js");
    return () => startAkashikHost(options, services);
  });
  const hooks = createLatePart(async () => {
    const { startHookHost } = await import("../hooks/hook-host.js");
    return () => startHookHost(options, services);
  });
  const { durableState } = services.journal;
  return {
    a2e: { ...a2e, serve: serverOf(a2e), recognizes: ({ members }: FirstMessage) => isA2eType(members.type) },
    akashik: { ...akashik, serve: serverOf(akashik), recognizes: ({ members }: FirstMessage) => isAkashik(members) },
    /** The method `aaepd.hook`. */
    takeHook: async (...call: Parameters<ReturnType<typeof startHookHost>["take"]>) =>
      (await hooks.open()).take(...call),
    /** Members of the status; each is undefined while its part was never used. */
    reports: () => ({
      a2e: a2e.opened()?.report(),
      akashik: akashik.opened()?.report(),
      hooks: hooks.opened()?.report(),
    }),
    /** Loads the code of all parts. Never rejects. */
    load: () => Promise.allSettled([a2e.load(), akashik.load(), hooks.load()]),
    /** Opens the parts for which the configuration or an earlier boot has left work. */
    openNeeded: async (): Promise<void> => {
      if (options.a2eProviders.length > 0) await a2e.open();
      // Sessions go on feeding the Field.
      if (hasKeptField(durableState)) await akashik.open();
      // Before the graces of its sessions are over.
      if (hasKeptHooks(durableState)) await hooks.open();
    },
    /** Ends the conversations of A2E agents, at `until` at the latest. */
    endAgents: async (until: Millis): Promise<void> => {
      await a2e.opened()?.endAgents(until);
    },
    /** Ends the providers of the configuration, at `until` at the latest, and what the other parts have begun. */
    stop: async (until: Millis): Promise<void> => {
      await a2e.opened()?.stop(until);
      akashik.opened()?.stop();
      hooks.opened()?.stop();
    },
  };
}

/** `code`: loads the code and resolves with the function that starts the part. */
function createLatePart<Part>(code: () => Promise<() => Part>) {
  let loading: Promise<() => Part> | undefined;
  let part: Part | undefined;
  const load = (): Promise<() => Part> => {
    loading ??= code();
    return loading;
  };
  return {
    load,
    /** Starts the part. Rejects if its code cannot be loaded. */
    open: async (): Promise<Part> => {
      const start = await load();
      part ??= start();
      return part;
    },
    /** Undefined while the part was never used. */
    opened: () => part,
  };
}

/** Serves by a part, which a connection may be the first to use. */
function serverOf(part: {
  readonly open: () => Promise<ExchangeServer>;
  readonly opened: () => ExchangeServer | undefined;
}): ExchangeServer["serve"] {
  return (connection, frames) =>
    part.opened()?.serve(connection, frames) ??
    later(
      part.open().then(
        (one) => one.serve(connection, frames),
        (caught) => refused(connection, caught),
      ),
    );
}

function refused(connection: Connection<Uint8Array>, cause: unknown): Conversation {
  const sentence = "This daemon could not load the protocol of the first message. Restart the daemon.";
  void connection.close(new Fault("storage_unavailable", sentence, { origin: "local", cause }));
  const done = connection.closed.then(() => {});
  return { finish: async () => 0, inputEnded: done, done };
}

/** A conversation that begins when the code of its protocol is loaded. */
function later(conversation: Promise<Conversation>): Conversation {
  return {
    finish: async (reason, until) => (await conversation).finish(reason, until),
    inputEnded: conversation.then((one) => one.inputEnded),
    done: conversation.then((one) => one.done),
  };
}
