// Reads the files that `aaepd service install` has written before.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { CommandIo } from "../terminal/command-io.js";
import { planService, type ServicePrograms } from "./plan-service.js";
import { MADE_BY, type ServiceKind, SPEAK_UNIT, serviceFiles, unitDirectory } from "./service-files.js";

export interface InstalledService {
  /** The file with the command, as in "aaepd.service". */
  readonly name: string;
  readonly path: string;
  /** The arguments behind `aaepd service install` that wrote the file. */
  readonly options: readonly string[];
  /** Programs and files of the command that do not exist. */
  readonly missing: readonly string[];
  /** Files that `aaepd service install` would write in another way now. */
  readonly outdated: readonly OutdatedFile[];
  /** Whether one of them makes the manager listen at another address than the daemon. */
  readonly listensElsewhere: boolean;
}

interface OutdatedFile {
  readonly path: string;
  /** The first line that differs, as in `TimeoutStopSec=70 (now TimeoutStopSec=20)`. */
  readonly change: string;
}

/** The services of this user, made by this program. Throws a Fault if the configuration of one cannot be used. */
export function installedServices(
  io: Pick<CommandIo, "environment">,
  kind: ServiceKind,
  programs?: ServicePrograms,
): readonly InstalledService[] {
  const { HOME = homedir() } = io.environment;
  const [directory, ending] =
    kind === "systemd"
      ? [unitDirectory(io.environment), ".service"]
      : [join(HOME, "Library", "LaunchAgents"), ".plist"];
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => name.startsWith("aaepd") && name.endsWith(ending) && name !== SPEAK_UNIT)
    .flatMap((name) => {
      const path = join(directory, name);
      const text = readIfFile(path);
      return text.includes(MADE_BY) ? [examined(path, text, io, kind, programs)] : [];
    });
}

function examined(
  path: string,
  text: string,
  io: Pick<CommandIo, "environment">,
  kind: ServiceKind,
  programs: ServicePrograms | undefined,
): InstalledService {
  const [node = "", program = "", , ...options] = kind === "systemd" ? systemdWords(text) : plistWords(text);
  const config = argumentOf(options, "--config");
  const producerId = argumentOf(options, "--producer-id");
  const missing = [node, program, ...(config === undefined ? [] : [config])].filter((one) => !existsSync(one));
  const chosen = {
    kind,
    ...(config === undefined ? {} : { config }),
    ...(producerId === undefined ? {} : { producerId }),
  };
  const outdated =
    missing.length > 0
      ? []
      : serviceFiles(planService(chosen, io, programs)).filter((file) => readIfFile(file.path) !== file.text);
  const listensElsewhere = outdated.some((file) => listensAt(readIfFile(file.path)) !== listensAt(file.text));
  return {
    name: basename(path),
    path,
    options,
    missing,
    outdated: outdated.map(({ path: file, text: wanted }) => ({
      path: file,
      change: firstChange(readIfFile(file), wanted),
    })),
    listensElsewhere,
  };
}

function firstChange(present: string, wanted: string): string {
  const [now, next] = [present, wanted].map((text) => text.split("\n"));
  const gone = now?.find((line) => next?.includes(line) === false);
  const added = next?.find((line) => now?.includes(line) === false);
  if (present === "") return "the whole file";
  if (added === undefined) return gone === undefined ? "its lines in another order" : `no ${gone}`;
  return `${added} (now ${gone ?? "missing"})`;
}

function listensAt(text: string): string | undefined {
  return /^ListenStream=(.*)$/m.exec(text)?.[1];
}

function argumentOf(options: readonly string[], flag: string): string | undefined {
  const at = options.indexOf(flag);
  return at < 0 ? undefined : options[at + 1];
}

function readIfFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The words of `ExecStart`, in the spelling of `systemdWord`. */
function systemdWords(text: string): readonly string[] {
  const line = /^ExecStart=:(.*)$/m.exec(text)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s"]+/g)].map(([word, quoted]) =>
    (quoted === undefined ? word : quoted.replaceAll(/\\(.)/g, "$1")).replaceAll("%%", "%"),
  );
}

/** The texts in `ProgramArguments`, in the spelling of `xmlText`. */
function plistWords(text: string): readonly string[] {
  const array = text.slice(text.indexOf("<array>"), text.indexOf("</array>"));
  return [...array.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = ""]) =>
    word.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}
