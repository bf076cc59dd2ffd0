// How the Python package looks at a socket before it trusts it. The file to copy looks in a simpler way.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { falseDaemon } from "../support/copied-file-daemons.js";
import { cleanEnvironment, startCommand } from "../support/peers/program.js";
import { python } from "../support/peers/python.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PYTHONPATH = fileURLToPath(new URL("../../python/src", import.meta.url));

test("a folder that another takes the place of between look and connection is not the one that is spoken to", async () => {
  const base = temporaryDirectory();
  for (const name of ["aaep", "other"]) mkdirSync(join(base, name), { mode: 0o700 });
  const [own, other] = await Promise.all(["aaep", "other"].map((name) => falseDaemon(join(base, name, "aaepd.sock"))));
  const program = [
    "import os, socket",
    "from aaepd import _sockets",
    "class Late(socket.socket):",
    "    def connect(self, address):",
    '        os.rename("aaep", "before"), os.rename("other", "aaep")',
    "        super().connect(address)",
    "_sockets.socket.socket = Late",
    "with _sockets.connect_to_serve() as connection:",
    `    connection.sendall(b'{"id":1,"method":"aaep.ping"}\\n')`,
    "    print(connection.recv(16))",
  ].join("\n");
  const environment = { ...cleanEnvironment(base), PYTHONPATH, PYTHONDONTWRITEBYTECODE: "1" };
  const started = startCommand([...python(), "-c", program], { cwd: base, environment });
  expect([(await started.ended).code, started.stderr()]).toEqual([0, ""]);
  expect([own?.().includes("aaep.ping"), other?.()]).toEqual([true, ""]);
});

test("without /proc, a daemon of the user's own is found by its path", async (context) => {
  const base = temporaryDirectory();
  const path = join(base, "aaepd.sock");
  const mounting = ["--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"];
  if (spawnSync("unshare", [...mounting, "true"]).status !== 0) context.skip("only root can hide /proc");
  await falseDaemon(path);
  const program = `from aaepd import _sockets; _sockets.connect_own(${JSON.stringify(path)}).close(); print("connected")`;
  const options = { encoding: "utf8", env: { ...process.env, PYTHONPATH } } as const;
  const { stdout, stderr } = spawnSync("unshare", [...mounting, ...python(), "-B", "-c", program], options);
  expect([stdout, stderr]).toEqual(["connected\n", ""]);
});
