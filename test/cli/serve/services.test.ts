// The services of a daemon that runs as a process: where it says that they are, who may call, and how it ends.
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { create } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { ListenRequestSchema, SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { ensureBuilt } from "../../support/built.js";
import { itInFull } from "../../support/extent.js";
import { callOnce, createGrpcClient, refusalOf } from "../../support/peers/grpc-client.js";
import { startProgram } from "../../support/peers/program.js";
import { rawHttp } from "../../support/services/raw-calls.js";
import { unixHttp1 } from "../../support/services/unix-http1.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { runCommandLine, runtimeEnvironment, startCommandLine } from "../command-stage.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

beforeAll(ensureBuilt, 120_000);

interface Ready {
  readonly endpoints: { readonly ipc?: string; readonly grpc?: readonly string[]; readonly http?: readonly string[] };
  readonly token_file?: string;
}

async function started(...options: readonly string[]) {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const environment = { PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR, AAEPD_AUDIT: "off" };
  const program = startCommandLine(["serve", ...options], { environment });
  const [line = ""] = await program.stdoutLines(1);
  return { program, directory, ready: JSON.parse(line) as Ready };
}

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** How `/healthz` answers over TCP under a host's name. */
async function healthOf({ endpoints }: Ready, host: string): Promise<number> {
  const address = endpoints.http?.[0] ?? "";
  return (await rawHttp(address, "/healthz", { headers: { host: `${host}:${address.split(":")[1]}` } })).status;
}

describe("aaepd serve with services", () => {
  it("auto: sockets beside the local one, that nobody else can reach and that no listener takes for it", async () => {
    const { ready, directory } = await started("--grpc", "auto", "--http", "auto");
    expect(ready.endpoints).toEqual({
      ipc: join(directory, "aaepd.sock"),
      grpc: [`unix:${join(directory, "aaepd.grpc")}`],
      http: [`unix:${join(directory, "aaepd.http")}`],
    });
    expect(ready).not.toHaveProperty("token_file");
    for (const name of ["aaepd.grpc", "aaepd.http"]) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it("TCP: the token stands beside the manifest, which names it, and both go with the daemon", async () => {
    const { program, ready, directory } = await started("--socket", "off", "--http", "127.0.0.1:0");
    const tokenPath = join(directory, "aaepd.token");
    expect(ready.token_file).toBe(tokenPath);
    expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(directory, "aaepd.manifest.json"), "utf8"))).toMatchObject({
      transports_supported: ["connect", "sse", "websocket"],
      endpoints: ready.endpoints,
      token_file: tokenPath,
    });
    const baseUrl = `http://${ready.endpoints.http?.[0]}`;
    const client = createClient(SubscriberService, createConnectTransport({ baseUrl, httpVersion: "1.1" }));
    const refused = await client.getManifest({}).catch((caught: unknown) => ConnectError.from(caught));
    expect(refused).toMatchObject({ code: Code.Unauthenticated });
    const token = readFileSync(tokenPath, "utf8").trim();
    const { manifest } = await client.getManifest({}, withToken(token));
    expect(manifest?.agentId).toBe("aaepd");
    program.signal("SIGTERM");
    expect(await program.ended).toMatchObject({ code: 0 });
    expect([existsSync(tokenPath), existsSync(join(directory, "aaepd.manifest.json"))]).toEqual([false, false]);
  });

  it("AAEP §5.10.2: a listener over HTTP on TCP is told a page that it can fetch, every other the file", async () => {
    const { ready, directory } = await started("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0");
    const token = withToken(readFileSync(join(directory, "aaepd.token"), "utf8").trim());
    const uriOf = async (transport: Transport, call: CallOptions = token): Promise<string> => {
      for await (const { message } of createClient(SubscriberService, transport).listen({}, call))
        if (message.case === "accepted") return String(message.value.manifestUri);
      throw new Error("no acceptance");
    };
    const [tcp = ""] = ready.endpoints.http ?? [];
    const file = pathToFileURL(join(directory, "aaepd.manifest.json")).href;
    const page = await uriOf(createConnectTransport({ baseUrl: `http://${tcp}`, httpVersion: "1.1" }));
    expect(page).toBe(`http://${tcp}/.well-known/aaep-manifest.json`);
    expect(await (await fetch(page, token)).json()).toMatchObject({
      type: "aaep:producer.manifest",
      transports_supported: ["unix-socket", "grpc", "connect", "sse", "websocket"],
    });
    expect(await uriOf(createGrpcTransport({ baseUrl: `http://${tcp}` }))).toBe(page);
    expect(await uriOf(createGrpcTransport({ baseUrl: `http://${ready.endpoints.grpc?.[0]}` }))).toBe(file);
    const other = await started("--http", "auto");
    const nodeOptions = unixHttp1(join(other.directory, "aaepd.http"));
    const overUnix = createConnectTransport({ baseUrl: "http://localhost", httpVersion: "1.1", nodeOptions });
    expect(await uriOf(overUnix, {})).toMatch(/^file:.*aaepd\.manifest\.json$/);
  });

  it("TCP: what tells no more than whether it runs needs no token, and no other host's name will do for anything", async () => {
    const { ready } = await started("--socket", "off", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0");
    const address = ready.endpoints.grpc?.[0] ?? "";
    const named = createGrpcClient(address);
    const misnamed = createGrpcClient(address, { "grpc.default_authority": "evil.example" });
    onTestFinished(() => {
      named.close();
      misnamed.close();
    });
    const check = "/grpc.health.v1.Health/Check";
    // A HealthCheckResponse whose status, field 1, is SERVING.
    expect([...(await callOnce(named, check, Buffer.alloc(0)).answer)]).toEqual([8, 1]);
    expect((await refusalOf(callOnce(misnamed, check, Buffer.alloc(0)))).code).toBe(Code.PermissionDenied);
    const pages = ["/healthz", "/readyz", "/metrics", "/.well-known/aaep-manifest.json", check];
    const answers = await Promise.all(pages.map((path) => fetch(`http://${ready.endpoints.http?.[0]}${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401]);
    expect(await Promise.all(answers.slice(0, 2).map((one) => one.text()))).toEqual(["alive\n", "ready\n"]);
  });

  it("R8a: fifty streams that say nothing end with the reason and a status, and the process with 0", async () => {
    const { program, ready, directory } = await started("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0");
    const token = readFileSync(join(directory, "aaepd.token"), "utf8").trim();
    const clients = [
      createClient(SubscriberService, createGrpcTransport({ baseUrl: `http://${ready.endpoints.grpc?.[0]}` })),
      createClient(
        SubscriberService,
        createConnectTransport({ baseUrl: `http://${ready.endpoints.http?.[0]}`, httpVersion: "2" }),
      ),
    ];
    let acceptedCount = 0;
    let tellAccepted: () => void = () => {};
    const allAccepted = new Promise<void>((resolve) => {
      tellAccepted = resolve;
    });
    const streams = Array.from({ length: 50 }, async (_, index) => {
      const client = clients[index % clients.length];
      const last: { reason?: string | undefined; error?: ConnectError } = {};
      try {
        for await (const { message } of client?.listen(create(ListenRequestSchema), withToken(token)) ?? []) {
          if (message.case === "accepted" && ++acceptedCount === 50) tellAccepted();
          if (message.case === "close") last.reason = message.value.reasonCode;
        }
      } catch (caught) {
        last.error = ConnectError.from(caught);
      }
      return last;
    });
    await allAccepted;
    program.signal("SIGTERM");
    for (const { reason, error } of await Promise.all(streams)) {
      expect(reason).toBe("producer_shutdown");
      expect(error?.code).toBe(Code.Unavailable);
      expect(error?.findDetails(AaepdErrorSchema)).toMatchObject([{ code: "shutting_down" }]);
    }
    expect(await program.ended).toMatchObject({ code: 0 });
  });

  it.runIf(process.platform === "linux")(
    "AAEP §8.2.7: TCP answers under the three documented hosts and the configured address, and under no other",
    async () => {
      const usual = await started("--socket", "off", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0");
      const elsewhere = await started("--socket", "off", "--http", "127.0.0.2:0");
      const documented = ["localhost", "127.0.0.1", "[::1]"];
      for (const host of documented) expect([host, await healthOf(usual.ready, host)]).toEqual([host, 200]);
      for (const host of ["127.0.0.2", "127.0.0.9", "127.1"])
        expect([host, await healthOf(usual.ready, host)]).toEqual([host, 403]);
      for (const host of [...documented, "127.0.0.2"])
        expect([host, await healthOf(elsewhere.ready, host)]).toEqual([host, 200]);
      expect(await healthOf(elsewhere.ready, "127.0.0.3")).toBe(403);

      const session = connect(`http://${usual.ready.endpoints.grpc?.[0]}`);
      onTestFinished(() => session.destroy());
      const stream = session.request({
        ":method": "POST",
        ":path": "/grpc.health.v1.Health/Check",
        ":authority": "127.0.0.2",
        "content-type": "application/grpc",
        te: "trailers",
      });
      // One empty message.
      stream.end(Buffer.alloc(5));
      const [headers] = await once(stream, "response");
      // PERMISSION_DENIED.
      expect(headers["grpc-status"]).toBe("7");
    },
  );

  itInFull("starts where packages are links, as pnpm lays them out", async () => {
    const folder = temporaryDirectory();
    for (const name of ["bin", "dist", "gen", "package.json"])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, dereference: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
    const environment = { PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR, AAEPD_AUDIT: "off" };
    const entry = join(folder, "bin", "aaepd.js");
    const program = startProgram(["serve", "--grpc", "auto", "--http", "auto"], { environment, entry });
    const [line = ""] = await program.stdoutLines(1);
    expect(JSON.parse(line)).toMatchObject({ endpoints: { grpc: [`unix:${join(directory, "aaepd.grpc")}`] } });
  });

  it("AAEP §8.2.8: refuses what would leave the machine, says why, and leaves nothing behind", async () => {
    const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
    const environment = { PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR, AAEPD_AUDIT: "off" };
    for (const address of ["0.0.0.0:0", "[::]:0", "example.com:80"]) {
      const { code, stderr } = await runCommandLine(
        ["serve", "--grpc", `unix:${directory}/x.grpc,${address}`],
        environment,
      );
      expect(code).toBe(2);
      expect(stderr).toMatch(/^Error: --grpc is .* Give addresses of this machine, .* must be encrypted/);
      expect([existsSync(join(directory, "x.grpc")), existsSync(join(directory, "aaepd.sock"))]).toEqual([
        false,
        false,
      ]);
    }
  });
});
