// The MCP SDK's server, which receives notifications and only checks their order.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createOrderCheck, numberOf } from "../events.mjs";

const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: {} });
const check = createOrderCheck();
server.fallbackNotificationHandler = async ({ method, params }) => {
  if (method === "aaep/event") check(numberOf(params));
};
server.onerror = (error) => {
  throw error;
};
await server.connect(new StdioServerTransport());
