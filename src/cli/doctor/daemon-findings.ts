// Running daemons: whether they answer, and the problems that they report themselves.
import { faultFrom } from "../../base/errors.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { listeningDaemons } from "../shell/find-socket.js";
import { askStatus } from "../status/ask-status.js";
import { span } from "../status/span.js";
import { counted } from "../terminal/counted.js";
import type { Patient } from "./patient.js";

export interface ExaminedDaemons {
  readonly daemons: Patient["daemons"];
  readonly findings: readonly Finding[];
}

export async function examineDaemons(io: Patient["io"] & Parameters<typeof askStatus>[1]): Promise<ExaminedDaemons> {
  const found = await listeningDaemons(io.daemonDirectories);
  if (found.length === 0)
    return {
      daemons: [],
      findings: [
        advice("no_daemon", "No daemon runs.", "Start one: aaepd setup, or in a terminal of its own: aaepd serve"),
      ],
    };
  const daemons: { socketPath: string; status: Patient["daemons"][number]["status"] }[] = [];
  const findings: Finding[] = [];
  for (const answer of await Promise.all(found.map((one) => asked(one.socketPath, io)))) {
    if ("sentence" in answer) {
      const remedy = "Start it again. Its process stands in the file beside the socket, as pid.";
      findings.push(problem("no_answer", answer.sentence, remedy));
      continue;
    }
    daemons.push(answer);
    const { status } = answer;
    // A daemon of an earlier version grades nothing.
    for (const { grade = "advice", code, message, remedy } of status.problems ?? [])
      findings.push({ grade, code, message: `The daemon ${status.producer_id} reports: ${message}`, remedy });
    const facts = `process ${status.pid}, up ${span(status.uptime_seconds)}, ${counted(status.subscription_count, "subscription")}`;
    findings.push(fact("daemon", `The daemon ${status.producer_id} answers at ${answer.socketPath}: ${facts}.`));
  }
  return { daemons, findings };
}

async function asked(
  socketPath: string,
  io: Parameters<typeof askStatus>[1],
): Promise<Patient["daemons"][number] | { readonly sentence: string }> {
  try {
    return { socketPath, status: await askStatus({ socketPath }, io) };
  } catch (caught) {
    return { sentence: faultFrom(caught).sentence };
  }
}
