// The names of AAEP and of the daemon's own extension in events. No other file of the engine spells them.

/** The core vocabulary: the first element of every `@context` (AAEP §3.2.1). */
export const CORE_VOCABULARY = "https://aaep-protocol.org/context/v1";

/** The vocabulary of the daemon's own extension. */
export const AAEPD_VOCABULARY = "https://aaepd.dev/context/v1";

/** The prefix of the daemon's own extension: its member of `extensions`. */
export const AAEPD = "aaepd";

/** The prefix of core types in their short form (AAEP §3.2.2). */
export const CORE_PREFIX = "aaep:";

/** The beginning of core types in their full form, in place of the prefix (AAEP §3.2.2). */
export const CORE_TYPE_URI = "https://aaep-protocol.org/types/";

/** The beginning of the types of an agent's events; a `TopicKind` follows. */
export const AGENT_TYPE = "aaep:agent.";

/** The value of `by` in events that the daemon makes (R31). */
export const BY_DAEMON = "daemon";

/** The call by which an agent declares who it is. */
export const SET_MANIFEST = "aaep.set_manifest";
