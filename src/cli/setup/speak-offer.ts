// `aaepd setup` makes `aaepd speak` a service, where a person wants it.
import { existsSync } from "node:fs";
import type { ServiceKind } from "../service/service-files.js";
import { managerAnswers } from "../service/service-steps.js";
import { speakUnitPath, startSpeak, writeSpeakUnit } from "../service/speak-service.js";
import { isOnPath } from "../shell/on-path.js";
import type { Person } from "../terminal/ask-person.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import type { SetupRecord } from "./setup-record.js";
import type { Told } from "./told.js";

/** Whether `aaepd speak` can be a service here, and is none yet. */
export function canOfferSpeak(manager: ServiceKind | undefined, io: CommandIo): boolean {
  if (manager !== "systemd" || !isOnPath("speech-dispatcher", io.environment)) return false;
  return !existsSync(speakUnitPath({ kind: manager }, io)) && managerAnswers(manager, io);
}

/** Asks, and does it after a yes. */
export async function offerSpeak(
  person: Person,
  record: SetupRecord,
  { say, attempt }: Told,
  io: CommandIo,
): Promise<void> {
  if (!(await person.ask("Shall aaepd speak what agents do and ask, now and at each login?"))) return;
  await attempt(() => {
    const options = { kind: "systemd" };
    record.note({ paths: [speakUnitPath(options, io)], speaks: true });
    const { path } = writeSpeakUnit(options, io);
    say(`Wrote ${shownText(path)}`);
    const refused = startSpeak(io);
    say(refused === undefined ? "aaepd speaks now. To silence it: aaepd hush" : `aaepd does not speak: ${refused}`);
  });
}
