// The rows of the table of options that concern the services over gRPC and HTTP (docs/services.md).
import { onOrOff } from "./config-values.js";
import { option } from "./option-row.js";
import { originChoice, relayChoice, serviceChoice, tokenFileChoice } from "./service-choices.js";

export const SERVICE_OPTIONS = {
  grpc: option({
    type: serviceChoice,
    fallback: { kind: "off" },
    meaning: "The addresses of the services over gRPC.",
    atTheLimit:
      "auto is unix:ID.grpc in the runtime folder. TCP addresses must be loopback addresses, otherwise the daemon refuses to start. Callers over TCP need the token in the file of http_token_file. Port 0 takes a free port.",
    change: "next_start",
  }),
  http: option({
    type: serviceChoice,
    fallback: { kind: "off" },
    meaning:
      "The addresses of the services over Connect, gRPC-Web and gRPC, on HTTP/1.1 and HTTP/2. Also serves manifest, health and metrics.",
    atTheLimit: "Same rules as grpc. auto is unix:ID.http in the runtime folder.",
    change: "next_start",
  }),
  httpTokenFile: option({
    type: tokenFileChoice,
    fallback: { kind: "auto" },
    meaning: "The file with the token for callers over TCP, of http and of grpc.",
    atTheLimit:
      "auto is ID.token in the runtime folder, with a new token at each start and at each SIGHUP. The token in a file that you name stays. The daemon reads that file at the start and at SIGHUP. It creates a missing file with mode 600, and its folder with mode 700. It refuses one that other users could read or replace. On the command line the option requires http or grpc.",
    needs: ["http", "grpc"],
    change: "next_start",
  }),
  corsOrigins: option({
    type: originChoice,
    fallback: [],
    meaning: "The origins of web pages that may use the services of http from a browser.",
    atTheLimit:
      "A browser hides the answers from pages of other origins. Every page needs the token too. On the command line the option requires http.",
    needs: ["http"],
  }),
  relay: option({
    type: relayChoice,
    fallback: [],
    meaning: "The producers elsewhere, over Server-Sent Events, that listeners of this daemon hear.",
    atTheLimit:
      "A producer that is away is tried again, at least every 30 seconds. The daemon leaves out a producer that another process of yours relays already, and logs that.",
    change: "next_start",
  }),
  relayPlainHttp: option({
    type: onOrOff,
    fallback: false,
    meaning: "Allows http to producers on other machines.",
    atTheLimit:
      "Others on the way can then read and change what is said. Without it, the daemon refuses to start with such an address in relay.",
    change: "next_start",
  }),
  compression: option({
    type: onOrOff,
    fallback: false,
    meaning: "Compresses messages of http for clients that offer it.",
    atTheLimit:
      "On one machine, compression costs more than it saves. Messages of grpc are never compressed. On the command line the option requires http.",
    needs: ["http"],
    change: "next_start",
  }),
};
