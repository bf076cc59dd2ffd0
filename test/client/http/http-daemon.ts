// A daemon whose services are on a loopback port, for clients that have `fetch` and nothing else.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCommandLine } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment, type Program, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const ORIGIN = "http://localhost:5173";

interface Ready {
  readonly endpoints: { readonly ipc: string; readonly http: readonly string[] };
  readonly token_file: string;
}

/** A daemon on disk, in this process. */
export async function httpDaemon() {
  const place = placeOf();
  const command = startCommandLine(place.argvAt("127.0.0.1:0"), { environment: place.environment });
  return { ...addressesOf(await readyOf(command)), reload: () => command.signal("SIGHUP") };
}

/** Likewise as a process, to be ended. It is started again on the same folders and address by `again`, in this process. */
export async function mortalHttpDaemon() {
  ensureBuilt();
  const { argvAt, environment } = placeOf();
  const program = startProgram(argvAt("127.0.0.1:0"), { environment });
  const addresses = addressesOf(await readyOf(program));
  return {
    ...addresses,
    end: async (signal: "SIGTERM" | "SIGKILL") => {
      program.child.kill(signal);
      await program.ended;
    },
    again: async () => {
      const argv = argvAt(addresses.address.replace("http://", ""));
      await startCommandLine(argv, { environment }).stdoutLines(1);
    },
  };
}

function placeOf() {
  const directory = temporaryDirectory();
  return {
    environment: { ...cleanEnvironment(directory), XDG_STATE_HOME: join(directory, "state") },
    argvAt: (address: string) => ["serve", "--http", address, "--cors-origins", ORIGIN],
  };
}

async function readyOf({ stdoutLines }: Pick<Program, "stdoutLines">): Promise<Ready> {
  return JSON.parse((await stdoutLines(1))[0] ?? "");
}

function addressesOf({ endpoints, token_file }: Ready) {
  return {
    address: `http://${endpoints.http[0]}`,
    socketPath: endpoints.ipc,
    token: () => readFileSync(token_file, "utf8").trim(),
  };
}
