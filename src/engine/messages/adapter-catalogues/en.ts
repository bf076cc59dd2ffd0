import { createWording } from "../catalogues/wording.js";
import type { AdapterWords } from "./adapter-words.js";
import { titled } from "./titled.js";

const { plural } = createWording("en");

export const ENGLISH_ADAPTER: AdapterWords = {
  agentIn: (host, folder) => `${host} in ${folder}`,
  runs: {
    read: (what) => `Reads ${what}`,
    edit: (what) => `Edits ${what}`,
    delete: (what) => `Deletes ${what}`,
    move: (what) => `Moves ${what}`,
    execute: (what) => `Runs ${what}`,
    fetch: (what) => `Fetches ${what}`,
  },
  asks: {
    read: (what) => `Read ${what}`,
    edit: (what) => `Edit ${what}`,
    delete: (what) => `Delete ${what}`,
    move: (what) => `Move ${what}`,
    execute: (what) => `Run ${what}`,
    fetch: (what) => `Fetch ${what}`,
  },
  use: (tool) => `Use ${tool}`,
  moreLines: (count) => plural(count, { one: "and # more line", other: "and # more lines" }),
  moreCharacters: (count) => plural(count, { one: "and # more character", other: "and # more characters" }),
  moreFiles: (count) => plural(count, { one: "and # more file", other: "and # more files" }),
  labels: { command: "Command", folder: "Folder", file: "File", host: "Host", address: "Address", text: "New text" },
  agentSays: (description) => `As the agent says: ${description}`,
  noDetails: "The agent says no more about it.",
  leftOut: (count) =>
    plural(count, {
      one: "Not all of it is here: # character is left out.",
      other: "Not all of it is here: # characters are left out.",
    }),
  notAllRead: (action) => `Not all was read. Allow it all the same: ${action}`,
  works: "Works on your request.",
  done: "Done.",
  limitReached: "Stopped: it reached its limit.",
  refused: "It refused.",
  stopped: "Stopped.",
  failed: "It ended with an error.",
  signInNeeded: "It needs you to sign in.",
  exited: (how) => `The agent has ended unexpectedly: ${how}.`,
  exitCode: (number) => `code ${number}`,
  programEnded: (how) => `The program has ended: ${how}.`,
  usesTools: (server) => `Uses tools of ${server}.`,
  message: "A message.",
  waitsForPerson: "Waits for a person.",
  hostClosed: "The agent’s window was closed.",
  mode: (name) => `Mode: ${name}.`,
  compacting: "Compacts the conversation.",
  subagent: (title, words) => `${titled("Subagent", title)}: ${words}`,
  askedThere: (asking) => `${asking} Answer it in the agent’s own window.`,
  askedToOpen: (domain) => `It asks you to open ${domain} in the agent’s own window.`,
  question: "It asks a question.",
  waitsForYou: "Waits for you.",
  denied: (what) => `Denied: ${what}.`,
  searches: "Searches.",
};
