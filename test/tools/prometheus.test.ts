// What is made for Prometheus, judged by Prometheus itself: the page of the metrics, the rules and their alerts, the dashboard, and a real scrape.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { freePort } from "../support/free-port.js";
import { hasProgram } from "../support/languages.js";
import { listenInLines, publishInLines, subscribedInLines } from "../support/peers/line-listener.js";
import { fixture, startCommand, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

const PACKAGING = fileURLToPath(new URL("../../packaging", import.meta.url));
const RULES = join(PACKAGING, "prometheus/aaepd.rules.yml");

/** All that promtool says, and its exit code in front. */
function promtool(words: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync("promtool", words, { encoding: "utf8", input });
  if (error !== undefined) throw error;
  return `${status} ${stdout}${stderr}`;
}

/** A daemon with a listener and an agent, watched at an address of HTTP with a token that lasts. */
async function watched() {
  const directory = temporaryDirectory();
  const tokenFile = join(directory, "monitor.token");
  const socket = join(directory, "own.sock");
  const http = ["--http", "127.0.0.1:0", "--http-token-file", tokenFile];
  const program = startProgram(["serve", "--journal", "memory", "--socket", socket, ...http]);
  const [ready = "{}"] = await program.stdoutLines(1);
  const [address = ""] = JSON.parse(ready).endpoints.http;
  await subscribedInLines(socket, { max_events_per_second: 5 });
  const agent = await listenInLines(socket);
  const started = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
  await publishInLines(agent, [{ ...started, producer: { agent_id: "tester" } }]);
  const page = async (): Promise<string> => {
    const token = readFileSync(tokenFile, "utf8").trim();
    return (await fetch(`http://${address}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  };
  return { address, tokenFile, page };
}

/** Where all checks run, a missing program fails. */
describe.runIf(hasProgram("promtool") || process.env.CI === "true")("promtool", () => {
  it("finds no fault in the metrics, and would find one", async () => {
    const { page } = await watched();
    const text = await page();
    expect(text).toContain('aaepd_subscriber_delivered_total{subscriber_id="listener"} 1\n');
    expect(promtool(["check", "metrics"], text)).toBe("0 ");
    expect(promtool(["check", "metrics"], `${text}# TYPE aaepd_more counter\naaepd_more 1\n`)).toContain("_total");
  });

  it("finds no fault in the rules and in the configuration", () => {
    expect(promtool(["check", "rules", RULES])).toMatch(/^0 [\s\S]*SUCCESS: 11 rules found/);
    const configuration = join(PACKAGING, "prometheus/prometheus.yml");
    expect(promtool(["check", "config", "--syntax-only", configuration])).toMatch(/^0 [\s\S]*is valid/);
  });

  it("each alert fires for a daemon in trouble, and none for a quiet one", () => {
    const path = join(temporaryDirectory(), "alerts.yml");
    writeFileSync(path, readFileSync(fixture("alerts.yml"), "utf8").replace("[RULES]", JSON.stringify([RULES])));
    expect(promtool(["test", "rules", path])).toMatch(/^0 [\s\S]*SUCCESS/);
  });

  it("can read each expression of the dashboard", () => {
    const { panels } = JSON.parse(readFileSync(join(PACKAGING, "grafana/aaepd.json"), "utf8"));
    const expressions = panels.flatMap(({ targets }: { readonly targets: readonly { readonly expr: string }[] }) =>
      targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", "a")),
    );
    expect(expressions.length).toBeGreaterThan(15);
    const rules = expressions.map((expr: string, index: number) => ({ record: `dashboard:${index}`, expr }));
    const path = join(temporaryDirectory(), "dashboard.yml");
    // JSON is YAML.
    writeFileSync(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(promtool(["check", "rules", path])).toMatch(/^0 [\s\S]*SUCCESS/);
  });
});

describe.runIf(hasProgram("prometheus") || process.env.CI === "true")("prometheus", () => {
  it("scrapes a daemon with the configuration of the package, and has its samples", async () => {
    const { address, tokenFile } = await watched();
    const directory = temporaryDirectory();
    copyFileSync(RULES, join(directory, "aaepd.rules.yml"));
    copyFileSync(tokenFile, join(directory, "aaepd.token"));
    const configured = readFileSync(join(PACKAGING, "prometheus/prometheus.yml"), "utf8");
    const port = address.slice(address.lastIndexOf(":") + 1);
    expect(configured).toContain("localhost:8700");
    writeFileSync(
      join(directory, "prometheus.yml"),
      configured.replace("localhost:8700", `localhost:${port}`).replace("scrape_interval: 15s", "scrape_interval: 1s"),
    );
    mkdirSync(join(directory, "data"));
    const own = `127.0.0.1:${await freePort()}`;
    const scraper = startCommand([
      "prometheus",
      `--config.file=${join(directory, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=${own}`,
    ]);
    const value = async (query: string): Promise<string | undefined> => {
      const answer = await fetch(`http://${own}/api/v1/query?query=${encodeURIComponent(query)}`);
      return ((await answer.json()) as Answer).data.result[0]?.value[1];
    };
    await eventually(async () => {
      expect(await value("up").catch(scraper.stderr)).toBe("1");
    });
    expect(await value("aaepd_build_info")).toBe("1");
    expect(await value('aaepd_subscriber_delivered_total{subscriber_id="listener"}')).toBe("1");
    expect(await value("aaepd_publish_latency_seconds_count")).toBe("1");
    expect(await value('count(aaepd_delivery_latency_seconds_bucket{pace="limited"})')).toBe("17");
  });
});

interface Answer {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}
