// The exports of `aaepd` for programs that run in Node: those of `aaepd/client` and of `aaepd/client/node`. Browsers get `aaepd/client` by that name.
export * from "./index.js";
export * from "./node.js";
// Both have an agent; in Node it finds its daemon by itself.
export { openAgent } from "./node.js";
