// The `@context` URIs the engine knows. Protocols read them from here.

/** The core vocabulary: the first element of every `@context` (AAEP §3.2.1). */
export const CORE_VOCABULARY = "https://aaep-protocol.org/context/v1";

/** The vocabulary of the daemon's own extension, prefix `aaepd`. */
export const AAEPD_VOCABULARY = "https://aaepd.dev/context/v1";
