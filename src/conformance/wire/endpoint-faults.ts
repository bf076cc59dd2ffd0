// The token of an endpoint, and its faults in words for the person who gave it.
import { Fault, type FaultCode } from "../../base/errors.js";

/** Faults of what was given to the suite. Every other fault says something about the tested side. */
const GIVEN: readonly FaultCode[] = ["usage", "address_invalid", "address_in_use", "permission_denied"];

/** Whether the suite was set up wrongly, so that no case can run and nothing is found out about the tested side. */
export function isSetUpFault(caught: unknown): boolean {
  return caught instanceof Fault && caught.origin === "local" && GIVEN.includes(caught.code);
}

/** The end of a connection that an error ended, in sentences about the target. */
export function accidentWords(accident: Error): string {
  if (!(accident instanceof Fault)) return accident.message;
  switch (accident.code) {
    case "peer_gone":
      return "The target ended the connection.";
    case "framing_lost":
    case "message_too_large":
      return `The target's bytes cannot be read. ${accident.sentence}`;
    default:
      return accident.sentence;
  }
}

/** The fault of an endpoint where no connection is taken. `option`: where the endpoint was given. */
export function noConnection(endpoint: string, cause: unknown, option = "--endpoint"): Fault {
  return new Fault("not_found", `No connection is taken at ${endpoint}. Start the target, or correct ${option}.`, {
    origin: "local",
    cause,
  });
}

/** The fault of a service that does not know who calls. */
export function tokenRefused(endpoint: string): Fault {
  const sentence = `${endpoint} does not take the call without a valid token. Give the file that has it with --token-file.`;
  return new Fault("permission_denied", sentence, { origin: "local" });
}

/** The headers of a call with a token. */
export function bearerOf(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
