// The files to copy with daemons that are not the user's, and with daemons whose answers nobody can read.
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../cli/command-stage.js";
import { listenFalsely } from "../fixtures/false-daemon.mjs";
import { isTried } from "./extent.js";
import type { Example } from "./languages.js";
import { fixture, startCommand } from "./peers/program.js";
import { temporaryDirectory } from "./temporary-directory.js";

/** Starts the stranger's program with assignments of its environment. */
export type StartStranger = (environment: readonly string[], ...work: readonly string[]) => Example;

/** A user that is neither root nor this one. */
const OTHER = 65_534;

const ACCEPTED = '"decision":"accept","resolved_by":"reply","event_id":"$EVENT","reply_token":"$TOKEN"';
const RESULTS = [
  ...["null", "5", "true", '"accept"', "[]", "{}", "[{}]", `[{${ACCEPTED}}]`],
  `{${ACCEPTED.replace("accept", "ACCEPT")}}`,
  `{${ACCEPTED.replace("accept", "accept ")}}`,
  ...['["accept"]', '{"accept":true}', "true", "1", "null"].map((other) => `{${ACCEPTED.replace('"accept"', other)}}`),
  ...['["reply"]', "{}", "1", "null", '"Reply"', '"host"', '"banana"'].map(
    (other) => `{${ACCEPTED.replace('"reply"', other)}}`,
  ),
  ...["rpl_other", "", "$TOKEN$TOKEN"].map((other) => `{${ACCEPTED.replace("$TOKEN", other)}}`),
  `{${ACCEPTED.replace('"$TOKEN"', "7")}}`,
  '{"Decision":"accept","Resolved_By":"reply","Reply_Token":"$TOKEN"}',
  '{"decision":"accept"}',
  `{${ACCEPTED.replace('"accept"', "$MANY")}}`,
  '{"resolved_by":"reply","reply_token":"$TOKEN"}',
].map((result) => `{"jsonrpc":"2.0","id":$ID,"result":${result}}`);
const ERRORS = [
  ...["{}", "[]", "5", "true", '"no"', '{"message":5}', '{"message":null,"data":5}', '{"data":{"code":5}}'],
  '{"message":["x"],"data":{"code":["a"],"pointer":{},"rule":7}}',
  `{"message":"no"},"result":{${ACCEPTED}}`,
].map((error) => `{"jsonrpc":"2.0","id":$ID,"error":${error}}`);
export const ACCEPTING = `{"jsonrpc":"2.0","id":$ID,"result":{${ACCEPTED}}}`;
const LINES = [
  ...["", "{}", "null", "5", '"accept"', "[]", "[1]", "nonsense", "\u0000", '{"id":$ID', "$LONG", "$DEEP"],
  ...["true", "null", "[1]", "{}"].map((id) => ACCEPTING.replace("$ID", id)),
  ...[ACCEPTING.replaceAll('"', "'"), ACCEPTING.replaceAll(/"(\w+)":/g, "$1="), ACCEPTING.replaceAll(/"(\w+)"/g, "$1")],
  `${ACCEPTING} ${ACCEPTING}`,
  `[${ACCEPTING}]`,
];
/** What says that a tool call was taken, of another event, of none, or of more. */
const RECEIPTS = [
  ...["null", "[]", "{}", '{"events":null}', '{"events":[]}', '{"events":{"0":{"event_id":"$EVENT"}}}'],
  ...[
    '"$EVENT"',
    '{"event_id":"evt_other"}',
    '{"event_id":["$EVENT"]}',
    '{"event_id":"$EVENT"},{"event_id":"$EVENT"}',
  ].map((event) => `{"events":[${event}]}`),
].map((result) => [ACCEPTING, `{"jsonrpc":"2.0","id":$ID,"result":${result}}`] as const);

/** A line that answers a question; or a pair, whose second line answers the tool call that follows. test/fixtures/false-daemon.mjs fills them in. */
export type FalseAnswer = string | readonly [outcome: string, receipt: string];

/** What no agent may take for consent, or for a tool call that the daemon has taken. */
export const FALSE_ANSWERS: readonly FalseAnswer[] = [...RESULTS, ...ERRORS, ...LINES, ...RECEIPTS];

/** Starts a daemon that accepts everything: in this process, or in one of another user. Returns what it has received. */
export async function falseDaemon(
  path: string,
  user?: number,
  answers: readonly FalseAnswer[] = [],
): Promise<() => string> {
  if (user !== undefined) return falseDaemonAs(user, path);
  const received: string[] = [];
  const server = listenFalsely(path, answers, (line: string) => received.push(line));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return () => received.join("\n");
}

async function falseDaemonAs(user: number, path: string): Promise<() => string> {
  // As text, because others cannot read the folder of this project everywhere.
  const program = `${readFileSync(fixture("false-daemon.mjs"), "utf8")}
    listenFalsely(process.argv[1], [], (line) => console.log(line)).once("listening", () => console.log("listening"));`;
  const argv = [process.execPath, "--input-type=module", "-e", program, path];
  const { stdout } = startCommand(argv, { cwd: "/", user });
  await eventually(() => expect(stdout()).toMatch(/^listening\n/));
  return () => stdout().slice("listening\n".length);
}

interface Place {
  readonly environment: string;
  readonly received: () => string;
}

/** A folder that is made for a user, with a daemon at a socket in it. */
async function daemonIn(folder: string, mode: number, owner?: number): Promise<() => string> {
  mkdirSync(folder);
  chmodSync(folder, mode);
  if (owner !== undefined) chownSync(folder, owner, owner);
  return falseDaemon(join(folder, "aaepd.sock"), owner);
}

/** Under a folder that others can enter. `needsRoot`: another user is needed, whom only root can be. */
const PLACES: readonly {
  readonly name: string;
  readonly needsRoot?: true;
  readonly make: (base: string) => Promise<Place>;
}[] = [
  {
    name: "in a usual folder that another user made before",
    needsRoot: true,
    make: async (base) => ({
      environment: `XDG_RUNTIME_DIR=${base}`,
      received: await daemonIn(join(base, "aaep"), 0o700, OTHER),
    }),
  },
  {
    name: "in a usual folder that others can enter",
    make: async (base) => ({
      environment: `XDG_RUNTIME_DIR=${base}`,
      received: await daemonIn(join(base, "aaep"), 0o755),
    }),
  },
  {
    name: "in a named folder that others can write to",
    make: async (base) => ({
      environment: `AAEPD_SOCKET=${join(base, "open", "aaepd.sock")}`,
      received: await daemonIn(join(base, "open"), 0o777),
    }),
  },
  {
    name: "in a named folder that root's group can write to",
    needsRoot: true,
    make: async (base) => ({
      environment: `AAEPD_SOCKET=${join(base, "group", "aaepd.sock")}`,
      received: await daemonIn(join(base, "group"), 0o775),
    }),
  },
  {
    name: "in a usual folder behind a link",
    make: async (base) => {
      const received = await daemonIn(join(base, "own"), 0o700);
      symlinkSync(join(base, "own"), join(base, "aaep"));
      return { environment: `XDG_RUNTIME_DIR=${base}`, received };
    },
  },
  {
    name: "behind a link",
    make: async (base) => {
      const received = await daemonIn(join(base, "own"), 0o700);
      symlinkSync(join(base, "own", "aaepd.sock"), join(base, "own", "link.sock"));
      return { environment: `AAEPD_SOCKET=${join(base, "own", "link.sock")}`, received };
    },
  },
  {
    name: "whose socket others can answer at, in everybody's folder",
    make: async (base) => {
      const received = await daemonIn(join(base, "all"), 0o1777);
      chmodSync(join(base, "all", "aaepd.sock"), 0o666);
      return { environment: `AAEPD_SOCKET=${join(base, "all", "aaepd.sock")}`, received };
    },
  },
  ...[false, true].map((isGiven) => ({
    name: isGiven ? "of another user at a socket of this one" : "at a socket that another user made before",
    needsRoot: true as const,
    make: async (base: string) => {
      const path = join(base, "all", "aaepd.sock");
      mkdirSync(dirname(path));
      chmodSync(dirname(path), 0o1777);
      const received = await falseDaemon(path, OTHER);
      // The socket passes each look, as one that came after the looks would: only the kernel knows who listens.
      if (isGiven) chownSync(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
      return { environment: `AAEPD_SOCKET=${path}`, received };
    },
  })),
];

/** The tests of a file to copy with daemons that are not to be believed. */
export function testFalseDaemons(language: string, start: StartStranger, startAsOther: StartStranger): void {
  describe(`the file to copy in ${language}`, () => {
    it("R20, R5: says on standard error, by itself, that there is no daemon, and calls nothing irreversible", async () => {
      const base = temporaryDirectory();
      const agent = start([`AAEPD_SOCKET=${join(base, "no.sock")}`], "many", "1");
      const { code, out, err } = await agent.ended;
      expect([code, out]).toEqual([0, "no_subscriber\n"]);
      expect(err).toMatch(/^.*the agent is silent.*`aaepd serve`.*\n$/);
    });

    for (const [row, { name, needsRoot, make }] of PLACES.entries()) {
      const isSkipped = needsRoot === true && process.getuid?.() !== 0;
      it.skipIf(isSkipped || !isTried(row, 0, 3, 1))(
        `says nothing to a daemon ${name}${isSkipped ? ", which only root can try" : ""}`,
        async () => {
          const base = temporaryDirectory();
          chmodSync(base, 0o755);
          const { environment, received } = await make(base);
          const agent = start([environment], "ask");
          agent.child.stdin.write("\n");
          const { code, out, err } = await agent.ended;
          expect([code, out, received()]).toEqual([0, "no_subscriber\n", ""]);
          expect(err).toMatch(/^.*the agent is silent.*(?:is no socket|is not yours alone|listens (?:at|there)).*\n$/);
        },
      );
    }

    const isRoot = process.getuid?.() === 0;
    const asRoot = isRoot ? "" : ", which only root can try";

    /** Publishes as a user without a name, who has one group, of the same number. */
    async function heardAs(user: number, environment: readonly string[]): Promise<readonly string[]> {
      const identity = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
      // A language may stand in a folder of root alone.
      const path = "PATH=/usr/local/bin:/usr/bin:/bin";
      const { out, err } = await startAsOther([...environment, path, "setpriv", ...identity], "many", "1").ended;
      return [out, err];
    }

    it.skipIf(!isRoot)(`believes the daemon of a user without a name${asRoot}`, async () => {
      const user = 1_000_000 + process.pid;
      const received = await daemonIn(`/tmp/aaep-${user}`, 0o700, user);
      onTestFinished(() => rmSync(`/tmp/aaep-${user}`, { recursive: true }));
      expect(await heardAs(user, ["-u", "XDG_RUNTIME_DIR"])).toEqual(["called\n", ""]);
      expect(received()).toContain("tool.completed");
    });

    it.skipIf(!isRoot)(`believes the daemon in a named folder behind a link${asRoot}`, async () => {
      const user = 1_000_000 + process.pid;
      const base = temporaryDirectory();
      chmodSync(base, 0o755);
      const received = await daemonIn(join(base, "own"), 0o755, user);
      symlinkSync(join(base, "own"), join(base, "link"));
      expect(await heardAs(user, [`AAEPD_SOCKET=${join(base, "link", "aaepd.sock")}`])).toEqual(["called\n", ""]);
      expect(received()).toContain("tool.completed");
    });

    it("R5: calls what a daemon of its own user accepts, and nothing when it answers anything else", async () => {
      const path = join(temporaryDirectory(), "aaepd.sock");
      const received = await falseDaemon(path, undefined, [...FALSE_ANSWERS, ACCEPTING]);
      const { code, out } = await start([`AAEPD_SOCKET=${path}`], "many", String(FALSE_ANSWERS.length + 1)).ended;
      expect(code).toBe(0);
      const answers = out.trim().split("\n");
      expect(answers.slice(0, -1)).toEqual(
        FALSE_ANSWERS.map(() => expect.stringMatching(/^(?:error|no_subscriber|cancelled)$/)),
      );
      expect(answers.at(-1)).toBe("called");
      expect(received().match(/"aaep:agent\.tool\.invoked"/g)).toHaveLength(1 + RECEIPTS.length);
    });
  });
}
