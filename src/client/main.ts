// The exports of `@aaepd/client` for programs that run in Node: those of index.ts and of node.ts. Browsers get index.ts alone.
export * from "./index.js";
export * from "./node.js";
// Both have these. In Node an agent finds its daemon by itself, a listener finds all daemons, and HTTP reaches Unix sockets too.
export { httpConnector, httpRpcConnector, openAgent, subscribe } from "./node.js";
