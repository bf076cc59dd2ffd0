// The MCP SDK's server, which takes notifications and does nothing with them.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: {} });
server.fallbackNotificationHandler = async () => {};
await server.connect(new StdioServerTransport());
