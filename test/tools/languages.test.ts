// The examples over gRPC, each as its README starts it: every agent with every listener, accepted and rejected, over a Unix socket and TCP.
import { beforeAll, describe, expect, it } from "vitest";
import { isEnvelope } from "#gen/aaep/validators.js";
import { ensureBuilt } from "../support/built.js";
import {
  canRun,
  documentsOf,
  type Example,
  ensureExampleBuilt,
  type GrpcDaemon,
  LANGUAGES,
  type Language,
  missingTools,
  serveGrpc,
  shows,
  startExample,
  startListener,
} from "../support/languages.js";

type Document = Readonly<Record<string, unknown>>;

const FIRST_BUILD_MS = 1_200_000;
const BALANCE = "Your balance is 12,500 dollars. I can transfer 500 of them. ";
const TRANSFERRED = "Transferred 500 dollars to Ada Obi. Your new balance is 12,000 dollars. ";
const DECLINED = "You declined it. Nothing was transferred. ";

const runs = LANGUAGES.every(canRun);
const missing = LANGUAGES.flatMap(missingTools);

beforeAll(async () => {
  ensureBuilt();
  // One after the other: each build alone is busy on every core.
  if (runs) for (const language of LANGUAGES) await ensureExampleBuilt(language);
}, FIRST_BUILD_MS);

const title =
  missing.length === 0 ? "the examples over gRPC" : `the examples over gRPC, which need ${missing.join(" and ")}`;

/** Languages of a listener each: the one that answers, and all others, which only listen. */
function listeners(daemon: GrpcDaemon, answerer: Language, answer: string): Promise<readonly Example[]> {
  return Promise.all(
    LANGUAGES.map((language, index) =>
      startListener(
        language.folder,
        language.subscriber,
        ...(index % 2 === 0 ? daemon.unix : daemon.tcp),
        ...["--json", "--once", "--rate", "100000", "--answer", language === answerer ? answer : "none"],
      ),
    ),
  );
}

/** What an output says, its pieces joined by their positions. */
function textOf(documents: readonly Document[], outputId: string): string {
  const pieces = documents.filter((document) => document.output_id === outputId);
  expect(pieces.filter(({ complete }) => complete === true)).toHaveLength(1);
  let text = "";
  for (const piece of pieces) {
    expect(piece.position).toBe([...text].length);
    text += String(piece.chunk);
  }
  return text;
}

function ofType(documents: readonly Document[], type: string): readonly Document[] {
  return documents.filter((document) => document.type === `aaep:agent.${type}`);
}

describe.skipIf(!runs)(title, () => {
  describe.each(LANGUAGES.map((agent, index) => ({ agent, next: LANGUAGES[(index + 1) % LANGUAGES.length] ?? agent })))(
    "an agent in $agent.name",
    ({ agent, next }) => {
      it(`§4.6: does what a listener in ${agent.name} accepts, and all hear it`, async () => {
        const daemon = await serveGrpc();
        const heard = await listeners(daemon, agent, "accept");
        const ended = await startExample(agent.folder, agent.agent, ...daemon.tcp).ended;
        expect(ended).toEqual({ code: 0, out: "Accepted: transferring.\n", err: "" });
        for (const [index, listener] of heard.entries()) {
          expect(await listener.ended).toMatchObject({ code: 0 });
          const documents = documentsOf(listener);
          expect(documents.filter((document) => !isEnvelope(document))).toEqual([]);
          expect(textOf(documents, "out_balance")).toBe(BALANCE);
          expect(textOf(documents, "out_result")).toBe(TRANSFERRED);
          expect(ofType(documents, "tool.invoked")).toEqual([
            expect.objectContaining({ tool: "fetch_balance", tool_call_id: "call_1", risk_level: "low" }),
            expect.objectContaining({
              tool: "transfer_funds",
              tool_call_id: "call_2",
              risk_level: "high",
              irreversible: true,
            }),
          ]);
          expect(ofType(documents, "tool.completed").map(({ status }) => status)).toEqual(["success", "success"]);
          expect(documents.at(-1)).toMatchObject({
            "@context": "https://aaep-protocol.org/context/v1",
            type: "aaep:agent.session.completed",
            producer: { agent_id: agent.agentId },
            summary_normal: "Transferred 500 dollars.",
          });
          const isAsked = LANGUAGES[index] === agent;
          expect(ofType(documents, "awaiting.confirmation")).toEqual(
            isAsked
              ? [
                  expect.objectContaining({
                    action: "May I transfer 500 dollars to Ada Obi?",
                    urgency: "critical",
                    irreversible: true,
                    timeout_seconds: 120,
                    default_decision: "reject",
                    extra_context: { tool: "transfer_funds", tool_call_id: "call_2" },
                  }),
                ]
              : [],
          );
          const resolved = documents.findIndex((document) => String(document.summary_normal).startsWith("Accepted."));
          const transfer = documents.findIndex(
            ({ type, tool }) => type === "aaep:agent.tool.invoked" && tool === "transfer_funds",
          );
          expect(resolved).toBeGreaterThan(-1);
          expect(transfer).toBeGreaterThan(resolved);
        }
      });

      it(`§4.5.3: does not do what a listener in ${next.name} rejects, and says so`, async () => {
        const daemon = await serveGrpc();
        const heard = await listeners(daemon, next, "reject");
        const ended = await startExample(agent.folder, agent.agent, ...daemon.unix).ended;
        expect(ended).toEqual({ code: 0, out: "Not transferred: You declined it.\n", err: "" });
        for (const listener of heard) {
          expect(await listener.ended).toMatchObject({ code: 0 });
          const documents = documentsOf(listener);
          expect(textOf(documents, "out_result")).toBe(DECLINED);
          expect(documents.filter(({ tool }) => tool === "transfer_funds")).toEqual([]);
          expect(documents.at(-1)).toMatchObject({
            type: "aaep:agent.session.completed",
            summary_normal: "Nothing was transferred.",
          });
        }
      });

      it("R20: says in a sentence what was wrong, and ends with 1", async () => {
        const daemon = await serveGrpc();
        const refused = await startExample(agent.folder, agent.agent, ...daemon.unix, "--timeout", "0").ended;
        expect(refused).toMatchObject({ code: 1, out: "" });
        expect(refused.err).toBe(
          "Error: `timeout_seconds` must be between 1 and 86400; it is 0. (invalid_event at /timeout_seconds, AAEP §4.4.1)\n",
        );
      });
    },
  );

  describe.each(LANGUAGES)("a listener in $name", ({ folder, subscriber, agent }) => {
    it("R7: lets a person answer by number, takes nothing else for consent, and writes plain lines", async () => {
      const daemon = await serveGrpc();
      const listener = await startListener(folder, subscriber, ...daemon.tcp, "--once", "--rate", "100000");
      const asking = startExample(folder, agent, ...daemon.unix);
      await shows(listener, listener.stderr, "Question 1 of");
      expect(listener.stderr()).toContain(
        "May I transfer 500 dollars to Ada Obi? The money leaves your account at once. It cannot be undone.",
      );
      listener.child.stdin.write("\naccept\ny\ny 2\ny 1\n");
      expect(await asking.ended).toMatchObject({ code: 0, out: "Accepted: transferring.\n" });
      const { code, out, err } = await listener.ended;
      expect(code).toBe(0);
      expect(err.match(/Not sent/g)).toHaveLength(4);
      expect(err.match(/Sent: accept\./g)).toHaveLength(1);
      const lines = out.split("\n");
      expect(lines[0]).toBe("session.started: Transfers 500 dollars to Ada Obi.");
      expect(lines).toContain("Attention! awaiting.confirmation: May I transfer 500 dollars to Ada Obi?");
      expect(lines.slice(-2)).toEqual(["session.completed: Transferred 500 dollars.", ""]);
    });

    it("§5.7: is not asked any more when nobody can type answers", async () => {
      const daemon = await serveGrpc();
      const listener = await startListener(folder, subscriber, ...daemon.unix, "--once", "--rate", "100000");
      listener.child.stdin.end();
      await shows(listener, listener.stderr, "Standard input has ended");
      const ended = await startExample(folder, agent, ...daemon.unix).ended;
      expect(ended).toEqual({ code: 0, out: "Not transferred: There was nobody to ask.\n", err: "" });
      expect((await listener.ended).err.match(/Standard input has ended/g)).toHaveLength(1);
    });

    it("§8.2.7, R20: says in sentences that a token is missing, and that terms are not accepted", async () => {
      const daemon = await serveGrpc();
      const stranger = await startExample(folder, subscriber, "--address", daemon.tcpAddress).ended;
      expect(stranger).toMatchObject({ code: 1, out: "" });
      expect(stranger.err).toMatch(
        /^Error: Send the header `authorization: Bearer TOKEN`; .*\(unauthenticated, AAEP §8\.2\.7\)\n$/,
      );
      const greedy = await startExample(folder, subscriber, ...daemon.unix, "--rate", "0").ended;
      expect(greedy).toMatchObject({ code: 1, out: "" });
      expect(greedy.err).toMatch(
        /^Error: not accepted: `capabilities\.max_events_per_second` must be between 1 and 100000; it is 0\./,
      );
    });

    it("G3, G11: says that the daemon shuts down, and that there is none", async () => {
      const daemon = await serveGrpc();
      const listener = await startListener(folder, subscriber, ...daemon.unix, "--answer", "none");
      daemon.program.child.kill("SIGTERM");
      expect(await listener.ended).toEqual({
        code: 1,
        out: "",
        err: "Listening to aaepd.\nError: The daemon is shutting down. Connect again when it is back.\n",
      });
      expect(await daemon.program.ended).toEqual({ code: 0, signal: null });
      const late = await startExample(folder, subscriber, ...daemon.unix).ended;
      expect(late).toMatchObject({ code: 1, out: "" });
      expect(late.err).toMatch(/^Error: There is no daemon there, or it has gone: /);
    });
  });
});
