// The names of languages of code, by the words behind a fence.

const NAMES: Readonly<Record<string, string>> = {
  bash: "shell",
  c: "C",
  cpp: "C++",
  "c++": "C++",
  cs: "C#",
  csharp: "C#",
  css: "CSS",
  go: "Go",
  html: "HTML",
  java: "Java",
  javascript: "JavaScript",
  js: "JavaScript",
  json: "JSON",
  jsx: "JavaScript",
  kotlin: "Kotlin",
  kt: "Kotlin",
  markdown: "Markdown",
  md: "Markdown",
  php: "PHP",
  powershell: "PowerShell",
  py: "Python",
  python: "Python",
  rb: "Ruby",
  rs: "Rust",
  ruby: "Ruby",
  rust: "Rust",
  sh: "shell",
  shell: "shell",
  sql: "SQL",
  swift: "Swift",
  toml: "TOML",
  ts: "TypeScript",
  tsx: "TypeScript",
  typescript: "TypeScript",
  xml: "XML",
  yaml: "YAML",
  yml: "YAML",
  zsh: "shell",
};
const LONGEST = 40;

/** The name in a fence's info string; empty where it names none. */
export function codeName(info: string): string {
  const word = /^[{.]*([^\s{},.:]*)/.exec(info.trim())?.[1] ?? "";
  const key = word.toLowerCase();
  if (key === "text" || key === "txt" || key === "plain" || key === "plaintext") return "";
  return Object.hasOwn(NAMES, key) ? (NAMES[key] ?? "") : word.slice(0, LONGEST);
}
