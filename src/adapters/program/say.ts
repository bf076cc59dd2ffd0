// `aaepd say`: a text of a person or a script, in a session of its own.
import { openAgent } from "../../client/node.js";
import type { Speech } from "../language.js";

export interface SayOptions {
  /** The text, in pieces that may end anywhere. */
  readonly pieces: AsyncIterable<string> | readonly string[];
  /** The name for people. */
  readonly name: string;
  readonly speech: Speech;
  /** The daemon's socket. Default: the usual one. */
  readonly socket: string | undefined;
  /** Receives each fault of aaepd. Must not throw. */
  readonly onFault: (caught: unknown) => void;
}

/** Says the text, and resolves when a daemon has it: "said", or "unheard" if there is none. The text is then read all the same, and dropped. */
export async function say({ pieces, name, speech, socket, onFault }: SayOptions): Promise<"said" | "unheard"> {
  const { words, language } = speech;
  const agent = await openAgent({
    id: "say",
    name,
    language,
    ...(socket === undefined ? {} : { socket }),
    // A daemon of its own would be found by nobody in time.
    spawn: false,
    onError: ({ fault }) => onFault(fault),
  });
  const isHeard = agent.status.kind !== "silent";
  try {
    const session = agent.session(words.say("message"));
    await session.say(pieces);
    session.complete(words.say("done"));
  } finally {
    await agent.close();
  }
  return isHeard ? "said" : "unheard";
}
