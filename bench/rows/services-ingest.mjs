// The cost of taking an event in over gRPC, beside the local socket: for information, so without a target.
import { interleaved, ratioLine } from "../measuring.mjs";

const SIZE = 64;
const FLIGHT = 16;

export const servicesIngest = {
  name: "services-ingest",
  title: "Taking an event in over gRPC",
  remarks: `
For information, without a target: \`AgentService.Publish\`, batches of 64 and 16 of them unacknowledged, beside the same events as JSON on the
local socket. CPU of the daemon.
`,
  rows: servicesIngestRows,
};

async function servicesIngestRows(stage, { pairs, scale }) {
  const count = Math.ceil(100_000 * scale);
  const grpcPath = stage.path("grpc");
  const [daemon, overGrpc, overSocket] = await Promise.all([
    stage.daemon("--grpc", `unix:${grpcPath}`),
    stage.role("service-publisher"),
    stage.role("publisher"),
  ]);
  await Promise.all([overGrpc.call("open", { path: grpcPath }), overSocket.call("open", { path: daemon.socket })]);
  const publish = (publisher) => async () => {
    const { cpuMicros } = await daemon.during(() =>
      publisher.call("publishAcknowledged", { count, size: SIZE, flight: FLIGHT }),
    );
    return cpuMicros / count;
  };
  const measured = await interleaved(pairs, publish(overGrpc), publish(overSocket));
  return [
    ratioLine(
      `ingest over AgentService.Publish, beside JSON on the local socket, ${SIZE} events a message, acknowledged`,
      "µs CPU an event",
      measured,
    ),
  ];
}
