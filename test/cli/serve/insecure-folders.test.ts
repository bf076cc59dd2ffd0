// Folders in which others could put, replace or read what is a daemon's: a daemon does not start in them, and says what to do.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWhole } from "../../support/extent.js";
import { cleanEnvironment } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { startCommandLine } from "../command-stage.js";

/** A folder of that mode, whatever the mask of the process. */
function folderOf(mode: number): string {
  const folder = join(temporaryDirectory(), "folder");
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
}

/** A daemon that is to end by itself. */
async function refusalOf(environment: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const program = startCommandLine(["serve", ...options], { environment });
  // A daemon that starts all the same tells where it listens.
  await Promise.race([program.ended, program.stdoutLines(1).catch(() => {})]);
  expect(program.stdout()).toBe("");
  const { code, stderr } = await program.ended;
  return { code, stderr };
}

describe.skipIf(process.platform === "win32" || process.platform === "darwin")("XDG_RUNTIME_DIR", () => {
  const writable: readonly (readonly [who: string, mode: number])[] = [
    ["its group", 0o770],
    ["the world", 0o777],
    ["the world, though nobody may remove what is others'", 0o1777],
  ];
  it.each(isWhole ? writable : writable.slice(0, 1))(
    "that %s may write to is refused, and nothing is made in it",
    async (_, mode) => {
      const XDG_RUNTIME_DIR = folderOf(mode);
      for (const options of [
        [],
        ["--socket", join(XDG_RUNTIME_DIR, "aaep", "a.sock")],
        ["--socket", "off", "--http", "127.0.0.1:0"],
      ]) {
        const { code, stderr } = await refusalOf(
          { ...cleanEnvironment(temporaryDirectory()), XDG_RUNTIME_DIR },
          ...options,
        );
        expect([options, code]).not.toEqual([options, 0]);
        expect(stderr).toContain(`XDG_RUNTIME_DIR names ${XDG_RUNTIME_DIR}, which has mode 0${mode.toString(8)}`);
        expect(stderr).toContain("Set the variable to a folder of your own with mode 700, unset it, or name a socket");
        expect(readdirSync(XDG_RUNTIME_DIR)).toEqual([]);
      }
    },
  );

  it("that others may only look into is taken, and so is a socket elsewhere beside one that is not", async () => {
    const home = temporaryDirectory();
    const readable = startCommandLine(["serve"], {
      environment: { ...cleanEnvironment(home), XDG_RUNTIME_DIR: folderOf(0o755) },
    });
    expect(JSON.parse((await readable.stdoutLines(1))[0] ?? "")).toHaveProperty("endpoints.ipc");
    const environment = { ...cleanEnvironment(home), XDG_RUNTIME_DIR: folderOf(0o777), AAEPD_JOURNAL: "memory" };
    const elsewhere = startCommandLine(["serve", "--socket", join(home, "a.sock")], { environment });
    expect(JSON.parse((await elsewhere.stdoutLines(1))[0] ?? "")).toMatchObject({
      endpoints: { ipc: join(home, "a.sock") },
    });
  });
});

describe.skipIf(process.platform === "win32")("the folders of the journal and of the audit log", () => {
  const open: readonly (readonly [name: string, mode: number])[] = [
    ["0750", 0o750],
    ["0777", 0o777],
    ["1777", 0o1777],
  ];
  it.each(isWhole ? open : open.slice(0, 1))("of mode %s are refused alike at the start", async (_, mode) => {
    const folder = folderOf(mode);
    const answers = await Promise.all(
      ["--journal", "--audit"].map((option) => refusalOf(cleanEnvironment(temporaryDirectory()), option, folder)),
    );
    const [journal, audit] = answers;
    expect(journal?.stderr).toContain(
      `The folder ${folder} has mode 0${(mode & 0o777).toString(8)}, so that others can reach the journal.`,
    );
    expect(audit).toEqual({
      code: journal?.code,
      stderr: journal?.stderr.replaceAll("the journal", "the audit log"),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that are somebody's by default are looked at too where they are there, and made only where there is something to record", async () => {
    const home = temporaryDirectory();
    const audit = join(home, "state", "aaepd", "audit");
    const environment = { ...cleanEnvironment(home), XDG_STATE_HOME: join(home, "state"), AAEPD_JOURNAL: "memory" };
    const program = startCommandLine(["serve"], { environment });
    await program.stdoutLines(1);
    expect(existsSync(audit)).toBe(false);
    program.signal("SIGTERM");
    expect((await program.ended).code).toBe(0);
    mkdirSync(audit, { recursive: true });
    chmodSync(audit, 0o755);
    const { stderr } = await refusalOf(environment);
    expect(stderr).toContain(`The folder ${audit} has mode 0755, so that others can reach the audit log.`);
  });

  it("are made where they are named and missing, and refused where none can be", async () => {
    const home = temporaryDirectory();
    const audit = join(home, "made", "audit");
    const program = startCommandLine(["serve", "--audit", audit], { environment: cleanEnvironment(home) });
    await program.stdoutLines(1);
    expect(existsSync(audit)).toBe(true);
    const blocked = join(home, "file", "audit");
    writeFileSync(join(home, "file"), "");
    const { stderr } = await refusalOf(cleanEnvironment(temporaryDirectory()), "--audit", blocked);
    expect(stderr).toContain(`The folder ${blocked} cannot be made. Choose another one for the audit log.`);
  });
});
