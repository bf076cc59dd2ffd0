// Our entries in a host's settings: put in, taken out, and every other byte stays.
import { describe, expect, it } from "vitest";
import { isOurCommand } from "../../../src/cli/hooks/hook-files.js";
import { type Entry, withEntries } from "../../../src/cli/hooks/settings-edit.js";

const COMMAND = "/home/ada/.local/share/aaepd/hook claude --answer";
const entry = (more: Partial<Entry> = {}): Entry => ({ type: "command", command: COMMAND, timeout: 5, ...more });
const WANTED = new Map([
  ["Stop", entry()],
  ["PermissionRequest", entry({ timeout: 130 })],
  ["PostToolUse", entry({ async: true })],
]);
const NONE: ReadonlyMap<string, Entry> = new Map();

const edited = (text: string, wanted: ReadonlyMap<string, Entry> = WANTED) =>
  withEntries({ path: "/s.json", text, isOurs: isOurCommand("claude") }, wanted);

const FOREIGN = `{
  // My own settings.
  "model": "opus", /* the big one */
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] },
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "beep" }] }]
  },
  "permissions": { "allow": ["Bash(npm test)"] }
}
`;

describe("install", () => {
  it("makes settings where there are none", () => {
    const { text, changes } = edited("");
    expect(JSON.parse(text)).toEqual({
      hooks: Object.fromEntries([...WANTED].map(([event, one]) => [event, [{ hooks: [one] }]])),
    });
    expect(changes.map(({ kind, event }) => `${kind} ${event}`)).toEqual([
      "added Stop",
      "added PermissionRequest",
      "added PostToolUse",
    ]);
    expect(text.endsWith("\n")).toBe(true);
  });

  it("keeps comments, other hooks and other members, and a second run changes nothing", () => {
    const { text } = edited(FOREIGN);
    for (const line of FOREIGN.split("\n").filter((one) => /\/\/|\/\*|say done|beep|permissions/.test(one)))
      expect(text).toContain(line.trim().replace(/,$/, ""));
    expect(edited(text)).toEqual({ text, changes: [] });
  });

  it.each([
    ['{\n    "hooks": {}\n}\n', '{\n    "hooks": {\n        "Stop": ['],
    ['{\n  "other": { "hooks": {} },\n  "hooks": { }\n}\n', '"hooks": {\n    "Stop": ['],
    ['{\n  "hooks": { "Notification": [] }\n}\n', '"hooks": { "Notification": [], "Stop": [{"hooks"'],
    ['{ "hooks": {} }', '{ "hooks": {"Stop": [{"hooks":[{"type":"command"'],
  ])("of %j, has the form of what stands around it", (before, expected) => {
    expect(edited(before, new Map([["Stop", entry()]])).text).toContain(expected);
  });

  it("replaces an entry of ours that was another, and one that stands twice", () => {
    const before = edited(FOREIGN, new Map([["Stop", entry({ timeout: 9, command: `${COMMAND} --name Ada` })]])).text;
    const { text, changes } = edited(before);
    expect(changes.filter(({ event }) => event === "Stop").map(({ kind }) => kind)).toEqual(["removed", "added"]);
    expect(text).not.toContain("Ada");
    const group = `{ "hooks": [${JSON.stringify(entry())}] }`;
    const doubled = `{ "hooks": { "Stop": [${group}, ${group}] } }`;
    expect(edited(doubled, new Map([["Stop", entry()]])).text.split(COMMAND)).toHaveLength(2);
  });

  it("takes out an event that is wanted no more, and nothing of another host's or of another program's", () => {
    const before = edited(FOREIGN.replace("say done", "/opt/aaepd/hook codex")).text;
    const { text, changes } = edited(before, new Map([["Stop", entry()]]));
    expect(changes.map(({ kind, event }) => `${kind} ${event}`)).toEqual([
      "removed PermissionRequest",
      "removed PostToolUse",
    ]);
    expect(text).toContain("/opt/aaepd/hook codex");
  });
});

describe("uninstall takes our entries alone, and the file is as before", () => {
  it.each([
    ["with comments and other hooks", FOREIGN],
    ["with tabs", '{\n\t"model": "opus"\n}\n'],
    ["with the line ends of Windows", '{\r\n  "model": "opus"\r\n}\r\n'],
    ["with four blanks and no end of the last line", '{\n    "model": "opus"\n}'],
    ["with the mark of UTF-8", '\uFEFF{\n  "model": "opus"\n}\n'],
    ["empty", "{}\n"],
  ])("%s", (_, before) => {
    const { text } = edited(before);
    expect(text).not.toBe(before);
    expect(text.includes("\r\n")).toBe(before.includes("\r\n"));
    expect(edited(text, NONE).text).toBe(before);
  });

  it("within a group that a person has joined to ours", () => {
    const joined = `{"hooks": {"Stop": [{"hooks": [${JSON.stringify(entry())}, {"type": "command", "command": "beep"}]}]}}`;
    expect(JSON.parse(edited(joined, NONE).text)).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "beep" }] }] },
    });
  });

  it("changes nothing where there is nothing of ours", () => {
    for (const text of ["", "{}", FOREIGN]) expect(edited(text, NONE)).toEqual({ text, changes: [] });
  });
});

describe("settings that are refused", () => {
  it.each([
    ["{", /\/s\.json is not JSON: see line 1/],
    ['{\n"hooks": {\n"Stop": [,]\n}}', /see line 3/],
    ["[]", /has no object of hooks/],
    ['{"hooks": []}', /has no object of hooks/],
    ['{"hooks": {"Stop": {}}}', /the hooks of Stop are no list/],
    ["<<<<<<< HEAD\n{}", /is not JSON/],
    ['{"hooks": {}, "hooks": {"Stop": []}}', /"hooks" stands twice/],
    ['{"hooks": {"Stop": [], "Stop": []}}', /"Stop" stands twice/],
    ['{"hooks": {"Stop": [{"hooks": [], "hooks": []}]}}', /"hooks" stands twice/],
    [`{"hooks": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /nested too deep/],
  ])("%j", (text, sentence) => {
    expect(() => edited(text)).toThrow(sentence);
  });

  it("a name that stands twice elsewhere is nobody's affair here", () => {
    expect(edited('{"model": 1, "model": 2}').changes).toHaveLength(WANTED.size);
  });

  it("odd groups are left as they are", () => {
    const odd = '{"hooks": {"Stop": [7, null, {"hooks": 7}, {"hooks": [7, {"command": 7}]}]}}';
    expect(edited(edited(odd).text, NONE).text).toBe(odd);
  });
});

describe("whose command it is", () => {
  it.each([
    ["/home/ada/.local/share/aaepd/hook claude", true],
    ["'/home/ada b/aaepd/hook' claude --answer", true],
    ['"C:\\Users\\Ada\\aaepd\\hook.cmd" claude', true],
    ["/x/aaepd/hook codex", false],
    ["/x/aaepd/hook claudette", false],
    ["/x/notaaepd/hook claude", false],
    ["echo /x/aaepd/hook; rm claude", false],
  ])("%s: %s", (command, isOurs) => {
    expect(isOurCommand("claude")(command)).toBe(isOurs);
  });
});
