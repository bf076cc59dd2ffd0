// The options of `aaepd speak` that may stand in its file, too.
import { InvalidArgumentError, Option } from "commander";
import { fromOptions } from "../shell/option-values.js";
import { MODES } from "./narration-table.js";

export function speakOptions(): readonly Option[] {
  return [
    new Option("-m, --mode <mode>", "what is said").choices(MODES).default("done"),
    new Option(
      "--aloud <what>",
      "all; names: who and what happens, without the agents' words; none: only answers to keys",
    )
      .choices(["all", "names", "none"])
      .default("all"),
    new Option("--rate <n>", "how fast, from -100 to 100 (default: Speech Dispatcher's)").argParser(fromMinus100),
    new Option("--volume <n>", "how loud, from -100 to 100 (default: Speech Dispatcher's)").argParser(fromMinus100),
    new Option("--voice <name>", "a voice of the synthesizer (default: Speech Dispatcher's)").argParser(oneLine),
    new Option("--code <how>", "blocks of code").choices(["announce", "read", "skip"]).default("announce"),
    new Option("--links <how>", "links: their text, the host too, or the whole address")
      .choices(["text", "host", "full"])
      .default("host"),
    new Option("--emoji <how>", "emoji").choices(["name", "drop"]).default("name"),
    new Option("--to <way...>", "command CMD: the program that speaks"),
    new Option("--braille", "show a line on the braille display of BRLTTY, while the display is taken"),
    new Option("--no-speech", "speak nothing; keys print their answers"),
    new Option("-s, --socket <path>", "follow only the daemon at this socket"),
    ...fromOptions(),
  ];
}

function fromMinus100(text: string): number {
  const value = /^[+-]?\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(value) <= 100) return value;
  throw new InvalidArgumentError("Give a whole number from -100 to 100.");
}

function oneLine(text: string): string {
  if (/^[^\r\n]{1,200}$/.test(text)) return text;
  throw new InvalidArgumentError("Give the name of a voice.");
}
