// The word "stop": a person stops an agent (R39). Open sessions have numbers, which a first "stop" tells, so that no word alone stops anything.
import type { Envelope } from "#gen/aaep/types.js";
import { keepNewest } from "../../base/keep-newest.js";
import { agentText, shownName } from "../terminal/agent-text.js";
import { endsSession } from "../terminal/event-text.js";

/** The daemon of a session. */
export interface StopSource {
  /** Name of the daemon, if several are followed. */
  readonly label: string;
  /** Asks the agent of a session to stop. False if there is no subscription at the moment. */
  readonly stop: (sessionId: string) => boolean;
}

export type StopDesk = ReturnType<typeof createStopDesk>;

interface Session {
  readonly source: StopSource;
  readonly id: string;
  readonly agent: string;
}

/** Most sessions that are remembered; the oldest is forgotten first. */
const MOST_SESSIONS = 1024;

export function createStopDesk(say: (line: string) => void) {
  const open = new Map<StopSource, Map<string, Session>>();
  /** As the person has heard it. */
  let listed: readonly Session[] = [];
  /** The session whose stop was sent last. Only a refusal is answered, at once. */
  const sent = new WeakMap<StopSource, Session>();

  const all = (): readonly Session[] => [...open.values()].flatMap((sessions) => [...sessions.values()]);
  const isOpen = ({ source, id }: Session): boolean => open.get(source)?.has(id) === true;

  function list() {
    listed = all();
    const [first] = listed;
    if (first === undefined) return say("No agent is heard at the moment.");
    if (listed.length === 1) return say(`Type stop 1 to stop ${nameIn(first)}.`);
    for (const [index, one] of listed.entries()) say(`${index + 1} is ${nameIn(one)}.`);
    say("Type stop and a number, as in stop 1.");
  }

  return {
    heard: (source: StopSource, event: Envelope): void => {
      const { session_id: id, producer } = event;
      const sessions = open.get(source) ?? new Map<string, Session>();
      open.set(source, sessions);
      if (endsSession(event)) sessions.delete(id);
      else if (!sessions.has(id)) {
        sessions.set(id, { source, id, agent: shownName({ producer }) });
        keepNewest(sessions, MOST_SESSIONS);
      }
    },
    /** Forgets the sessions of a daemon that is not followed any more. */
    forget: (source: StopSource) => void open.delete(source),
    /** Takes "stop", or "stop" with a number of the last list. */
    typed: (number: number | undefined) => {
      const one = number === undefined ? undefined : listed[number - 1];
      if (one === undefined) return list();
      if (!isOpen(one)) say(`${nameIn(one)} has ended already.`);
      else if (one.source.stop(one.id)) {
        sent.set(one.source, one);
        say(`Sent: stop ${nameIn(one)}.`);
      } else say("Not sent: there is no connection at the moment.");
    },
    /** The daemon has refused the stop that was sent last. `isStillOpen`: its agent cannot be asked. False if none was sent. */
    refused: (source: StopSource, isStillOpen: boolean): boolean => {
      const one = sent.get(source);
      if (one === undefined) return false;
      sent.delete(source);
      const why = isStillOpen ? "cannot be stopped from here: press Esc in its own window" : "has ended already";
      say(`${nameIn(one)} ${why}.`);
      return true;
    },
  };
}

function nameIn({ agent, source }: Session): string {
  const place = agentText(source.label);
  return place === "" || place === agent ? agent : `${agent}, at ${place}`;
}
