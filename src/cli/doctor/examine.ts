// Examines everything, area by area.
import type { IpcPlace } from "../../../transports/ipc/paths.js";
import { peerUserSource } from "../../../transports/ipc/peer-user.js";
import { readVersion } from "../../daemon/platform/version.js";
import type { CommandIo } from "../terminal/command-io.js";
import { agentFindings } from "./agent-findings.js";
import { clockFindings } from "./clock-findings.js";
import { examineConfiguration } from "./configuration-findings.js";
import { examineDaemons } from "./daemon-findings.js";
import { diskFactsOf, diskFindings } from "./disk-findings.js";
import { AREAS, type Finding } from "./finding.js";
import { folderFindings } from "./folder-findings.js";
import { examineJournals } from "./journal-findings.js";
import type { Patient } from "./patient.js";
import { peerUserFindings } from "./peer-user-findings.js";
import { portFindings } from "./port-findings.js";
import { serviceFindings } from "./service-findings.js";
import { socketFindings } from "./socket-findings.js";
import { versionFindings } from "./version-findings.js";

export interface ExamineOptions {
  readonly producerId?: string;
  readonly config?: string;
}

/** Facts of the machine that tests replace. Default: this machine's. */
export type MachineFacts = Partial<Pick<Patient, "diskFacts" | "nodeVersion" | "peerUserSource" | "version">>;

/** Returns all findings: problems, advice, facts, each in the order of the areas. Changes nothing. */
export async function examine(
  { producerId, config }: ExamineOptions,
  io: CommandIo,
  machine: MachineFacts = {},
): Promise<readonly Finding[]> {
  const place: IpcPlace = { platform: process.platform, environment: io.environment, userId: process.getuid?.() };
  const { configuration, findings: configured } = examineConfiguration({
    command: "serve",
    flags: producerId === undefined ? {} : { producerId },
    configFile: config,
    environment: io.environment,
  });
  const { daemons, findings: running } = await examineDaemons(io);
  const patient: Patient = {
    io,
    place,
    configuration,
    daemons,
    version: readVersion(),
    nodeVersion: process.versions.node,
    peerUserSource,
    diskFacts: diskFactsOf,
    ...machine,
  };
  const journals = await examineJournals(patient);
  const findings = [
    ...configured,
    ...folderFindings(patient),
    ...(await socketFindings(patient)),
    ...peerUserFindings(patient),
    ...(await portFindings(patient)),
    ...clockFindings(patient, journals.newestAt),
    ...(await versionFindings(patient)),
    ...diskFindings(patient),
    ...journals.findings,
    ...(await serviceFindings(patient)),
    ...running,
    ...(await agentFindings(patient)),
  ];
  return (["problem", "advice", "fact"] as const).flatMap((grade) =>
    AREAS.flatMap((area) => findings.filter((one) => one.grade === grade && one.area === area)),
  );
}
