// docs/operations.md: its commands are run, and its tables hold against what a daemon shows. What needs the programs of systemd and Prometheus stands
// in test/tools.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { OPTION_NAMES } from "../../src/daemon/config/config-schema.js";
import { keyOf } from "../../src/daemon/config/option-names.js";
import { readCursor } from "../../src/engine/event/cursor.js";
import { serve } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage, docTable } from "../support/doc-blocks.js";
import { metricsOfRig } from "../support/metrics-of-rig.js";
import { environmentWithAaepd } from "../support/peers/aaepd-on-path.js";
import { listenInLines, publishInLines, subscribedInLines } from "../support/peers/line-listener.js";
import { createEngineRig, session } from "../support/rigs/engine-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = docPage("operations.md");
const packaged = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../packaging/${path}`, import.meta.url)), "utf8");

/** The page of a daemon with one subscriber, as it is scraped. */
async function scraped(): Promise<string> {
  const rig = createEngineRig();
  rig.listen({}, "reader");
  rig.publish(session().started());
  return metricsOfRig(rig).text();
}

const typesOf = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));

/** Labels by metric, of its samples. `le` belongs to the type. */
function labelsOf(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const names = [...typesOf(text).keys()];
  const found = new Map<string, Set<string>>();
  for (const [, sample = "", labels = ""] of text.matchAll(/^([a-z]\w*)\{(.*)\} /gm)) {
    const name = names.find((one) => sample === one || sample.replace(/_(bucket|sum|count)$/, "") === one) ?? sample;
    const known = found.get(name) ?? new Set();
    found.set(name, known);
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) if (label !== "le") known.add(label);
  }
  return found;
}

const METRIC_ROWS = docTable(PAGE, "metric", "type", "labels", "meaning");
const plain = (cell: string | undefined): string => (cell ?? "").replaceAll("`", "");

describe("the metrics", () => {
  it.runIf(process.platform === "linux")("each has a row with its type, and each row is a metric", async () => {
    const types = typesOf(await scraped());
    expect(types.size).toBeGreaterThan(60);
    expect(METRIC_ROWS.map(([name, type]) => `${plain(name)} ${type}`).sort()).toEqual(
      [...types].map(([name, type]) => `${name} ${type}`).sort(),
    );
  });

  it("each row has the labels of the samples, and a meaning", async () => {
    const labels = labelsOf(await scraped());
    const wrong = METRIC_ROWS.flatMap(([name, , cell, meaning]) => {
      const told = plain(cell).split(", ").filter(Boolean).sort();
      // Requests to the system, and collections of garbage, need not have happened.
      const shown = [...(labels.get(plain(name)) ?? told)].sort();
      return told.join() === shown.join() && (meaning ?? "").length > 4 ? [] : [`${name}: ${shown.join()}`];
    });
    expect(wrong).toEqual([]);
    expect(labels.size).toBeGreaterThan(15);
  });
});

describe("what is in packaging", () => {
  const names = new Set(METRIC_ROWS.map(([name]) => plain(name)));
  /** Names of metrics in an expression. `up` and `job` are Prometheus's own. */
  const metricsIn = (text: string): readonly string[] =>
    [...text.matchAll(/\b(?:aaepd|process|nodejs)_\w+/g)].map(([name]) =>
      names.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""),
    );

  it("the alerts are those of the page, and read metrics of the page", () => {
    const rules = packaged("prometheus/aaepd.rules.yml");
    const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
    expect(docTable(PAGE, "alert", "fires when").map(([name]) => plain(name))).toEqual(alerts);
    for (const annotation of ["summary", "remedy", "severity"])
      expect(rules.match(new RegExp(`\\b${annotation}: \\S`, "g"))).toHaveLength(alerts.length);
    const used = metricsIn(rules);
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  it("the dashboard reads metrics of the page", () => {
    const used = metricsIn(packaged("grafana/aaepd.json"));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe("limits", () => {
  it("each setting of the table is an option", () => {
    const rows = docTable(PAGE, "limit", "default", "setting");
    const settings = rows.flatMap(([, , setting = ""]) => [...setting.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(settings.length).toBeGreaterThan(8);
    const known: readonly string[] = OPTION_NAMES.map(keyOf);
    expect(settings.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
  });
});

describe.runIf(process.platform !== "win32")("backup and restore", () => {
  beforeAll(ensureBuilt, 120_000);

  /** A user with `aaepd` on the path. */
  function user() {
    const directory = temporaryDirectory();
    const env = environmentWithAaepd(directory);
    const run = (block: string): string =>
      execFileSync("bash", ["--norc", "-euc", docBlock(PAGE, "sh", block)], { encoding: "utf8", cwd: directory, env });
    return { directory, run, journal: join(directory, ".local/state/aaepd/journal/aaepd") };
  }

  const eventsOf = (id: string): readonly object[] =>
    [
      { type: "aaep:agent.session.started", summary_normal: "Begins." },
      { type: "aaep:agent.output.streaming", output_id: "out_1", chunk: "A book.", complete: true },
      { type: "aaep:agent.session.completed", summary_normal: "Done." },
    ].map((event) => ({ ...event, session_id: id, producer: { agent_id: "tester" } }));

  /** One boot in which a session is published; returns the cursor with which the daemon closes its listener. `meanwhile` comes before its stop. */
  async function boot(directory: string, id: string, cursor?: string, meanwhile?: () => void) {
    const daemon = await serve(directory);
    const listener = await subscribedInLines(
      daemon.socketPath,
      {},
      cursor === undefined ? {} : { extensions: { aaepd: { resume_after: cursor } } },
    );
    const agent = await listenInLines(daemon.socketPath);
    await publishInLines(agent, eventsOf(id));
    await listener.line((line) => line.includes("session.completed") && line.includes(id));
    meanwhile?.();
    await daemon.stop();
    await listener.closed;
    const [accepted, ...heard] = listener.lines.map((line) => JSON.parse(line));
    return { accepted, heard, cursor: String(heard.at(-1).extensions.aaepd.cursor) };
  }

  const epochOf = (cursor: string): number => readCursor(cursor)?.after ?? 0;
  const sessionsIn = (text: string): readonly string[] => [...new Set(text.match(/sess_\w+/g) ?? [])].sort();

  it("the journal of the backup is there again, and a cursor from after it loses nothing that follows", async () => {
    const { directory, run, journal } = user();
    await boot(directory, "sess_before", undefined, () => run("backup"));
    expect(statSync(join(directory, "aaepd-backup")).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, "aaepd-backup/journal.mdb")).mode & 0o777).toBe(0o600);
    const later = await boot(directory, "sess_after");
    expect(run("restore")).toMatch(
      /^Restored the journal \S+: \d+ events\.\nWhat was there before is kept as \S+before-restore-\S+\. /,
    );
    const back = await boot(directory, "sess_restored", later.cursor);
    expect(back.accepted.honored_capabilities.aaepd.resumed).toBe("gap");
    expect(back.heard.filter(({ session_id: id }) => id === "sess_restored")).toHaveLength(3);
    run("export");
    expect(sessionsIn(readFileSync(join(directory, "events.ndjson"), "utf8"))).toEqual([
      "sess_before",
      "sess_restored",
    ]);
    rmSync(journal, { recursive: true });
    expect(run("restore")).toMatch(/^Restored the journal \S+: \d+ events\.\n$/);
    const elsewhere = await boot(directory, "sess_elsewhere", back.cursor);
    expect(elsewhere.accepted.honored_capabilities.aaepd.resumed).toBe("gap");
    expect(epochOf(elsewhere.cursor)).toBeGreaterThan(epochOf(back.cursor));
  });
});
