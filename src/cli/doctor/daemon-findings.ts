// Running daemons: whether they answer, and the problems that they report themselves.
import { faultFrom } from "../../base/errors.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { listeningDaemons } from "../shell/find-socket.js";
import { askStatus } from "../status/ask-status.js";
import { counted, span } from "../terminal/amounts.js";
import type { Patient } from "./patient.js";

export interface ExaminedDaemons {
  readonly daemons: Patient["daemons"];
  readonly findings: readonly Finding[];
}

export async function examineDaemons(io: Patient["io"]): Promise<ExaminedDaemons> {
  const found = await listeningDaemons(io.daemonDirectories);
  const answers = await Promise.allSettled(
    found.map(async ({ socketPath }) => ({ socketPath, status: await askStatus(socketPath, io) })),
  );
  const daemons = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const silent = answers.flatMap((one) => (one.status === "rejected" ? faultFrom(one.reason).sentence : []));
  const start = "Start one: aaepd setup, or in a terminal of its own: aaepd serve";
  const remedy = "Start it again. Its process stands in the file beside the socket, as pid.";
  const findings = [
    ...(found.length === 0 ? [advice("no_daemon", "No daemon runs.", start)] : []),
    ...silent.map((sentence) => problem("no_answer", sentence, remedy)),
    ...daemons.flatMap(findingsOf),
  ];
  return { daemons, findings };
}

function findingsOf({ socketPath, status }: Patient["daemons"][number]): readonly Finding[] {
  const { producer_id: id, problems = [], pid, uptime_seconds: seconds, subscription_count: count } = status;
  const facts = `process ${pid}, up ${span(seconds)}, ${counted(count, "subscription")}`;
  return [
    // A daemon of an earlier version grades nothing.
    ...problems.map(({ grade = "advice", code, message, remedy }): Finding => {
      return { grade, code, message: `The daemon ${id} reports: ${message}`, remedy };
    }),
    fact("daemon", `The daemon ${id} answers at ${socketPath}: ${facts}.`),
  ];
}
