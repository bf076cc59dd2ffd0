// The completions for fish, 3.0 and later.
import { allNodes, type CommandNode, type OptionNode, type Values } from "./command-tree.js";

/** Returns the whole script. */
export function fishScript(program: CommandNode): string {
  const nodes = allNodes(program);
  return `# Completes aaepd in fish. Written by: aaepd completion fish

# Succeeds if the line before the cursor names this command, as in: __aaepd_at journal inspect
function __aaepd_at
    set -l words (commandline -opc)
    set -l named ""
    for word in $words[2..-1]
        switch "$named:$word"
${nodes
  .filter(({ path }) => path.length > 0)
  .map(pathCase)
  .join("\n")}
        end
    end
    test "$named" = "$argv"
end

complete -c aaepd -f
${nodes.flatMap(linesOf).join("\n")}
`;
}

function pathCase({ path }: CommandNode): string {
  return [
    `            case ${quoted(`${path.slice(0, -1).join(" ")}:${path.at(-1)}`)}`,
    `                set named ${quoted(path.join(" "))}`,
  ].join("\n");
}

function linesOf(node: CommandNode): readonly string[] {
  const { path, options, values, commands } = node;
  const at = `complete -c aaepd -n ${quoted(["__aaepd_at", ...path].join(" "))}`;
  const [first] = values;
  return [
    ...commands.map((one) => `${at} -a ${one.path.at(-1)} -d ${quoted(one.description)}`),
    ...options.map((option) => `${at} ${optionText(option)}`),
    ...(first === undefined ? [] : [`${at} ${valueText(first)}`.trimEnd()]),
  ];
}

function optionText({ short, long, description, values, isOptional }: OptionNode): string {
  const names = [...(short === undefined ? [] : [`-s ${short.slice(1)}`]), `-l ${long.slice(2)}`].join(" ");
  const value = values === undefined || isOptional ? "" : ` -r ${valueText(values)}`;
  return `${names}${value.trimEnd()} -d ${quoted(description)}`;
}

function valueText({ words, files }: Values): string {
  const offered = [...words, ...(files === "folders" ? ["(__fish_complete_directories)"] : [])];
  const listed = offered.length === 0 ? [] : [`-a ${quoted(offered.join(" "))}`];
  return [files === "files" ? "-F" : "-f", ...listed].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
