// A daemon whose services are on a loopback port, for clients that have `fetch` and nothing else.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const ORIGIN = "http://localhost:5173";

interface Ready {
  readonly endpoints: { readonly ipc: string; readonly http: readonly string[] };
  readonly token_file: string;
}

/** A daemon on disk; started again on the same folders and address by `again`. */
export async function httpDaemon(...options: readonly string[]) {
  ensureBuilt();
  const directory = temporaryDirectory();
  const environment = { ...cleanEnvironment(directory), XDG_STATE_HOME: join(directory, "state") };
  const start = async (address: string) => {
    const program = startProgram(["serve", "--http", address, "--cors-origins", ORIGIN, ...options], { environment });
    const ready: Ready = JSON.parse((await program.stdoutLines(1))[0] ?? "");
    return { program, ready };
  };
  let { program, ready } = await start("127.0.0.1:0");
  const address = `http://${ready.endpoints.http[0]}`;
  return {
    address,
    socketPath: ready.endpoints.ipc,
    token: () => readFileSync(ready.token_file, "utf8").trim(),
    terminate: async () => {
      program.child.kill("SIGTERM");
      await program.ended;
    },
    reload: () => void program.child.kill("SIGHUP"),
    kill: async () => {
      program.child.kill("SIGKILL");
      await program.ended;
    },
    again: async () => {
      ({ program, ready } = await start(address.replace("http://", "")));
    },
  };
}
