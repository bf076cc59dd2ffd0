#!/usr/bin/env node
// Hands one message of a terminal agent's hook to the running daemon, and writes the person's answer. It loads nothing of aaepd: an agent waits for it
// before and after each call of a tool. Whatever goes wrong, it writes nothing and ends with 0, so that the agent goes on as without it.
import { constants, existsSync, fstatSync, lstatSync, openSync, realpathSync } from "node:fs";
import module from "node:module";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";

/** How long the daemon may take to take a message that asks nothing, ms. */
const TAKEN_MS = 50;
/** How long it may take to show that it is there before an answer is awaited, ms: `--patience` changes it. */
const ALIVE_MS = 150;
/** Longest message, UTF-16 units. The daemon takes 1 MiB. */
const LONGEST = 1_000_000;
const LONGEST_INPUT_BYTES = 16 * 1024 * 1024;
/** Linux's flag for a descriptor that only names a file. Node has no name for it. */
const O_PATH = 0o10000000;

process.on("uncaughtException", leave);
process.stdout.on("error", leave);

function leave() {
  process.exit(0);
}

/** Compiled code is kept for the next start, in a folder of the user's own: whoever can write there decides what runs. */
function keepCompiled({ XDG_CACHE_HOME, HOME }) {
  const home = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (home?.startsWith("/") && lstatSync(home).uid === process.getuid?.())
    module.enableCompileCache?.(`${home}/aaepd/compiled`);
}

/** `claude [--answer] [--name NAME] [--language TAG] [--socket PATH] [--patience MS]`. An option that is not known is left out, with its value. */
function readOptions([host, ...given]) {
  const options = { host, answers: given.includes("--answer") };
  for (const name of ["name", "language", "socket", "patience"]) {
    const at = given.indexOf(`--${name}`);
    if (at >= 0 && at + 1 < given.length) options[name] = given[at + 1];
  }
  return options;
}

/** Where the daemon listens: as src/cli/shell/chosen-socket.ts and transports/ipc/paths.ts choose it. */
function socketPaths({ platform, env, getuid }, chosen = env.AAEPD_SOCKET) {
  if (chosen !== undefined && chosen !== "auto") return chosen === "off" ? [] : [{ path: chosen, isUsual: false }];
  if (platform === "win32") return [{ path: "\\\\.\\pipe\\aaep\\aaepd", isUsual: true }];
  const temporary = `/tmp/aaep-${getuid()}`;
  const home = platform === "darwin" && env.HOME && `${env.HOME}/Library/Application Support/AAEP`;
  const runtime = platform !== "darwin" && env.XDG_RUNTIME_DIR?.startsWith("/") && `${env.XDG_RUNTIME_DIR}/aaep`;
  return [home || runtime || temporary, temporary].map((folder) => ({
    path: join(folder, "aaepd.sock"),
    isUsual: true,
  }));
}

/**
 * The address of the socket if nobody but this user and root can have put it there, as transports/ipc/own-socket.ts decides; otherwise throws. On Linux
 * folder and socket are looked at and connected to by a descriptor, so that nobody can swap them in between.
 */
function ownSocket(path, isUsual, { platform, getuid }) {
  if (platform === "win32") return path;
  const user = getuid();
  const isOwn = ({ uid }) => uid === user || (uid === 0 && !isUsual);
  const isClosed = ({ mode }) => (mode & 0o077) === 0;
  const isUnswappable = (one) =>
    one.isDirectory() &&
    isOwn(one) &&
    (isUsual ? isClosed(one) : (one.mode & 0o022) === 0 || (one.mode & 0o1000) !== 0);
  const assert = (isTrue) => {
    if (!isTrue) throw new Error("The socket is not this user's own.");
  };
  const directory = isUsual ? dirname(path) : realpathSync(dirname(path));
  const assertOwn = (folder, socket) => {
    assert(isUnswappable(folder) && socket.isSocket() && isOwn(socket));
    assert(isClosed(folder) || (socket.mode & 0o022) === 0);
  };
  if (platform !== "linux" || !existsSync("/proc/self/fd")) {
    for (let above = realpathSync(directory); above !== dirname(above); above = dirname(above)) {
      const { mode, uid } = lstatSync(dirname(above));
      assert((uid === user || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0));
    }
    assertOwn(lstatSync(directory), lstatSync(join(directory, basename(path))));
    return join(directory, basename(path));
  }
  const open = (name) => openSync(name, O_PATH | constants.O_NOFOLLOW);
  const folder = open(directory);
  const socket = open(`/proc/self/fd/${folder}/${basename(path)}`);
  assertOwn(fstatSync(folder), fstatSync(socket));
  return `/proc/self/fd/${socket}`;
}

/** The text of the message, and whether it asks for an answer. A result of a tool is for nobody's ears, and may be long. */
function readMessage(bytes, answers) {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const message = JSON.parse(text);
  if (typeof message !== "object" || message === null || Array.isArray(message)) leave();
  const asks = answers && message.hook_event_name === "PermissionRequest";
  if (text.length <= LONGEST) return { text, asks };
  const { tool_response: _, ...rest } = message;
  return { text: JSON.stringify(rest), asks };
}

function readInput(done) {
  const chunks = [];
  let length = 0;
  process.stdin.on("error", leave).on("data", (chunk) => {
    length += chunk.length;
    if (length > LONGEST_INPUT_BYTES) leave();
    chunks.push(chunk);
  });
  process.stdin.on("end", () => done(Buffer.concat(chunks)));
}

/** Asks the daemon two things at once: whether it is there, and for the answer. */
function relay({ host, answers, name, language, socket: chosen, patience: given }, { text, asks }) {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  const locale = LC_ALL || LC_MESSAGES || LANG;
  const params = { host, message: text, answers, name, language, locale, pid: process.ppid };
  const call = (id, method, given) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params: given })}\n`;
  const said = `${call(0, "aaep.ping", {})}${call(1, "aaepd.hook", params)}`;
  const found = socketPaths(process, chosen).find(({ path }) => process.platform === "win32" || existsSync(path));
  if (found === undefined) leave();
  const socket = connect(ownSocket(found.path, found.isUsual, process));
  // Where this process had no turn for so long, what has come meanwhile is taken first.
  let last;
  const patience = setTimeout(
    () => {
      last = setImmediate(leave);
    },
    asks ? Number(given) || ALIVE_MS : TAKEN_MS,
  );
  let heard = "";
  socket.setEncoding("utf8").on("error", leave).on("close", leave);
  socket.on("connect", () => socket.write(said));
  socket.on("data", (chunk) => {
    heard += chunk;
    if (heard.length > LONGEST) leave();
    for (let end = heard.indexOf("\n"); end >= 0; end = heard.indexOf("\n")) {
      const { id, result } = JSON.parse(heard.slice(0, end));
      heard = heard.slice(end + 1);
      if (id === 0 && asks) {
        clearTimeout(patience);
        clearImmediate(last);
      }
      if (id === 1 && result?.output === undefined) leave();
      if (id === 1) process.stdout.write(`${JSON.stringify(result.output)}\n`, leave);
    }
  });
}

try {
  keepCompiled(process.env);
} catch {
  // It starts without.
}
// `aaepd hook claude` is the same.
const options = readOptions(process.argv.slice(process.argv[2] === "hook" ? 3 : 2));
readInput((bytes) => relay(options, readMessage(bytes, options.answers)));
