// The completions for zsh.
import { allNodes, type CommandNode, type OptionNode, type Values } from "./command-tree.js";

/** Returns the whole script: a function for each command. It may be read by the completion system or by `source`. */
export function zshScript(program: CommandNode): string {
  const functions = allNodes(program).map((node) =>
    node.commands.length > 0 ? commandGroup(node) : singleCommand(node),
  );
  return `#compdef aaepd
# Completes aaepd in zsh. Written by: aaepd completion zsh

${functions.join("\n\n")}

# The completion system calls this file as a function; otherwise the file is read once.
if [[ \${funcstack[1]} == _aaepd ]]; then
  _aaepd "$@"
else
  compdef _aaepd aaepd
fi
`;
}

function commandGroup(node: CommandNode): string {
  const entries = node.commands.map(({ path, description }) => `    ${quoted(`${path.at(-1)}:${description}`)}`);
  const options = node.options.map((option) => `    ${optionSpec(option)} \\\n`);
  const cases = node.commands.map((one) => `        ${one.path.at(-1)}) ${functionName(one)} ;;`);
  return `${functionName(node)}() {
  local curcontext="$curcontext" state state_descr line
  local -A opt_args
  local -a subcommands
  subcommands=(
${entries.join("\n")}
  )
  _arguments -C \\
${options.join("")}    '1: :->command' \\
    '*:: :->rest' && return
  case $state in
    command) _describe -t commands 'command' subcommands ;;
    rest)
      case $words[1] in
${cases.join("\n")}
      esac
      ;;
  esac
}`;
}

function singleCommand(node: CommandNode): string {
  const { options, values } = node;
  const specs = [
    ...options.map(optionSpec),
    ...values.map((one, index) => quoted(`${index === values.length - 1 ? "*" : index + 1}:${valueSpec(one)}`)),
  ];
  return `${functionName(node)}() {
  _arguments \\
${specs.map((spec) => `    ${spec}`).join(" \\\n")}
}`;
}

function functionName({ path }: CommandNode): string {
  return ["_aaepd", ...path].join("_");
}

/** Both names exclude each other. A long name takes its value as another word or behind an equals sign. */
function optionSpec({ short, long, description, values, isOptional }: OptionNode): string {
  const said = `[${escaped(description, "[]:\\")}]`;
  const value = values === undefined ? "" : `${isOptional ? ":" : ""}:${valueSpec(values)}`;
  const names = values === undefined ? [short, long] : [short === undefined ? undefined : `${short}+`, `${long}=`];
  const [shortName, longName] = names;
  if (shortName === undefined) return quoted(`${longName}${said}${value}`);
  return `${quoted(`(${short} ${long})`)}{${shortName},${longName}}${quoted(`${said}${value}`)}`;
}

/** "message:action" */
function valueSpec({ name, words, files }: Values): string {
  return `${escaped(name, ":\\")}:${action(words, files)}`;
}

function action(words: readonly string[], files: Values["files"]): string {
  const paths = { files: "_files", folders: "_files -/", none: "" }[files];
  if (words.length === 0) return paths === "" ? " " : paths;
  return paths === "" ? `(${words.join(" ")})` : `{ compadd ${words.join(" ")}; ${paths} }`;
}

function escaped(text: string, special: string): string {
  return [...text].map((character) => (special.includes(character) ? `\\${character}` : character)).join("");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
