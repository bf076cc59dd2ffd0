import { type Command, Option } from "commander";
import { addCapabilityOptions } from "../shell/capability-options.js";
import { fromOptions, share, textList, wholeNumber } from "../shell/option-values.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { TailOptions } from "./tail-options.js";

const HELP = `
Without --socket the command follows the daemon that AAEPD_SOCKET names. Without that variable it follows every daemon of this user, also those that
start later.

Events go to standard output, one a line. Connection messages go to standard error, and so do the questions of --interactive. A line names its agent
if the line before was about another one, and its daemon if several are followed and that changes. Text
is shown with all its words, and without marks of Markdown; --json has it as it is. Lines of the daemon and of the command begin with a dot (·); no line
of an agent does.

--only takes the words with which lines begin (started, state, progress, tool, text, confirm, question, handoff, completed, cancelled, error), types of
events with a colon and perhaps a * at the end, and names or ids of agents. It hides everything else, critical events as well. The word critical leaves
them in.

If you name no socket, the command waits for daemons. A named daemon must run at the start, otherwise the command ends with 69. If the daemon goes
away later, the command waits for it to come back. --no-reconnect ends the command instead.

With --interactive, one question is asked at a time, in plain lines. The lines of the agents go on meanwhile; what you have typed of a line stays
typed. Type the answer that the question's last line asks for:
  yes or accept   agrees to a confirmation; only the whole word does
  no or reject    refuses it
  c1              takes choice 1, where a bare number would be an answer of its own
  =text           sends the text or number itself
  an empty line   answers nothing
  r               repeats the question
  d               tells details
  spell           tells the texts of the question letter by letter
  t               tells the time left
  s               leaves the question for later
  l               lists the open questions
  o 2             asks question 2 now
  leave           leaves the question to the agent's own window, if it has one
  stop            tells which agents can be stopped, with a number each
  stop 1          asks agent 1 of that list to stop
  ?               tells the words about what is shown, as aaepd speak has them: hush, skip, again, back, where, pause, resume, mute
  /stop           is the word stop where you are asked for words of your own; so is /hush, and each other word
  h               explains more
An agent of which nothing was shown for 30 seconds is told to be still at work, then each time after twice as long, except with --only and --json.
When a question ends without your answer, press Enter before you answer the next one. The first line after the end is not sent, because you may have
begun it for the old question. An answer in the first second of a question is not sent either, because nobody can have heard the question yet. Type it
again. Answers may be piped in, one a line. They count at once. A command that an agent has started does not answer.

With --akashik, the command is an agent of the Akashik Field, and prints what it is told. It leaves the Field at its end. With --subscriber-id it stays,
and is told next time of what it missed.

To record a session for aaepd publish, start tail before the session.

Examples:
  aaepd tail                                    every event of every daemon
  aaepd tail --wpm 180 --verbosity terse        as a screen reader would hear it
  aaepd tail --rate 1 --max-chars 80            as a braille display would show it
  aaepd tail --boundaries none                  each token as it comes
  aaepd tail --include 'aaep:agent.session.*'   only beginnings, ends and critical events
  aaepd tail --only text,Librarian              only what the agent Librarian writes
  aaepd tail --languages yo,en                  in Yoruba if there is any, otherwise in English
  aaepd tail --interactive                      answers the agents' questions, h explains how
  aaepd tail --json -b none --verbosity detailed --confirmations --clarifications > session.ndjson   a recording, for aaepd publish
  aaepd tail --json | jq -r .type               events as JSON, for other programs
  aaepd tail --akashik --interests prices       the Akashik Field, with scores for this interest`;

/** The longest `debounce_ms` of Akashik: a day. */
const MOST_DEBOUNCE_MS = 86_400_000;

export function registerTail(program: Command, io: CommandIo): void {
  const command = program
    .command("tail")
    .summary("show events as a subscriber receives them, live")
    .description("Subscribes and shows the received events. Reconnects by itself and resumes at its place.")
    .option("-s, --socket <path>", "follow only the daemon at this socket")
    .addOption(new Option("--framing <name>", "how messages are cut").choices(["length-prefixed", "newline"]))
    .option("--json", "print each event as JSON, as it was received")
    .option("--label", 'with --json: print {"daemon": …, "event": …}')
    .option("--no-time", "begin lines without the time of day")
    .option("--no-agent", "name neither daemons nor agents")
    .option("--only <names>", "show only these kinds of events and these agents: text,question,Librarian", textList)
    .option("-q, --quiet", "print no connection messages")
    .option("--verbose", "print where the documentation explains an error")
    .option("-n, --count <n>", "end after n events", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option("--resume-after <cursor>", "begin after this cursor's place, instead of the cursor file's")
    .option("--cursor-file <path>", "keep the cursor in this file, and begin after its place next time")
    .option("-i, --interactive", "ask questions here, answered by a line each")
    .addOption(
      new Option("--code <how>", "blocks of code: named, read or passed over")
        .choices(["announce", "read", "skip"])
        .default("read"),
    )
    .addOption(
      new Option("--links <how>", "links: their text, with the host or with the whole address")
        .choices(["text", "host", "full"])
        .default("full"),
    )
    .addOption(new Option("--emoji <how>", "emoji: their names, or none").choices(["name", "drop"]).default("name"))
    .option("--no-reconnect", "end when the connection ends")
    .option("--subscriber-id <id>", "the subscriber's name in logs and status")
    .option("--subscriber-name <name>", "the subscriber's name for people", "aaepd tail");
  for (const option of fromOptions()) command.addOption(option);
  addCapabilityOptions(command);
  for (const option of fieldOptions()) command.addOption(option.helpGroup("The Field of Akashik:"));
  command
    .addHelpText("after", HELP)
    .action(async (options: TailOptions) => (await import("./tail-run.js")).runTail(options, io));
}

function fieldOptions(): readonly Option[] {
  return [
    new Option("--akashik", "follow the Akashik Field of the daemon instead of its events"),
    new Option("--interests <texts>", "what the Field compares its units with: market prices,rivals").argParser(
      textList,
    ),
    new Option("--min-relevance <n>", "least relevance, from 0 to 1").argParser(share),
    new Option(
      "--debounce <ms>",
      "at most one line for a unit, conflict, task, agent or session in this time",
    ).argParser(wholeNumber(0, MOST_DEBOUNCE_MS)),
  ];
}
