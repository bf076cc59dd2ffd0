// The TCP addresses of the configuration: whether a daemon could listen there.
import { createServer } from "node:net";
import { faultFromNodeError, isAddressInUse } from "../../../transports/node-errors.js";
import type { ServiceAddress } from "../../contracts/transport.js";
import { addressText, serviceAddresses } from "../../daemon/config/service-choices.js";
import { type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { problemFrom } from "../shell/finding-lines.js";
import type { Patient } from "./patient.js";

type TcpAddress = Extract<ServiceAddress, { readonly kind: "tcp" }>;

export async function portFindings(patient: Patient): Promise<readonly Finding[]> {
  const addresses = serviceAddresses(patient.configuration).filter((address) => address.kind === "tcp");
  if (addresses.length === 0) return [fact("no_ports", "The configuration needs no port.")];
  return Promise.all(addresses.map((address) => portFinding(address, patient)));
}

async function portFinding(address: TcpAddress, { daemons }: Patient): Promise<Finding> {
  const text = addressText(address);
  try {
    await tryToListen(address);
    return fact("port_free", `${text} is free.`);
  } catch (caught) {
    if (!isAddressInUse(caught)) return problemFrom(faultFromNodeError(caught, text));
    const own = daemons.find(({ status }) =>
      Object.values(status.endpoints)
        .flat()
        .some((one) => one.endsWith(text)),
    );
    if (own !== undefined) return fact("port_own", `The daemon ${own.status.producer_id} listens at ${text}.`);
    const finds =
      process.platform === "linux" ? `ss -ltnp 'sport = :${address.port}'` : `lsof -iTCP:${address.port} -sTCP:LISTEN`;
    return problem(
      "port_taken",
      `Another program listens at ${text}.`,
      `Stop that program, or choose another port. To find it, run: ${finds}`,
    );
  }
}

/** Listens for a moment, and accepts nobody. */
function tryToListen({ host, port }: TcpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
