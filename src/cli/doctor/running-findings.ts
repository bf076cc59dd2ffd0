// The running parts: daemons, whether they answer and the problems that they report, and hooks of terminal agents, whether they start this aaepd,
// reach a daemon, and have somebody who hears and answers.

import { HOOK_HOST_IDS, type HookHostId } from "../../adapters/hooks/hook-host.js";
import { faultFrom } from "../../base/errors.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { ableToConfirm, listenerNames, usualHookSocket } from "../hooks/audience.js";
import { asksBy, hasPrograms, socketOf } from "../hooks/hook-files.js";
import { isHostHere, SETTINGS_HOSTS } from "../hooks/hook-hosts.js";
import { settingsOf } from "../hooks/hook-plan.js";
import { entriesIn } from "../hooks/settings-edit.js";
import { listeningDaemons } from "../shell/find-socket.js";
import { problemFrom } from "../shell/finding-lines.js";
import { askStatus, statusAt } from "../status/ask-status.js";
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
    ...problems.map(({ grade, code, message, remedy }): Finding => {
      return { grade, code, message: `The daemon ${id} reports: ${message}`, remedy };
    }),
    fact("daemon", `The daemon ${id} answers at ${socketPath}: ${facts}.`),
  ];
}

const LISTEN = "In a terminal of your own, run: aaepd tail --interactive";

export async function agentFindings({ io }: Pick<Patient, "io">): Promise<readonly Finding[]> {
  const found = (await Promise.all(HOOK_HOST_IDS.map((id) => hostFindings(id, io)))).flat();
  if (found.length > 0) return found;
  const names = HOOK_HOST_IDS.map((id) => SETTINGS_HOSTS[id].name).join(" and ");
  return [fact("no_agent", `No agent with hooks was found. Looked for ${names}.`)];
}

async function hostFindings(id: HookHostId, io: Patient["io"]): Promise<readonly Finding[]> {
  const host = SETTINGS_HOSTS[id];
  const { name } = host;
  const path = host.settings(io.environment);
  let commands: readonly string[];
  try {
    commands = [...entriesIn(settingsOf(id, io.environment)).values()].map(({ command }) => command);
  } catch (caught) {
    return [{ ...problemFrom(faultFrom(caught)), code: "hooks_settings" }];
  }
  const [command] = commands;
  if (command === undefined) {
    if (!isHostHere(host, io.environment)) return [];
    return [advice("hooks_not_installed", `${name} is here, and is not heard: it has no hooks.`, "Run: aaepd setup")];
  }
  if (!hasPrograms(io.environment)) {
    const message = `The hooks of ${name} in ${path} do nothing: the program behind them, or its Node, is gone.`;
    return [problem("hooks_program_gone", message, `Run: aaepd hook install ${id}`)];
  }
  const socketPath = socketOf(command) ?? usualHookSocket(io.environment);
  const status = await statusAt(socketPath, io);
  if (status === undefined) {
    const message = `Nothing of ${name} is heard: its hooks are installed, and no daemon answers at ${socketPath}.`;
    return [problem("hooks_without_daemon", message, "Run: aaepd setup")];
  }
  const names = listenerNames(status.subscriptions);
  if (names.length === 0)
    return [advice("nobody_listens", `The hooks of ${name} are installed, and nobody listens.`, LISTEN)];
  const heard = `The hooks of ${name} reach the daemon ${status.producer_id}, heard by: ${names.join(", ")}.`;
  if (!commands.some(asksBy) || ableToConfirm(status).length > 0) return [fact("hooks", heard)];
  return [advice("nobody_can_answer_hooks", `${heard} Nobody of them can answer its questions.`, LISTEN)];
}
