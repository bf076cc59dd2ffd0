// R5: daemons of this user that answer anything, whom an agent in Node asks about an irreversible tool.
import { join } from "node:path";
import { expect, test } from "vitest";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { ACCEPTING, FALSE_ANSWERS, falseDaemon } from "../../support/copied-file-daemons.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { openedAt } from "./agent-stage.js";

const NO_CONSENT = '{"jsonrpc":"2.0","id":$ID,"result":null}';

/** Whether a tool is called that cannot be undone. */
async function calls(socketPath: string, seconds: number): Promise<boolean> {
  let isCalled = false;
  const { agent } = await openedAt(socketPath, {
    patienceMs: seconds * 1000,
    connectors: [{ connect: ipcRpcConnector(socketPath, { framing: "newline" }) }],
  });
  await agent.session("Tidies.", (session) =>
    session.tool(
      "rm",
      () => {
        isCalled = true;
      },
      { irreversible: true, timeout_seconds: seconds, declined: () => {} },
    ),
  );
  return isCalled;
}

test("nothing but the acceptance of this very question, and the receipt of the call that it permits, lets a tool be called", async () => {
  const path = join(temporaryDirectory(), "aaepd.sock");
  const received = await falseDaemon(path, undefined, [...FALSE_ANSWERS, ...FALSE_ANSWERS.map(() => NO_CONSENT)]);
  expect(await Promise.all(FALSE_ANSWERS.map(() => calls(path, 0.5)))).toEqual(FALSE_ANSWERS.map(() => false));
  expect(received().match(/"aaep\.confirm"/g)?.length).toBeGreaterThanOrEqual(FALSE_ANSWERS.length);
  // Only an acceptance with a false receipt is told the call.
  const pairs = FALSE_ANSWERS.filter((answer) => typeof answer !== "string");
  expect(received().match(/"aaep:agent\.tool\.invoked"/g)).toHaveLength(pairs.length);
});

test("what it accepts and takes is called", async () => {
  const path = join(temporaryDirectory(), "aaepd.sock");
  await falseDaemon(path, undefined, [ACCEPTING]);
  expect(await calls(path, 20)).toBe(true);
});
