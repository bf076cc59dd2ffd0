// nothing connects to a socket that is not this user's own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { isWritableForOthers } from "../../../transports/ipc/directory.js";
import { connectToOwn, holdOwnSocket } from "../../../transports/ipc/own-socket.js";
import type { IpcPlace } from "../../../transports/ipc/paths.js";
import { faultOf } from "../../support/fault-of.js";
import { newUser, testAsRoot } from "../../support/peers/other-users.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const me = process.getuid?.() ?? 0;

/** Listens at a path, and answers each connection with `words`. */
async function listen(path: string, words = "own"): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).end(words);
  });
  await once(server.listen(path), "listening");
  onTestFinished(() => void server.close());
  return server;
}

async function heardFrom(path: string): Promise<string> {
  let words = "";
  for await (const piece of connect(path)) words += String(piece);
  return words;
}

/** A place whose own folder of sockets is `usual`, in the folder that is returned. */
async function stage(platform: NodeJS.Platform) {
  const root = temporaryDirectory();
  const environment = { XDG_RUNTIME_DIR: root, HOME: root };
  const place: IpcPlace = { platform, environment, userId: me };
  const usual = platform === "darwin" ? join(root, "Library", "Application Support", "AAEP") : join(root, "aaep");
  const named = join(root, "named");
  mkdirSync(usual, { recursive: true, mode: 0o700 });
  mkdirSync(named, { mode: 0o755 });
  await listen(join(root, "s"));
  chmodSync(join(root, "s"), 0o755);
  for (const folder of [usual, named]) linkSync(join(root, "s"), join(folder, "s"));
  const hold = (path: string) => {
    const held = holdOwnSocket(path, place);
    onTestFinished(held.release);
    return held;
  };
  return { root, usual, named, hold, refusalOf: (path: string) => faultOf(() => hold(path)) };
}

describe.each(["linux", "darwin"] as const)("on %s", (platform) => {
  test("the user's own socket is held, in the usual folder and in a named one", async () => {
    const { usual, named, hold } = await stage(platform);
    for (const folder of [usual, named]) expect(await heardFrom(hold(join(folder, "s")).address)).toBe("own");
  });

  test("what is missing is not found", async () => {
    const { root, usual, hold, refusalOf } = await stage(platform);
    expect(refusalOf(join(root, "nowhere", "s")).code).toBe("not_found");
    if (platform === "linux") expect(refusalOf(join(usual, "t")).code).toBe("not_found");
    else await expect(heardFrom(hold(join(usual, "t")).address)).rejects.toThrow("ENOENT");
  });

  test("a link to a named folder is followed; one in place of the usual folder or of a socket is refused, and so is a file", async () => {
    const { root, usual, named, hold, refusalOf } = await stage(platform);
    symlinkSync(named, join(root, "link"));
    expect(await heardFrom(hold(join(root, "link", "s")).address)).toBe("own");
    chmodSync(named, 0o777);
    expect(refusalOf(join(root, "link", "s")).sentence).toContain(`The folder ${named} has mode 0777`);
    chmodSync(named, 0o755);
    symlinkSync(join(named, "s"), join(named, "link"));
    writeFileSync(join(named, "file"), "");
    expect(refusalOf(join(named, "link"))).toMatchObject({
      code: "permission_denied",
      sentence: `The socket ${join(named, "link")} is a symbolic link. Give the socket it points to.`,
    });
    expect(refusalOf(join(named, "file")).code).toBe("address_invalid");
    expect(refusalOf(join(named, "file", "s")).code).toMatch("permission_denied");
    renameSync(usual, join(root, "moved"));
    symlinkSync(join(root, "moved"), usual);
    expect(refusalOf(join(usual, "s")).sentence).toBe(
      `The folder ${usual} is a symbolic link. Give the folder it points to.`,
    );
  });

  test("the usual folder has mode 0700; to a named one nobody else may write, except with the sticky bit", async () => {
    const { usual, named, hold, refusalOf } = await stage(platform);
    for (const mode of [0o755, 0o710, 0o777, 0o1777]) {
      chmodSync(usual, mode);
      expect(refusalOf(join(usual, "s")).sentence).toContain(`has mode 0${(mode & 0o777).toString(8)}, so that others`);
    }
    for (const mode of [0o775, 0o757, 0o777]) {
      chmodSync(named, mode);
      const who = mode === 0o775 ? "its group" : "everybody";
      const why = `has mode 0${mode.toString(8)}, so that ${who} can write to it, and no sticky bit.`;
      expect(refusalOf(join(named, "s")).sentence).toContain(why);
    }
    chmodSync(named, 0o1777);
    expect(await heardFrom(hold(join(named, "s")).address)).toBe("own");
  });

  test("where others can reach the user's socket, they may not write to it", async () => {
    const { usual, named, hold, refusalOf } = await stage(platform);
    for (const mode of [0o777, 0o722, 0o620]) {
      chmodSync(join(named, "s"), mode);
      expect(refusalOf(join(named, "s")).sentence).toContain("so that others could answer for you");
    }
    expect(await heardFrom(hold(join(usual, "s")).address)).toBe("own");
    chmodSync(named, 0o700);
    expect(await heardFrom(hold(join(named, "s")).address)).toBe("own");
  });

  testAsRoot("a folder or a socket of another user is refused, and one of root's is not", async () => {
    const { root, usual, named } = await stage(platform);
    const [user, other] = [newUser(), newUser()];
    const place: IpcPlace = { platform, environment: { XDG_RUNTIME_DIR: root, HOME: root }, userId: user };
    const refusalOf = (path: string) => faultOf(() => holdOwnSocket(path, place)).sentence;
    // Of root's they are, and root's folder is not this user's own.
    expect(refusalOf(join(usual, "s"))).toContain(`${usual} belongs to user 0`);
    const rootsOwn = holdOwnSocket(join(named, "s"), place);
    expect(await heardFrom(rootsOwn.address)).toBe("own");
    rootsOwn.release();
    // Root's socket is for whom root let in.
    chmodSync(join(named, "s"), 0o777);
    holdOwnSocket(join(named, "s"), place).release();
    chmodSync(join(named, "s"), 0o755);
    chownSync(named, other, other);
    expect(refusalOf(join(named, "s"))).toContain(`${named} belongs to user ${other}`);
    chownSync(named, user, user);
    chownSync(join(named, "s"), other, other);
    expect(refusalOf(join(named, "s"))).toContain(`${join(named, "s")} belongs to user ${other}`);
    // Others can make folders above.
    const roots = { ...place, userId: 0 };
    expect(faultOf(() => holdOwnSocket(join(named, "s"), roots)).sentence).toContain("Run this as the user of the");
    chownSync(usual, user, user);
    expect(faultOf(() => holdOwnSocket(join(usual, "s"), roots)).sentence).toContain(
      `${usual} belongs to user ${user}`,
    );
  });

  testAsRoot("root may name a socket that is a user's, in a folder that nobody else can have made", async () => {
    const [user, other] = [newUser(), newUser()];
    // Nobody else may write into the folders above. Root's home may lie anywhere.
    const above = process.platform === "linux" ? "/var/lib" : homedir();
    const folder = mkdtempSync(join(above, ".aaepd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "s");
    await listen(path);
    const place: IpcPlace = { platform, environment: { HOME: folder }, userId: 0 };
    chownSync(folder, user, user);
    chownSync(path, other, other);
    expect(faultOf(() => holdOwnSocket(path, place)).sentence).toContain(`belongs to user ${other}`);
    chownSync(path, user, user);
    const { address, release } = holdOwnSocket(path, place);
    expect(await heardFrom(address)).toBe("own");
    release();
  });
});

test.each([
  ["the user's own group", 0o775, 1234, 1234, 1234, false],
  ["everybody", 0o777, 1234, 1234, 1234, true],
  ["another group", 0o775, 100, 1234, 1234, true],
  ["a group that many have as theirs", 0o775, 100, 1234, 100, true],
  ["root's group, which has members on some systems", 0o775, 0, 0, 0, true],
])("whether others may write, where %s may", (_, mode, group, user, ofProcess, isWritable) => {
  vi.spyOn(process, "getgid").mockReturnValue(ofProcess);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(isWritableForOthers(mode, group, user)).toBe(isWritable);
});

test("elsewhere than on Linux, nobody else may be able to swap a folder above", async () => {
  const { root, named, hold, refusalOf } = await stage("darwin");
  const deep = join(named, "one", "two");
  mkdirSync(deep, { recursive: true });
  linkSync(join(root, "s"), join(deep, "s"));
  expect(await heardFrom(hold(join(deep, "s")).address)).toBe("own");
  chmodSync(named, 0o777);
  expect(refusalOf(join(deep, "s")).sentence).toContain(`The folder ${named} has mode 0777`);
});

describe.runIf(process.platform === "linux")("held by descriptor", () => {
  test("the socket that was looked at is connected to, whatever has its name by then", async () => {
    const { root, usual, hold } = await stage("linux");
    await listen(join(root, "t"), "swapped");
    const { address } = hold(join(usual, "s"));
    renameSync(join(root, "t"), join(usual, "s"));
    expect(await heardFrom(address)).toBe("own");
    const again = hold(join(usual, "s")).address;
    renameSync(usual, join(root, "moved"));
    expect(await heardFrom(again)).toBe("swapped");
  });

  test("no descriptor stays, neither of a connection nor of a refusal", async () => {
    const { root, named } = await stage("linux");
    symlinkSync(join(named, "s"), join(named, "link"));
    const ended = await listen(join(root, "t"));
    linkSync(join(root, "t"), join(named, "dead"));
    ended.close();
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 20; round++) {
      const connection = await connectIpc(join(named, "s"));
      await connection.close();
      await connection.closed;
      await expect(connectIpc(join(named, "link"))).rejects.toMatchObject({ code: "permission_denied" });
      await expect(connectIpc(join(named, "missing"))).rejects.toMatchObject({ code: "not_found" });
      await expect(connectIpc(join(named, "dead"))).rejects.toMatchObject({ code: "not_found" });
    }
    await expect.poll(() => readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
  });

  testAsRoot("a folder that changes hands all the time never leads to the other user's socket", async () => {
    const root = temporaryDirectory();
    const [own, foreign, at] = [join(root, "own"), join(root, "foreign"), join(root, "at")];
    for (const folder of [own, foreign]) mkdirSync(folder, { mode: 0o755 });
    await listen(join(own, "s"));
    chmodSync(join(own, "s"), 0o755);
    await listen(join(foreign, "s"), "foreign");
    const other = newUser();
    for (const path of [foreign, join(foreign, "s")]) chownSync(path, other, other);
    const swapping = spawn(process.execPath, [
      "-e",
      `const { renameSync } = require("node:fs");
       const [own, foreign, at] = process.argv.slice(1);
       console.log("begun");
       const until = Date.now() + 60_000;
       while (Date.now() < until) for (const folder of [own, foreign]) { renameSync(folder, at); renameSync(at, folder); }`,
      own,
      foreign,
      at,
    ]);
    // Until it has ended it makes folders in the one that is removed.
    onTestFinished(async () => {
      swapping.kill("SIGKILL");
      await once(swapping, "exit");
    });
    await once(swapping.stdout, "data");
    const heard = new Map<string, number>();
    // How soon each folder is met is a matter of chance.
    for (let round = 0; round < 400 || !heard.has("own") || !heard.has("permission_denied"); round++) {
      const words = await (async () => {
        let text = "";
        for await (const piece of connectToOwn(join(at, "s"))) text += String(piece);
        return text;
      })().catch((caught: { readonly code: string }) => caught.code);
      heard.set(words, (heard.get(words) ?? 0) + 1);
    }
    expect(heard.has("foreign")).toBe(false);
  });

  testAsRoot("a peer that the kernel names as another user gets no byte, whatever owner its socket has", async () => {
    const folder = temporaryDirectory();
    const path = join(folder, "s");
    const other = newUser();
    chownSync(folder, other, other);
    // It becomes the other user by itself, who may have no right to the folder that Node stands in.
    const program = `process.setgid(${other});
      process.setuid(${other});
      let heard = 0;
      require("node:net").createServer((socket) => {
        socket.on("error", () => {}).on("data", ({ length }) => { heard += length; }).on("close", () => console.log("heard " + heard));
      }).listen(process.argv[1], () => console.log("listens"));`;
    const listener = spawn(process.execPath, ["-e", program, path]);
    onTestFinished(() => void listener.kill("SIGKILL"));
    await once(listener.stdout, "data");
    for (const own of [folder, path]) chownSync(own, me, me);
    const closed = once(listener.stdout, "data");
    const socket = connectToOwn(path);
    socket.write("secret");
    const [fault] = await once(socket, "error");
    expect(fault).toMatchObject({
      code: "permission_denied",
      sentence: `A process of user ${other} listens at the socket ${path}. Choose a socket of your own.`,
    });
    expect(String(await closed)).toBe("heard 0\n");
    await expect(connectIpc(path)).rejects.toMatchObject({ code: "permission_denied" });
  });
});
