import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the folder of XDG for state that outlives the daemon: `aaepd/<part>` in $XDG_STATE_HOME or ~/.local/state, on Windows in %LOCALAPPDATA%.
 */
export function stateDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  part: "addresses" | "audit" | "journal" | "setup",
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_STATE_HOME: stateHome, LOCALAPPDATA: local, HOME: home = homedir() } = environment;
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, "aaepd", part);
  if (platform === "win32" && local !== undefined) return join(local, "aaepd", part);
  return join(home, ".local", "state", "aaepd", part);
}
