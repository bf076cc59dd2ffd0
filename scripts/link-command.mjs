// Makes `npx aaepd` work in a clone after `npm ci` alone, as it does where the package is installed: npm links the commands of dependencies, not a
// project's own.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const commands = join(import.meta.dirname, "..", "node_modules", ".bin");
mkdirSync(commands, { recursive: true });
if (process.platform === "win32") {
  writeFileSync(join(commands, "aaepd.cmd"), '@node "%~dp0\\..\\..\\bin\\aaepd.js" %*\r\n');
} else {
  const link = join(commands, "aaepd");
  rmSync(link, { force: true });
  symlinkSync(join("..", "..", "bin", "aaepd.js"), link);
  chmodSync(join(import.meta.dirname, "..", "bin", "aaepd.js"), 0o755);
}
