// The banking agents and the listeners over gRPC, each as its README starts it: every agent with every listener, accepted, rejected, and with nobody
// there, over a Unix socket and TCP.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { falseDaemon } from "../support/copied-file-daemons.js";
import {
  canRun,
  documentsOf,
  type Example,
  ensureExampleBuilt,
  GRPC_AGENT,
  type GrpcDaemon,
  LANGUAGES,
  type Language,
  missingTools,
  PYTHON,
  serveGrpc,
  shows,
  startExample,
  startListener,
} from "../support/languages.js";
import { isAsPublished } from "../support/published-schemas.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

type Document = Readonly<Record<string, unknown>>;

const FIRST_BUILD_MS = 1_200_000;
const TRANSFERRED = "Transferred 500 dollars.";
const DECLINED = "You declined it. Nothing was transferred.";
const NOBODY = "There was nobody to ask. Nothing was transferred.";
const UNCHANGED = "Your balance is still 12,500 dollars.";

interface BankingAgent {
  readonly name: string;
  readonly id: string;
  readonly start: (daemon: GrpcDaemon, ...options: readonly string[]) => Example;
  /** The language whose listener accepts, and the next one, whose listener rejects. */
  readonly accepts: Language;
  readonly rejects: Language;
}

const AGENTS: readonly BankingAgent[] = [
  ...LANGUAGES.map((language, index) => ({
    name: language.name,
    id: "banking-agent",
    start: (daemon: GrpcDaemon, ...options: readonly string[]) =>
      startExample(language.folder, [...daemon.served, ...language.agent], ...options),
    accepts: language,
    rejects: LANGUAGES[(index + 1) % LANGUAGES.length] ?? language,
  })),
  {
    name: "Python over gRPC",
    id: "python-bank",
    start: (daemon, ...options) => startExample(PYTHON.folder, GRPC_AGENT, ...daemon.tcp, ...options),
    accepts: PYTHON,
    rejects: PYTHON,
  },
];

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

/** The text of the only output, its pieces joined by their positions. */
function textOf(documents: readonly Document[]): string {
  const pieces = ofType(documents, "output.streaming");
  expect(new Set(pieces.map(({ output_id }) => output_id)).size).toBe(1);
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
  it.each(LANGUAGES)("the listener in $name says nothing at a socket behind a link", async (language) => {
    const base = temporaryDirectory();
    const received = await falseDaemon(join(base, "own.sock"));
    symlinkSync(join(base, "own.sock"), join(base, "link.sock"));
    const listener = startExample(language.folder, language.subscriber, "--address", `unix:${join(base, "link.sock")}`);
    expect(await listener.ended).toMatchObject({ code: 1, err: expect.stringMatching(/is no socket/) });
    expect(received()).toBe("");
  });

  describe.each(AGENTS)("an agent in $name", (agent) => {
    it(`§4.6: does what a listener in ${agent.accepts.name} accepts, and all hear it`, async () => {
      const daemon = await serveGrpc();
      const heard = await listeners(daemon, agent.accepts, "accept");
      const ended = await agent.start(daemon).ended;
      expect(ended).toEqual({ code: 0, out: `${TRANSFERRED}\n`, err: "" });
      for (const [index, listener] of heard.entries()) {
        expect(await listener.ended).toMatchObject({ code: 0 });
        const documents = documentsOf(listener);
        expect(documents.filter((document) => !isAsPublished("aaep", "Envelope", document))).toEqual([]);
        expect(textOf(documents)).toBe(`${TRANSFERRED} Your balance is 12,000 dollars.`);
        expect(ofType(documents, "tool.invoked")).toEqual([
          expect.objectContaining({
            tool: "fetch_balance",
            summary_normal: "Reading your balance.",
            risk_level: "low",
          }),
          expect.objectContaining({ tool: "transfer_funds", risk_level: "high", irreversible: true }),
        ]);
        expect(ofType(documents, "tool.completed")).toEqual([
          expect.objectContaining({ status: "success", summary_normal: "Your balance is 12,500 dollars." }),
          expect.objectContaining({ status: "success", summary_normal: "The transfer is done." }),
        ]);
        expect(documents.at(-1)).toMatchObject({
          "@context": "https://aaep-protocol.org/context/v1",
          type: "aaep:agent.session.completed",
          producer: { agent_id: agent.id },
          summary_normal: TRANSFERRED,
        });
        const isAsked = LANGUAGES[index] === agent.accepts;
        const call = ofType(documents, "tool.invoked")[1]?.tool_call_id;
        const question = {
          action: "Transfer 500 dollars to Ada Obi.",
          consequence: "The money leaves your account at once. 12,000 dollars remain.",
          urgency: "critical",
          irreversible: true,
          timeout_seconds: 120,
          default_decision: "reject",
          extra_context: { tool: "transfer_funds", tool_call_id: call, amount: 500, currency: "USD" },
        };
        expect(ofType(documents, "awaiting.confirmation")).toEqual(isAsked ? [expect.objectContaining(question)] : []);
        const resolved = documents.findIndex((document) => String(document.summary_normal).startsWith("Accepted."));
        const transfer = documents.findIndex(
          ({ type, tool }) => type === "aaep:agent.tool.invoked" && tool === "transfer_funds",
        );
        expect(resolved).toBeGreaterThan(-1);
        expect(transfer).toBeGreaterThan(resolved);
      }
    });

    it.each([
      ["§4.5.3: does not do what a listener rejects", "reject", DECLINED],
      ["does not do it where nobody can be asked", "none", NOBODY],
    ])("%s, and says so", async (_, answer, told) => {
      const daemon = await serveGrpc();
      const heard = await listeners(daemon, agent.rejects, answer);
      const ended = await agent.start(daemon).ended;
      expect(ended).toEqual({ code: 0, out: `${told}\n`, err: "" });
      for (const listener of heard) {
        expect(await listener.ended).toMatchObject({ code: 0 });
        const documents = documentsOf(listener);
        expect(textOf(documents)).toBe(`${told} ${UNCHANGED}`);
        expect(documents.filter(({ tool }) => tool === "transfer_funds")).toEqual([]);
        expect(documents.at(-1)).toMatchObject({ type: "aaep:agent.session.completed", summary_normal: told });
      }
    });
  });

  it("R20: an agent over gRPC says in a sentence what was wrong, and ends with 1", async () => {
    const daemon = await serveGrpc();
    const refused = await startExample(PYTHON.folder, GRPC_AGENT, ...daemon.unix, "--timeout", "0").ended;
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: "Error: `timeout_seconds` must be between 1 and 86400; it is 0. (invalid_event at /timeout_seconds, AAEP §4.4.1)\n",
    });
  });

  it.each(LANGUAGES)("R20: an agent in $name goes on where its question is refused, and says why", async (language) => {
    const daemon = await serveGrpc();
    const agent = startExample(language.folder, [...daemon.served, ...language.agent], "--timeout", "100000");
    const { code, out, err } = await agent.ended;
    expect([code, out]).toEqual([0, "The question was refused. Nothing was transferred.\n"]);
    expect(err).toContain("`timeout_seconds` must be between 1 and 86400; it is 100000.");
  });

  describe.each(LANGUAGES)("a listener in $name", ({ folder, subscriber, agent }) => {
    const startAgent = (daemon: GrpcDaemon) => startExample(folder, [...daemon.served, ...agent]);

    it("R7: lets a person answer by number, takes nothing else for consent, and writes plain lines", async () => {
      const daemon = await serveGrpc();
      const listener = await startListener(folder, subscriber, ...daemon.tcp, "--once", "--rate", "100000");
      const asking = startAgent(daemon);
      await shows(listener, listener.stderr, "Question 1 of");
      expect(listener.stderr()).toContain(
        "Transfer 500 dollars to Ada Obi. The money leaves your account at once. 12,000 dollars remain. It cannot be undone.",
      );
      listener.child.stdin.write("\naccept\ny\ny 2\ny 1\n");
      expect(await asking.ended).toMatchObject({ code: 0, out: `${TRANSFERRED}\n` });
      const { code, out, err } = await listener.ended;
      expect(code).toBe(0);
      expect(err.match(/Not sent/g)).toHaveLength(4);
      expect(err.match(/Sent: accept\./g)).toHaveLength(1);
      const lines = out.split("\n");
      // The agent's events come all at once: the question may overtake them (R4).
      expect(lines).toContain("session.started: Transfers 500 dollars to Ada Obi.");
      expect(lines).toContain("Attention! awaiting.confirmation: Transfer 500 dollars to Ada Obi.");
      expect(lines.slice(-2)).toEqual(["session.completed: Transferred 500 dollars.", ""]);
    });

    it("§5.7: is not asked any more when nobody can type answers", async () => {
      const daemon = await serveGrpc();
      const listener = await startListener(folder, subscriber, ...daemon.unix, "--once", "--rate", "100000");
      listener.child.stdin.end();
      await shows(listener, listener.stderr, "Standard input has ended");
      const ended = await startAgent(daemon).ended;
      expect(ended).toEqual({ code: 0, out: `${NOBODY}\n`, err: "" });
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

    it("says that the daemon shuts down, and that there is none", async () => {
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
