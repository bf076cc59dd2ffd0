// Examines everything, area by area, and prints the findings.

import { currentPlace } from "../../../transports/ipc/paths.js";
import { peerUserSource } from "../../../transports/ipc/peer-user.js";
import type { Finding } from "../../daemon/platform/finding.js";
import { readVersion } from "../../daemon/platform/version.js";
import { serviceFindings } from "../service/service-findings.js";
import { type Located, tellFindings } from "../shell/finding-lines.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { peerUserFindings, portFindings, socketFindings } from "./address-findings.js";
import { examineConfiguration } from "./configuration-findings.js";
import { diskFactsOf, diskFindings, folderFindings } from "./folder-findings.js";
import { examineJournals } from "./journal-findings.js";
import { clockFindings, versionFindings } from "./machine-findings.js";
import type { Patient } from "./patient.js";
import { agentFindings, examineDaemons } from "./running-findings.js";

export interface DoctorOptions {
  readonly producerId?: string;
  readonly config?: string;
  readonly json?: true;
}

/** Facts of the machine that tests replace. Default: this machine's. */
type MachineFacts = Partial<Pick<Patient, "diskFacts" | "nodeVersion" | "peerUserSource" | "version">>;

export function runDoctor(options: DoctorOptions, io: CommandIo, machine: MachineFacts = {}): Promise<void> {
  return runCommand(io, async () => tellFindings(await examine(options, io, machine), options.json === true, io));
}

/** Returns all findings in the order of their areas. Changes nothing. */
async function examine(
  { producerId, config }: DoctorOptions,
  io: CommandIo,
  machine: MachineFacts,
): Promise<readonly Located[]> {
  const { configuration, findings: configured } = examineConfiguration({
    command: "serve",
    flags: producerId === undefined ? {} : { producerId },
    configFile: config,
    environment: io.environment,
  });
  const { daemons, findings: running } = await examineDaemons(io);
  const patient: Patient = {
    io,
    place: currentPlace(io.environment),
    configuration,
    daemons,
    version: readVersion(),
    nodeVersion: process.versions.node,
    peerUserSource,
    diskFacts: diskFactsOf,
    ...machine,
  };
  const journals = await examineJournals(patient);
  const areas: Readonly<Record<string, Iterable<Finding>>> = {
    configuration: configured,
    folders: folderFindings(patient),
    sockets: [...(await socketFindings(patient)), ...peerUserFindings(patient)],
    ports: await portFindings(patient),
    clock: clockFindings(patient, journals.newestAt),
    versions: await versionFindings(patient),
    disk: diskFindings(patient),
    journal: journals.findings,
    service: await serviceFindings(patient),
    daemons: running,
    agents: await agentFindings(patient),
  };
  return Object.entries(areas).flatMap(([area, findings]) => Array.from(findings, (one) => ({ ...one, area })));
}
