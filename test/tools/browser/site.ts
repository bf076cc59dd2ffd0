// A web site on a port of its own, so that its pages are of another origin than the daemon.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface Site {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Joins each entry, by its name, with all that it imports. Answers the files by their names. */
export async function bundleScripts(input: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  const bundle = await rolldown({ input: { ...input }, cwd: ROOT, platform: "browser" });
  try {
    const { output } = await bundle.generate({ format: "esm" });
    return new Map(output.map((file) => [file.fileName, file.type === "chunk" ? file.code : String(file.source)]));
  } finally {
    await bundle.close();
  }
}

/** Serves the scripts on loopback, and at `/` a page with what `body` answers then. */
export async function serveSite(scripts: ReadonlyMap<string, string>, body: () => string): Promise<Site> {
  const server = createServer((request, response) => {
    const script = scripts.get(request.url?.slice(1) ?? "");
    if (script !== undefined) {
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(script);
    } else if (request.url === "/") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><html lang="en"><title>Listener</title>\n${body()}</html>\n`);
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
