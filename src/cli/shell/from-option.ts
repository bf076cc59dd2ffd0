import { Option } from "commander";

/** For commander: an option that may be given several times. */
export function repeated(text: string, given: readonly string[] | undefined): readonly string[] {
  return [...(given ?? []), text];
}

/** `--from COMMAND` of listeners, as often as there are commands, and `--local` for the daemons here beside them. */
export function fromOptions(): readonly Option[] {
  return [
    new Option("--from <command>", "follow the daemon that this command reaches: ssh HOST aaepd connect")
      .argParser(repeated)
      .conflicts("socket"),
    new Option("--local", "with --from: follow the daemons here, too"),
  ];
}
