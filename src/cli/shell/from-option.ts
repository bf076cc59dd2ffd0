import { Option } from "commander";

/** `--from COMMAND` of listeners, as often as there are commands. */
export function fromOption(): Option {
  return new Option("--from <command>", "follow the daemon that this command reaches: ssh HOST aaepd connect")
    .argParser((text: string, given: readonly string[] | undefined) => [...(given ?? []), text])
    .conflicts("socket");
}
