// JSON on standard output: whoever looks at it in a terminal is shown what is there, and programs read the same value.
import fc from "fast-check";
import { expect, test } from "vitest";
import { shownJson } from "../../../src/base/json-line.js";
import { registerStatus } from "../../../src/cli/status/status.js";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { jsonText } from "../../../src/cli/terminal/shown-text.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { casesOf } from "../../support/extent.js";
import { session } from "../../support/rigs/engine-rig.js";
import { createStage, run, runtimeEnvironment, serve } from "../command-stage.js";

/** CSI in one character, two more ends of a line, a line that looks like another, text that runs the other way, and what JSON itself escapes. */
const HOSTILE = '\u009b31mred\u0085next\u2028and\u2029on\u007f \u202eesrever\u202c \u2066\u2069 \u001b[2J " \\';
/** What a terminal would act on, and what some reader takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

test("JSON is the same value, and nothing in it moves the cursor or turns text around", () => {
  const hostile = fc.string({ unit: fc.constantFrom(...HOSTILE) });
  fc.assert(
    fc.property(fc.dictionary(hostile, hostile), (value) => {
      for (const text of [jsonText(value), jsonText(value, 2), shownJson(JSON.stringify(value))]) {
        expect(text).not.toMatch(RAW);
        expect(JSON.parse(text)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }
    }),
    { numRuns: casesOf(300) },
  );
  expect(jsonText({ a: "\u009b\u202e" })).toBe('{"a":"\\u009b\\u202e"}');
  expect(shownJson('{"a":\t"b"}')).toBe('{"a":\t"b"}');
});

const { started } = session();
const producer = { agent_id: "test-agent", agent_name: HOSTILE };
test("status --json and tail --json", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const client = await AgentClient.open(ipcRpcConnector(socketPath));
  const [tail, status] = [createStage(), createStage()];
  const running = run(registerTail, tail, "--socket", socketPath, "--json", "--quiet", "--count", "1");
  const { type, session_id } = started();
  await client.publish({ type, session_id, producer, summary_normal: HOSTILE } as Parameters<typeof client.publish>[0]);
  await running;
  await run(registerStatus, status, "--socket", socketPath, "--json");
  for (const stage of [tail, status]) expect(stage.out()).not.toMatch(RAW);
  expect(JSON.parse(tail.out())).toMatchObject({ producer });
  expect(JSON.parse(status.out())).toMatchObject({ sessions: [{ agent_name: HOSTILE }] });
  await client.close();
});
