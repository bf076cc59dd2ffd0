// An agent that publishes one session after the other, whatever happens to the daemon: what was not acknowledged it says again, word for word, once
// it has taken its session over (R3, R8).

import type { Chance } from "../../support/chance.js";
import { STREAMING } from "../../support/oracles/delivery-facts.js";
import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { type AgentLink, type AgentTransport, openAgentLink, refusalCode } from "./agent-links.js";
import { createAsker } from "./asker.js";
import { type AskedQuestion, isTerminal, markOf, type Sent, type SentSession } from "./record.js";
import { planSession, type SessionPlan } from "./session-plan.js";

export interface AgentOptions {
  readonly name: string;
  readonly transport: AgentTransport;
  readonly daemon: MortalDaemon;
  readonly sniffer: WireSniffer;
  readonly chance: Chance;
  readonly sessions: SentSession[];
  readonly questions: AskedQuestion[];
  readonly openQuestions: Set<AskedQuestion>;
  readonly accidents: string[];
  readonly isStopping: () => boolean;
  /** How long a session waits for its agent (R8), ms. */
  readonly graceMs: number;
  /** Longest pause between two steps, ms. */
  readonly paceMs: number;
  /** How likely it is that it leaves a session. */
  readonly abandons: number;
}

const POLL_MS = 150;
const RETRY_MS = 20;

interface Batch {
  readonly events: readonly Message[];
  readonly sent: readonly Sent[];
  readonly acknowledged: () => void;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when it was asked to stop and its session has ended. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { name, transport, daemon, sniffer, chance, accidents, graceMs } = options;
  let link: { readonly agent: AgentLink; readonly run: number } | undefined;
  let sessionCount = 0;

  const connected = async (): Promise<{ readonly agent: AgentLink; readonly run: number }> => {
    for (;;) {
      if (link !== undefined) return link;
      await daemon.up();
      const run = daemon.run();
      try {
        link = { agent: await openAgentLink(transport, daemon, sniffer), run };
      } catch {
        await pause(RETRY_MS);
      }
    }
  };
  const disconnect = async (): Promise<void> => {
    await link?.agent.close();
    link = undefined;
  };

  while (!options.isStopping()) {
    sessionCount += 1;
    await play(planSession(`${name}S${sessionCount}`, name, chance, options.abandons));
    await pause(chance.between(0, options.paceMs));
  }
  await disconnect();

  async function play(plan: SessionPlan): Promise<void> {
    const session: SentSession = { id: plan.id, agent: name, events: [], lost: undefined };
    options.sessions.push(session);
    const lengths = new Map<string, number>();
    const unacknowledged: Batch[] = [];
    const inFlight: Promise<void>[] = [];
    const flight = transport === "connect" ? 1 : chance.between(1, 4);
    let failure: { readonly caught: unknown } | undefined;
    let { token } = plan;
    let isSeated = true;
    let lostAt = 0;
    const shown = (): Message => (transport === "socket" || token === undefined ? {} : { resume_token: token });
    const proof = (): Message => (token === undefined ? {} : { resume_token: token });
    const { questions, openQuestions } = options;
    // Over services a call that waits is an exchange of its own, beside the stream of what is published.
    const isOvertaken = (): boolean => transport !== "socket" && hasEnded();
    const asker = createAsker({ sessionId: plan.id, shown, proof, isOvertaken, accidents, questions, openQuestions });

    const sentOf = (event: Message): Sent => {
      const { event_id: id, type, chunk, output_id, complete } = event;
      const output = String(output_id ?? "");
      const from = lengths.get(output) ?? 0;
      const isText = type === STREAMING;
      if (isText) lengths.set(output, from + [...String(chunk)].length);
      const text = isText ? { output, from, chunk: String(chunk), completes: complete === true } : undefined;
      const mark = isText ? "" : markOf(event);
      const one = { id: String(id), type: String(type), sessionId: plan.id, text, mark };
      const sent: Sent = { ...one, epoch: undefined, ackedInRun: -1, otherEpochs: [] };
      session.events.push(sent);
      return sent;
    };

    const publish = async (batch: Batch, { agent, run }: NonNullable<typeof link>): Promise<void> => {
      const answer = await agent.publish(batch.events);
      const places = answer.events as readonly { readonly event_id: string; readonly epoch: number }[];
      for (const [index, sent] of batch.sent.entries()) {
        const place = places[index];
        if (place?.event_id !== sent.id) accidents.push(`${sent.id} was answered as ${place?.event_id}`);
        else if (sent.epoch === undefined) {
          sent.epoch = place.epoch;
          sent.ackedInRun = run;
        } else if (sent.epoch !== place.epoch) sent.otherEpochs.push(place.epoch);
      }
      if (typeof answer.resume_token === "string") token = answer.resume_token;
      batch.acknowledged();
      unacknowledged.splice(unacknowledged.indexOf(batch), 1);
    };

    /** Whether its last word was said: the daemon may know no more of it than that. */
    const hasEnded = (): boolean => session.events.some(({ type }) => isTerminal(type));

    const lose = (why: "grace" | "abandoned"): void => {
      session.lost = why;
      unacknowledged.length = 0;
      asker.forget();
    };

    const refused = (caught: unknown, what: string): void => {
      const code = refusalCode(caught);
      const awayMs = performance.now() - lostAt;
      // Whether it was for too long is the daemon's to say, where it can have been.
      if ((code === "session_ended" || code === "not_found") && lostAt > 0 && awayMs > graceMs * 0.8) lose("grace");
      else {
        accidents.push(
          `${what} of ${plan.id} was refused, ${Math.round(awayMs)} ms after its link was lost: ${String(caught)}`,
        );
        lose("grace");
      }
    };

    /** Until everything that was said is acknowledged, on a link that has the session. */
    const recover = async (): Promise<void> => {
      while (session.lost === undefined) {
        const here = await connected();
        try {
          await takeOver(here);
          const [batch] = unacknowledged;
          if (batch === undefined) {
            // Its start was answered and the answer lost on the way: its token is told to nobody else, and it ends for want of an agent (R8).
            if (token === undefined) lose("abandoned");
            else if (isSeated) return;
            continue;
          }
          try {
            await publish(batch, here);
          } catch (caught) {
            if (refusalCode(caught) === undefined) throw caught;
            if (refusalCode(caught) === "storage_unavailable") await pause(POLL_MS);
            else refused(caught, `a repeat of ${batch.sent[0]?.id}`);
          }
        } catch {
          if (isSeated) lostAt = performance.now();
          isSeated = false;
          await disconnect();
          await pause(chance.between(0, RETRY_MS));
        }
      }
    };

    const takeOver = async ({ agent }: NonNullable<typeof link>): Promise<void> => {
      if (isSeated || token === undefined) return;
      try {
        await agent.request("aaep.resume_session", { session_id: plan.id, resume_token: token });
      } catch (caught) {
        if (refusalCode(caught) === undefined) throw caught;
        // Its start may never have come.
        const isBegun = !unacknowledged.some(({ events }) => events.includes(plan.started));
        if (isBegun && !hasEnded()) {
          refused(caught, "taking over");
          return;
        }
      }
      isSeated = true;
      await asker.resumed(agent);
    };

    const landed = async (): Promise<void> => {
      await Promise.all(inFlight.splice(0));
      if (failure === undefined) return;
      const { caught } = failure;
      failure = undefined;
      if (refusalCode(caught) !== undefined) {
        refused(caught, "an event");
        return;
      }
      await broken();
      await recover();
    };

    const broken = async (): Promise<void> => {
      lostAt = performance.now();
      isSeated = false;
      await disconnect();
    };

    const say = async (events: readonly Message[], acknowledged = (): void => {}): Promise<void> => {
      if (events.length === 0) return;
      const batch: Batch = { events, sent: events.map(sentOf), acknowledged };
      unacknowledged.push(batch);
      if (!isSeated) return recover();
      const attempt = publish(batch, await connected()).catch((caught: unknown) => {
        failure ??= { caught };
      });
      inFlight.push(attempt);
      if (inFlight.length >= flight || failure !== undefined) await landed();
    };

    const settle = async (): Promise<void> => {
      await landed();
      while (session.lost === undefined && !asker.isSettled()) {
        if (!isSeated) await recover();
        try {
          await asker.look((await connected()).agent);
        } catch (caught) {
          if (refusalCode(caught) !== undefined) accidents.push(`asking in ${plan.id} was refused: ${String(caught)}`);
          await broken();
        }
        await pause(POLL_MS);
      }
    };

    await connected();
    await say([plan.started]);
    await landed();
    for (const step of plan.steps) {
      if (session.lost !== undefined) break;
      switch (step.kind) {
        case "publish":
          await say(step.events);
          break;
        case "ask":
          if (step.by === "event") {
            const { acknowledged } = asker.noted(step.event);
            await say([step.event], acknowledged);
          } else {
            await landed();
            if (!isSeated) await recover();
            sentOf(step.event);
            asker.call(step.event, (await connected()).agent);
          }
          if (step.isAwaited) await settle();
          break;
        case "settle":
          await settle();
          break;
        case "pause":
          await pause(step.ms);
          break;
        case "break":
          await landed();
          await broken();
          await recover();
          break;
        case "abandon":
          await landed();
          lose("abandoned");
          await disconnect();
          break;
      }
      await pause(chance.between(0, options.paceMs));
    }
    await settle();
  }
}
