import { describe, expect, it } from "vitest";
import { type EndedSession, EndedSessions } from "../../../src/engine/sessions/ended-sessions.js";
import { createStage } from "../../support/rigs/session-stage.js";

function ended(index: number, textLength = 10): EndedSession {
  const sessionId = `sess_${index}`;
  return {
    sessionId,
    owner: undefined,
    tokenHash: `rst_${index}`,
    endedAt: index,
    terminal: {
      kind: "session.completed",
      source: undefined,
      at: index,
      ordinal: 2,
      made: undefined,
      epoch: index,
      event: {
        "@context": "https://aaep-protocol.org/context/v1",
        type: "aaep:agent.session.completed",
        event_id: `evt_${index}`,
        session_id: sessionId,
        timestamp: "2026-05-24T14:22:11.342Z",
        producer: { agent_id: "planner" },
        extensions: { acme: { text: "x".repeat(textLength) } },
      },
    },
  };
}

describe("R17: how sessions ended is remembered within bounds", () => {
  it("R17: 4,096 of them at most, the newest", () => {
    const forgotten: string[] = [];
    const sessions = new EndedSessions((sessionId) => forgotten.push(sessionId));
    for (let index = 0; index < 5000; index += 1) sessions.add(ended(index));
    expect(sessions.terminals()).toHaveLength(4096);
    expect([sessions.find("sess_903"), sessions.find("sess_904")?.sessionId]).toEqual([undefined, "sess_904"]);
    expect(forgotten).toHaveLength(904);
  });

  it("R17: and 4 MiB of last events", () => {
    const sessions = new EndedSessions(() => undefined);
    for (let index = 0; index < 200; index += 1) sessions.add(ended(index, 60_000));
    const kept = sessions.terminals();
    expect(kept.length * 60_000).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(kept.length).toBeGreaterThan(60);
    expect(kept.at(-1)?.event.session_id).toBe("sess_199");
  });

  it("R17: whoever keeps something of a forgotten session is told, and its reply tokens stay used (AAEP §6.2)", () => {
    const forgotten: string[] = [];
    const stage = createStage({ forgotten: (sessionId) => forgotten.push(sessionId) });
    const live = (id: string, token: string): void => {
      stage.publish("session.started", { session_id: id });
      stage.publish("awaiting.clarification", { session_id: id, reply_token: token });
      stage.publish("session.cancelled", { session_id: id });
    };
    live("first", "rpl_once");
    for (let index = 0; index < 4096; index += 1) live(`s${index}`, `rpl_${index}`);
    expect(forgotten).toEqual(["first"]);
    expect(() => live("again", "rpl_once")).toThrow("new reply_token");
  });
});
