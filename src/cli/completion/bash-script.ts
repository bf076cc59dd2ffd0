// The completions for bash, 3.2 and later.
import { allNodes, type CommandNode, type OptionNode, type Values } from "./command-tree.js";

/** Returns the whole script. */
export function bashScript(program: CommandNode): string {
  const nodes = allNodes(program);
  return `# Completes aaepd in bash. Written by: aaepd completion bash

# Offers those of the words that begin as the current one does.
_aaepd_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$*" -- "$current"))
}

# Offers no files where there is nothing to complete. Bash 3.2 has no compopt, and offers them.
_aaepd_nothing() {
  compopt +o default 2>/dev/null
}

_aaepd_folders() {
  compopt +o default -o dirnames 2>/dev/null
}

# Offers the values of the option $1 of the command. Fails if that is no option with a value.
_aaepd_values() {
  case "$command $1" in
${nodes.flatMap((node) => node.options.flatMap((option) => valueCases(node, option))).join("\n")}
    *) return 1 ;;
  esac
  return 0
}

_aaepd() {
  local current previous command word index
  COMPREPLY=()
  current=\${COMP_WORDS[COMP_CWORD]}
  previous=\${COMP_WORDS[COMP_CWORD - 1]}
  # Bash takes --option=value for three words.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" && $COMP_CWORD -gt 2 ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  command=
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$command:$word" in
${nodes
  .filter(({ path }) => path.length > 0)
  .map(pathCase)
  .join("\n")}
    esac
  done
  _aaepd_values "$previous" && return
  case "$command" in
${nodes.map(commandCase).join("\n")}
  esac
}

complete -o default -F _aaepd aaepd
`;
}

function pathCase({ path }: CommandNode): string {
  return `      ${quoted(`${path.slice(0, -1).join(" ")}:${path.at(-1)}`)}) command=${quoted(path.join(" "))} ;;`;
}

/** A value that may be left out is not waited for: the next word may be an option. */
function valueCases({ path }: CommandNode, { short, long, values, isOptional }: OptionNode): readonly string[] {
  if (values === undefined || isOptional) return [];
  const names = [short, long].flatMap((name) => (name === undefined ? [] : quoted(`${path.join(" ")} ${name}`)));
  return [`    ${names.join(" | ")}) ${offer(values)} ;;`];
}

function commandCase(node: CommandNode): string {
  const { path, options, values, commands } = node;
  const names = options.flatMap(({ short, long }) => [short ?? [], long].flat());
  const words = commands.flatMap((one) => one.path.at(-1) ?? []);
  const [first] = values;
  const other =
    words.length > 0 ? `_aaepd_words ${words.join(" ")}` : first === undefined ? "_aaepd_nothing" : offer(first);
  return [
    `    ${quoted(path.join(" "))})`,
    `      if [[ $current == -* ]]; then _aaepd_words ${names.join(" ")}; else ${other}; fi`,
    "      ;;",
  ].join("\n");
}

/** Words that do not fit leave the field to files, where files are due. */
function offer({ words, files }: Values): string {
  const calls = [
    ...(files === "none" ? ["_aaepd_nothing"] : files === "folders" ? ["_aaepd_folders"] : []),
    ...(words.length === 0 ? [] : [`_aaepd_words ${words.join(" ")}`]),
  ];
  return calls.length === 0 ? ":" : calls.join("; ");
}

function quoted(text: string): string {
  return `"${text}"`;
}
