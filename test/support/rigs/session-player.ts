// Plays the steps of session-plans.ts with the daemon's sessions, and says what came of each.
import assert from "node:assert/strict";
import { Fault } from "../../../src/base/errors.js";
import { isTerminalKind, type NewEvent } from "../../../src/engine/event/event.js";
import type { Change } from "../../../src/engine/sessions/change.js";
import { sentHash } from "../../../src/engine/sessions/published-event.js";
import type { Told } from "../oracles/session-oracle.js";
import { DOES, SAYS, type Step, WHO, type Who } from "../oracles/session-plans.js";
import { createKeptState } from "./kept-state.js";
import { createStage, eventOf, type Fields, hashOf, SESSION } from "./session-stage.js";

export function createSessionPlayer() {
  const durableState = createKeptState();
  const asked = new Set<string>();
  let stage = createStage({ durableState, asked });
  const connections = [{}, { name: "first" }, { name: "second" }] as const;
  let resumeToken = "";
  let ordinal = 0;

  const lineOf = ({ event, made }: NewEvent): string => {
    const kind = event.type.replace("aaep:agent.", "");
    const { from_state: from, to_state: to, tool, tool_call_id: call, status, reply_token: token } = event;
    const { chunk, position, complete, output_id: output, error_category: category, error_code: code } = event;
    const details: Readonly<Record<string, string>> = {
      "state.changed": ` ${from}>${to}`,
      "tool.invoked": ` ${tool} ${call}`,
      "tool.completed": ` ${tool} ${call} ${status}`,
      "output.streaming": ` ${output} ${position} ${chunk} ${complete}`,
      "session.errored": ` ${category} ${code}`,
      "awaiting.confirmation": ` ${token}`,
      "awaiting.clarification": ` ${token}`,
    };
    const { agent_id: agent } = event.producer;
    const said = `${kind}${details[kind] ?? ""}`;
    const { asks, decision, decided_by: by } = event.extensions?.aaepd ?? {};
    const marks = [asks, decision, by, event.summary_normal].filter((one) => one !== undefined);
    if (made !== undefined) return `${made} for ${agent}: ${[said, ...marks].join(" ")}`;
    const { primary_language: language } = event.localization_hints ?? {};
    return `${agent}: ${said}${language === undefined ? "" : `, in ${language}`}`;
  };

  /** What every change is held to, beside what the oracle says of it. */
  const check = ({ events, withdrawn = [], ended = [], asked = [] }: Change): void => {
    for (const { event, ordinal: its, made } of events) {
      ordinal += 1;
      assert.equal(its, ordinal);
      assert.equal(event.sequence_number, undefined);
      assert.equal(event.extensions?.aaepd?.by, made === undefined ? undefined : "daemon");
    }
    const resolutions = events.filter(({ made }) => made === "resolution");
    assert(resolutions.every(({ event }) => event.urgency === "critical"));
    if (withdrawn.length > 0)
      assert.deepEqual(
        resolutions.map(({ event }) => event.extensions?.aaepd?.question),
        withdrawn.map(({ event }) => event.event_id),
      );
    assert.equal(
      ended.length > 0,
      events.some(({ kind }) => isTerminalKind(kind)),
    );
    assert.deepEqual(
      asked.map(({ event }) => event),
      events.flatMap(({ event, kind }) => (kind.startsWith("awaiting.") ? [event] : [])),
    );
  };

  const publish = (step: Step): readonly string[] => {
    const said = [step].flat() as readonly string[];
    const inputs = said.map((one) => {
      const [who, words = ""] = one.split(": ") as [Who, string?];
      const [kind, fields, id] = SAYS[words] ?? ["", {}];
      const { agent, ...by } = WHO[who];
      return { ...by, sent: eventOf(kind, { ...fields, ...(id && { event_id: id }), producer: { agent_id: agent } }) };
    });
    const [first] = inputs;
    const change = stage.publishAll(
      inputs.map(({ sent }) => sent),
      {
        connection: connections[first?.connection ?? 0],
        agentLanguage: first?.language,
        resumeToken: first?.hasToken ? resumeToken : undefined,
        isArray: typeof step !== "string",
      },
    );
    check(change);
    const lines: string[] = [];
    let told = 0;
    for (const [index, answer] of change.answers.entries()) {
      if (answer.kind !== "accepted") {
        const hasToken = answer.kind === "repeated" && answer.resumeToken !== undefined;
        // The daemon's events before an absorbed one stand before its answer.
        lines.push(`${answer.kind}${hasToken ? " with its token" : ""}`);
        if (hasToken) assert.equal(answer.resumeToken, resumeToken);
        continue;
      }
      if (answer.resumeToken !== undefined) resumeToken = answer.resumeToken;
      lines.push(...change.events.slice(told, answer.index + 1).map(lineOf));
      told = answer.index + 1;
      const [made, sent] = [change.events[answer.index], inputs[index]?.sent];
      if (made !== undefined && sent !== undefined)
        stage.published.set(made.event.event_id, { ...made, sent: sentHash(JSON.stringify(sent), hashOf), epoch: 0 });
    }
    if (change.adopted !== undefined) lines.push("adopted");
    return lines;
  };

  /** Another daemon with what the one before has kept. */
  const restart = (): void => {
    const questions = (stage.sessions.summary(SESSION)?.openQuestions ?? []).map((question) => ({ question }));
    const { log, published, now, wallTime } = stage;
    stage = Object.assign(createStage({ durableState, asked }), { log, published });
    assert.deepEqual(stage.sessions.restore(questions, { now, wallTime }), questions);
  };

  const act = (step: string): readonly string[] => {
    const { connection = 0, abandons, token = "", outcome, isDefault = false } = DOES[step] ?? {};
    const { sessions } = stage;
    const one = connections[connection] ?? connections[0];
    let change: Change | undefined;
    if (abandons === true) change = sessions.abandon(SESSION, stage.context());
    else if (outcome !== undefined) {
      const isAcceptedByReply = outcome === "accepted" && !isDefault;
      const summary = { summary_normal: "Answered." };
      const resolution = { token, outcome, isAcceptedByReply, isRejected: outcome === "rejected", summary };
      change = sessions.resolve(SESSION, token, resolution, stage.context());
    } else if (step === "the daemon restarts") restart();
    else if (step.endsWith("vanishes")) return sessions.owners.release(one).map(() => "left");
    else sessions.resume(SESSION, step.endsWith("guesses") ? "a guess" : resumeToken, one);
    if (change === undefined) return [];
    check(stage.filed(change));
    return change.events.map(lineOf);
  };

  const standing = (): Fields | undefined => {
    const summary = stage.sessions.summary(SESSION);
    if (summary === undefined) return undefined;
    const { agents, state, openTools, openOutputs, openQuestions, outcomes, eventCount, isAgentConnected } = summary;
    return {
      states: agents.map(({ producer, state: its }) => `${producer.agent_id} ${its}`),
      state,
      tools: openTools.map(({ producer, tool, toolCallId }) => `${producer.agent_id} ${tool} ${toolCallId}`),
      outputs: openOutputs.map(({ outputId, position }) => `${outputId} ${position}`),
      questions: openQuestions.map(({ token }) => token),
      outcomes: outcomes.map(({ token, outcome }) => `${token} ${outcome}`),
      eventCount,
      isAgentConnected,
    };
  };

  return {
    play: (step: Step): Told => {
      let lines: readonly string[];
      try {
        lines = typeof step === "string" && step in DOES ? act(step) : publish(step);
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        assert.match(caught.rule ?? "", /^AAEP §|^R\d/);
        assert.match(caught.sentence, /^[A-Z].*\.$/);
        lines = [`${caught.code} ${caught.pointer ?? ""}`];
      }
      return { lines, session: standing() };
    },
  };
}
