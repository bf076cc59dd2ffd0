import type { ProducerManifest } from "#gen/aaep/types.js";
import { isOpen, type ServiceName, WAY_NAMES, WAYS } from "../../../transports/ways.js";
import { AAEPD, AAEPD_VOCABULARY, CORE_VOCABULARY } from "../../engine/event/vocabulary.js";
import { distinctTags } from "../../engine/terms/language.js";
import { AAEP_VERSION } from "../../protocols/aaep/subscriber/negotiate.js";
import { ownLanguages } from "../../protocols/aaep/subscriber/spoken-languages.js";
import type { Configuration } from "../config/config.js";

/** Path of the manifest on the HTTP server (AAEP §5.10.2). */
export const MANIFEST_PAGE = "/.well-known/aaep-manifest.json";

/** The conformance levels of AAEP chapter 9; a signed manifest is optional at every level (AAEP §9.5.1). */
export const CONFORMANCE_LEVELS: readonly number[] = [1, 2, 3];

/** Of the paths of Server-Sent Events and WebSocket (AAEP app. B.1.1). */
const PATH_PREFIX = "/aaep/v1";
/** The protocols that share the daemon's connections (R23). */
const PROTOCOLS: readonly string[] = [`aaep ${AAEP_VERSION}`, "a2e 1.0", "akashik 0.1.0"];

/**
 * The result of `aaepd conformance` for the daemon itself, for its manifest (AAEP §9.1). docs/conformance has the whole report. The claim names no
 * report, because the reports have no public address, and a path of the package means nothing to a reader elsewhere.
 */
export const CONFORMANCE_CLAIM = {
  suite: "aaepd",
  suite_version: "1.2.0",
  level: 3,
  date: "2026-11-26",
} as const;

export interface ManifestFacts {
  readonly configuration: Pick<
    Configuration,
    "producerId" | "defaultLanguage" | "maxConcurrentSubscriptions" | "socket" | ServiceName
  >;
  readonly version: string;
  /** Whether an agent is connected over standard input and output. */
  readonly hasStdio: boolean;
  /** The manifest declared by the one agent that this daemon was started for; that agent is then the producer (R1). */
  readonly agent?: Readonly<Partial<ProducerManifest>> | undefined;
}

/** Makes the manifest of the producer that subscribers meet here (AAEP §5.10). */
export function daemonManifest(facts: ManifestFacts): ProducerManifest {
  const { configuration, version, hasStdio, agent } = facts;
  const { producerId } = configuration;
  const ways = WAY_NAMES.filter((name) => (name === "stdio" ? hasStdio : isOpen(name, configuration)));
  return {
    "@context": CORE_VOCABULARY,
    type: "aaep:producer.manifest",
    ...(agent?.agent_id === undefined
      ? { agent_id: producerId, agent_version: version, agent_name: producerId }
      : { agent_id: agent.agent_id, ...pick(agent, ["agent_version", "agent_name"]) }),
    aaep_versions_supported: [AAEP_VERSION],
    conformance_levels_supported: CONFORMANCE_LEVELS,
    transports_supported: ways.flatMap((name) => WAYS[name].transports),
    // The languages of the one agent, whose first language applies to texts that name none, and the daemon's own languages (R2, R31).
    languages_supported: distinctTags([
      ...(agent?.languages_supported ?? []),
      ...ownLanguages(configuration.defaultLanguage),
    ]),
    event_types_emitted: agent?.event_types_emitted ?? ["aaep:agent.*"],
    extensions_supported: [...new Set([AAEPD_VOCABULARY, ...(agent?.extensions_supported ?? [])])],
    default_verbosity: agent?.default_verbosity ?? "normal",
    max_concurrent_subscriptions: configuration.maxConcurrentSubscriptions,
    extensions: {
      [AAEPD]: {
        protocols: PROTOCOLS,
        conformance: CONFORMANCE_CLAIM,
        ...(isOpen("http", configuration) ? { path_prefix: PATH_PREFIX } : {}),
      },
    },
    ...pick(agent, ["contact"]),
  };
}

/** Returns the members of `names` that the agent declares. */
function pick<Name extends keyof ProducerManifest>(
  agent: Readonly<Partial<ProducerManifest>> | undefined,
  names: readonly Name[],
) {
  const declared = names.filter((name) => agent?.[name] !== undefined).map((name) => [name, agent?.[name]]);
  return Object.fromEntries(declared) as Partial<Pick<ProducerManifest, Name>>;
}
