// Every text that an adapter makes: announcements have one line, names for paths, and no marks of code; who speaks is never whom the peer says it is.
import { describe, expect, test } from "vitest";
import { speechOf } from "../../src/adapters/language.js";
import { agentIdOf, agentName, givenName, hostName, LONGEST_NAME, serverName } from "../../src/adapters/names.js";
import { shortAction, wholeText } from "../../src/adapters/tool-words.js";
import { announced, LONGEST_ANNOUNCEMENT } from "../../src/adapters/words.js";
import { argumentParts } from "../../src/base/argument-words.js";
import { WORDINGS, type Wording } from "../../src/engine/messages/wording.js";
import { CATALOGUE_LANGUAGES } from "../../src/engine/terms/language.js";
import { hostileTexts } from "./hostile-texts.js";

const ENGLISH = WORDINGS.en;

describe("an announcement", () => {
  test.each([
    ["`npm test`", "npm test"],
    ["Edit /home/ada/shop/src/config.ts", "Edit config.ts"],
    ["Read 'C:\\Users\\Ada\\notes.txt':", "Read 'notes.txt':"],
    ["ls ~/shop ./x ../y/z.ts /", "ls shop x z.ts /"],
    ["Look at src/app/main.ts, and/or @scope/name", "Look at main.ts, and/or @scope/name"],
    ["Fetch https://example.org/a/b?token=1", "Fetch example.org"],
    ["(see <https://example.org/a/b>, or [~/shop])", "(see <example.org>, or [shop])"],
    ["one\n\n two \r\nthree", "one and 2 more lines"],
    ["a\u0007b\u202e\tc", "a b c"],
    ["auto\u00admatic\u200b ❤\ufe0f", "automatic ❤\ufe0f"],
    ["{{x}}", "x"],
    ["", ""],
  ])("%j is %j", (text, said) => {
    expect(announced(text, ENGLISH)).toBe(said);
  });

  test.each(hostileTexts())("has one line of at most 200 characters, without marks of code: %#", (text) => {
    for (const language of CATALOGUE_LANGUAGES) {
      const said = announced(text, WORDINGS[language]);
      expect(said.length).toBeLessThanOrEqual(LONGEST_ANNOUNCEMENT);
      expect(said).not.toMatch(/[`{}\p{Cc}\u2028\u2029\u202a-\u202e]/u);
      expect(/\p{Cs}/u.test(said)).toBe(/\p{Cs}/u.test(text));
    }
  });
});

describe("a question", () => {
  test.each(hostileTexts())("has everything, and says so where it has not: %#", (text) => {
    const { text: whole, isCut } = wholeText([text], ENGLISH);
    expect(whole.length).toBeLessThanOrEqual(16_384);
    expect(whole.length).toBeGreaterThan(0);
    if (isCut) expect(whole).toMatch(/^Not all of it is here: [\d,]+ characters are left out\.\n/);
    else if (text.trim() !== "") {
      const written = whole.replace(/\\u([\da-f]{4})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      expect(written).toBe(text.replaceAll("\r\n", "\n"));
    }
    expect(whole).not.toMatch(
      /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\u3164\ufeff\u{e0041}]|(?![\n\t])\p{Cc}/u,
    );
    expect(shortAction(text, ENGLISH).length).toBeLessThanOrEqual(LONGEST_ANNOUNCEMENT);
    expect(shortAction(text, ENGLISH)).not.toMatch(/[\n\r\u2028\u202e]/);
  });

  test.each([
    ["rm\u202e x\r\ny", "rm\\u202e x and 1 more line"],
    ["a\u200cb \u{e0041}", "a\\u200cb \\udb40\\udc41"],
    ["می\u200cخواهم ❤\ufe0f", "می\u200cخواهم ❤\ufe0f"],
    [`ls ${" ".repeat(200)} && rm x`, "ls… and 209 more characters"],
    [`${"word ".repeat(30)}\nrm x`, `${"word ".repeat(19)}word… and 50 more characters and 1 more line`],
  ])("is short, hides nothing, and says what it leaves out: %j", (text, said) => {
    expect(shortAction(text, ENGLISH)).toBe(said);
  });

  test("has each argument in words", () => {
    const given = {
      file_path: "/a/b",
      dryRun: true,
      "max-count": 3,
      list: ["a", { b: null }],
      nested: { oneTwo: 1, x: [] },
    };
    expect(argumentParts(given)).toEqual([
      "file path: /a/b",
      "dry run: true",
      "max count: 3",
      "list: a, b: null",
      "nested: one two: 1; x: ",
    ]);
  });
});

describe("Safety 4: who speaks", () => {
  test.each([
    [["opencode", "acp"], "OpenCode", "opencode"],
    [["/usr/local/bin/gemini", "--acp"], "Gemini", "gemini"],
    [["npx", "-y", "@scope/claude-code-acp@1.2.3", "--x"], "Claude", "claude"],
    [["uv", "run", "python3", "my_agent.py"], "Python3", "python3"],
    [["node", "/home/ada/my-agent.mjs"], "My-agent", "my-agent"],
    [["env", "A=1", "codex-acp"], "Codex", "codex"],
    [["C:\\tools\\Goose.exe"], "Goose", "goose"],
    [["copilot", "--acp"], "Copilot", "copilot"],
    [["qwen"], "Qwen", "qwen"],
    [["aaepd"], "Agent", "agent"],
    [["node", "--version"], "Node", "node"],
    [["node", "-e", "start()"], "Node", "node"],
    [["/"], "Agent", "agent"],
    [["名前"], "名前", "agent"],
  ])("of %j it is %s, with the id %s", (command, name, id) => {
    expect(hostName(command)).toBe(name);
    expect(agentIdOf(command)).toBe(id);
  });

  test.each([
    [["npx", "-y", "@modelcontextprotocol/server-filesystem", "/home"], "Filesystem"],
    [["uvx", "mcp-server-git"], "Git"],
    [["python3", "-m", "mcp_server_time"], "Time"],
    [["notes-mcp"], "Notes"],
    [["mcp-server"], "Server"],
    [["server-aaepd"], "Agent"],
  ])("of the server %j it is %s", (command, name) => {
    expect(serverName(command)).toBe(name);
  });

  test("it is the folder's last part, at most 40 characters, and the name of the command line wins", () => {
    expect(agentName(undefined, "Claude", "/home/ada/shop/", ENGLISH)).toBe("Claude in shop");
    expect(agentName(undefined, "Claude", "/", ENGLISH)).toBe("Claude");
    expect(agentName(undefined, "Claude", `/x/${"y".repeat(100)}`, ENGLISH)).toHaveLength(LONGEST_NAME);
    expect(agentName("Ada's", "Claude", "/home/ada/shop", ENGLISH)).toBe("Ada's");
  });

  test("a name of the command line has one line, and is not the daemon's", () => {
    expect(givenName(" Claude\nat  work ")).toBe("Claude at work");
    for (const name of ["", " \n", "aaepd", "AAEPD.", "Ａａｅｐｄ", "a a e p d"])
      expect(() => givenName(name), name).toThrow(/--name/);
  });
});

describe("the language", () => {
  test.each([
    [undefined, {}, "en"],
    [undefined, { LANG: "de_DE.UTF-8" }, "de-DE"],
    [undefined, { LC_ALL: "", LC_MESSAGES: "fr_CA", LANG: "de" }, "fr-CA"],
    [undefined, { LC_ALL: "C.UTF-8", LANG: "de" }, "en"],
    [undefined, { LANG: "POSIX" }, "en"],
    [undefined, { LANG: "nl_NL.UTF-8" }, "en"],
    ["ja", { LANG: "de" }, "ja"],
    ["ar-EG", {}, "ar-EG"],
  ])("of %s and %j is %s", (given, environment, language) => {
    const speech = speechOf(given, environment);
    expect(speech.language).toBe(language);
    expect(speech.words.say("done")).toBe(WORDINGS[language.slice(0, 2) as "en"].say("done"));
  });

  test.each(CATALOGUE_LANGUAGES)("%s has all sentences, each of its own", (language) => {
    const said = textsOf(WORDINGS[language]);
    expect(said.every((text) => text.trim() === text && text !== "")).toBe(true);
    if (language === "en") return;
    const english = new Set(textsOf(ENGLISH));
    // A word that two languages share is no sentence.
    expect(said.filter((text) => english.has(text) && text.includes(" "))).toEqual([]);
  });
});

/** Each text in each of its forms, but the name of an agent, which English and German make in the same way. */
function textsOf({ texts: { agentIn: _, ...texts } }: Wording): readonly string[] {
  return Object.values(texts).flatMap((text) => (typeof text === "string" ? [text] : Object.values(text)));
}
