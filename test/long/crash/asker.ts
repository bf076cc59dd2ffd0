// The questions of one session: asked, waited for over breaks and kills, and what its agent was told of each.
import type { Message } from "../../support/oracles/wire-sniffer.js";
import { type AgentLink, refusalCode } from "./agent-links.js";
import { type AskedQuestion, outcomeLine } from "./record.js";

interface Open {
  readonly question: AskedQuestion;
  readonly event: Message;
  /** It was told that it was accepted: from then on the daemon must know it. */
  isAcknowledged: boolean;
  isOver: boolean;
  /** A call that waits for its outcome, on the link of now. */
  isCalled: boolean;
  /** It goes among what its agent publishes, and is published again with that. */
  readonly isPublished: boolean;
}

export interface AskerOptions {
  readonly sessionId: string;
  /** Members that calls outside of the link's own connection need. */
  readonly shown: () => Message;
  /** `resume_token` of the session. */
  readonly proof: () => Message;
  /** Whether the session's last word, which goes another way than a call, may have come before a call that was made before it. */
  readonly isOvertaken: () => boolean;
  readonly accidents: string[];
  readonly questions: AskedQuestion[];
  readonly openQuestions: Set<AskedQuestion>;
}

export interface Asker {
  /** Notes a question that is published as an event of its own; `acknowledged` when it was. */
  readonly noted: (event: Message) => { readonly acknowledged: () => void };
  /** Asks by a call that waits. Does not wait. */
  readonly call: (event: Message, link: AgentLink) => void;
  /** On a new link: asks how each stands, and anew what the daemon never had. Rejects where the link is lost. */
  readonly resumed: (link: AgentLink) => Promise<void>;
  /** Takes what came by itself, and asks how the others stand. Rejects where the link is lost. */
  readonly look: (link: AgentLink) => Promise<void>;
  readonly isSettled: () => boolean;
  /** Nobody will ask any more. */
  readonly forget: () => void;
}

export function createAsker(options: AskerOptions): Asker {
  const { sessionId, shown, proof, isOvertaken, accidents, questions, openQuestions } = options;
  const all: Open[] = [];

  const note = (event: Message, isPublished: boolean): Open => {
    const { reply_token: token, event_id: eventId } = event;
    const question: AskedQuestion = {
      token: String(token),
      eventId: String(eventId),
      sessionId,
      openAtKills: 0,
      reports: [],
      countedReplies: [],
      forgotten: 0,
    };
    const open: Open = { question, event, isAcknowledged: false, isOver: false, isCalled: false, isPublished };
    all.push(open);
    questions.push(question);
    return open;
  };

  const report = (open: Open, by: string, outcome: Message): void => {
    open.isOver = true;
    openQuestions.delete(open.question);
    open.question.reports.push({ by, outcome: outcomeLine(outcome) });
  };

  const neverAsked = ({ question }: Open): void => {
    questions.splice(questions.indexOf(question), 1);
    openQuestions.delete(question);
  };

  const call = (open: Open, link: AgentLink): void => {
    open.isCalled = true;
    const isConfirmation = open.event.type === "aaep:agent.awaiting.confirmation";
    const { type: _, ...fields } = open.event;
    link.request(isConfirmation ? "aaep.confirm" : "aaep.clarify", { ...fields, ...shown() }).then(
      (outcome) => report(open, "call", outcome),
      (caught: unknown) => {
        open.isCalled = false;
        const code = refusalCode(caught);
        if (code === undefined) return;
        open.isOver = true;
        if (code === "session_ended" && !open.isAcknowledged && isOvertaken()) neverAsked(open);
        else accidents.push(`${open.question.token} of ${sessionId} was refused: ${String(caught)}`);
      },
    );
  };

  const stand = async (open: Open, link: AgentLink): Promise<void> => {
    try {
      const state = await link.request("aaep.outcome_of", { reply_token: open.question.token, ...proof() });
      // That it is open may be said before it is safe; how it ended may not.
      if (state.state === "open") openQuestions.add(open.question);
      else {
        open.isAcknowledged = true;
        report(open, "outcome_of", state);
      }
    } catch (caught) {
      if (refusalCode(caught) !== "not_found") throw caught;
      if (!open.isAcknowledged) {
        if (!open.isCalled) call(open, link);
        return;
      }
      open.question.forgotten += 1;
      open.isOver = true;
      openQuestions.delete(open.question);
    }
  };

  const takeTold = (link: AgentLink): void => {
    for (const outcome of link.outcomes()) {
      const open = all.find(({ question }) => question.token === outcome.reply_token);
      if (open !== undefined) report(open, "notification", outcome);
    }
  };

  return {
    noted: (event) => {
      const open = note(event, true);
      return {
        acknowledged: () => {
          open.isAcknowledged = true;
          if (!open.isOver) openQuestions.add(open.question);
        },
      };
    },
    call: (event, link) => call(note(event, false), link),
    resumed: async (link) => {
      // What has ended must have ended in the same way still.
      for (const open of all) open.isCalled = false;
      for (const open of all) if (open.isAcknowledged || !open.isPublished) await stand(open, link);
    },
    look: async (link) => {
      takeTold(link);
      for (const open of all) if (!open.isOver) await stand(open, link);
      takeTold(link);
    },
    isSettled: () => all.every(({ isOver }) => isOver),
    forget: () => {
      for (const { question } of all) openQuestions.delete(question);
    },
  };
}
