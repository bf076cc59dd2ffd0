// Languages between a real daemon and those who connect to it: in its manifest, in what it answers to a subscription, and in what it sends (AAEP ch. 11,
// R2, R14, R31).
import { describe, expect, it } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { RpcPeer } from "../support/peers/peers.js";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const CATALOGUES = ["en", "es", "fr", "de", "ja", "ar"];

const declare = (agent: RpcPeer, ...languages: string[]) =>
  agent.request("aaep.set_manifest", {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:producer.manifest",
    agent_id: "planner",
    languages_supported: languages,
  });

describe("R14, AAEP §11.2", () => {
  it("the manifest names the languages of the daemon, and of the one agent that it was started for", async () => {
    const rig = await startRig({ stdio: true, configuration: { defaultLanguage: "yo-NG" } });
    const manifest = async () => rig.parent().request("aaep.manifest", {});
    expect((await manifest()).conformance_levels_supported).toEqual([1, 2, 3]);
    expect((await manifest()).languages_supported).toEqual(["yo-NG", ...CATALOGUES]);
    await declare(rig.parent(), "ha-NG", "fr");
    expect((await manifest()).languages_supported).toEqual(["ha-NG", "fr", "yo-NG", "en", "es", "de", "ja", "ar"]);
  });

  it("§11.2: a language that nobody here speaks is noted, and honored while an agent is there that does", async () => {
    const rig = await startRig();
    const answerTo = async (...languages: string[]) => {
      const listener = await rig.plain();
      const { honored_capabilities: honored, negotiation_notes: notes } = await listener.subscribe(
        requestOf({ languages }),
      );
      await listener.close();
      return [(honored as Message).languages, notes] as const;
    };
    const note = 'languages: nobody here speaks "yo-NG" yet; until somebody does, texts come in other languages.';
    expect(await answerTo("yo-NG", "en-GB")).toEqual([["en-GB"], expect.stringContaining(note)]);
    expect(await answerTo("yo-NG", "ha")).toEqual([
      ["yo-NG"],
      expect.stringContaining('nobody here speaks "yo-NG", "ha"'),
    ]);
    const agent = await rig.rpc();
    await declare(agent, "yor", "en");
    expect(await answerTo("yo-NG", "en-GB")).toEqual([["yo-NG", "en-GB"], undefined]);
    await declare(agent, "ha");
    expect(await answerTo("hau", "yo-NG")).toEqual([["hau"], expect.stringContaining(note)]);
    await agent.close();
    await expect.poll(async () => (await answerTo("ha"))[1]).toContain('nobody here speaks "ha" yet');
  });

  it("R14: the order asked for is kept for agents that come later", async () => {
    const rig = await startRig();
    const listener = await rig.plain();
    await listener.subscribe(requestOf({ languages: ["iw", "ind", "en"] }));
    const agent = await rig.rpc();
    const event = {
      session_id: nextSession(),
      summary_normal: "Begins.",
      localization_hints: { primary_language: "eng" },
    };
    const told = async () => {
      const { summary_normal, localization_hints: hints } = await listener.events.next("a text");
      return [summary_normal, (hints as Message).primary_language];
    };
    const begun = {
      ...event,
      type: "aaep:agent.session.started",
      summary_normal_id: "Mulai.",
      summary_normal_he: "מתחיל.",
    };
    await agent.publish(begun);
    expect(await told()).toEqual(["מתחיל.", "he"]);
    const ended = { ...event, type: "aaep:agent.session.completed", summary_normal_in: "Selesai." };
    await agent.publish(ended);
    expect(await told()).toEqual(["Selesai.", "in"]);
  });

  it("R2: by a default that has no catalogue, agents' texts are in it and the daemon's are in English, and both say so", async () => {
    const rig = await startRig({ clock: "hands", configuration: { defaultLanguage: "yo-NG" } });
    const listener = await rig.plain();
    await listener.subscribe(requestOf({ languages: ["yo"] }));
    const agent = await rig.rpc();
    const session_id = nextSession();
    await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Ó bẹ̀rẹ̀." });
    await agent.publish({ type: "aaep:agent.tool.invoked", session_id, tool: "search", summary_normal: "Ó ń wá." });
    await agent.close();
    await rig.advance(5000);
    const heard = await listener.events.take(4, "the session and its end");
    const told = heard.map(({ type, localization_hints: hints }) => [
      type,
      (hints as Message | undefined)?.primary_language,
    ]);
    expect(told).toEqual([
      ["aaep:agent.session.started", "yo-NG"],
      ["aaep:agent.tool.invoked", "yo-NG"],
      ["aaep:agent.tool.completed", "en"],
      ["aaep:agent.session.errored", "en"],
    ]);
  });

  it("R2: an agent's texts are in the first language that its manifest lists", async () => {
    const rig = await startRig();
    const listener = await rig.plain();
    await listener.subscribe(requestOf());
    const agent = await rig.rpc();
    await declare(agent, "ha-NG", "en");
    await agent.publish({ type: "aaep:agent.session.started", session_id: nextSession(), summary_normal: "An fara." });
    expect((await listener.events.next("the start")).localization_hints).toEqual({ primary_language: "ha-NG" });
  });
});
