import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // What needs more than Node, other languages' tools and a browser, is a run of its own: `npm run test:tools`.
    // What takes many minutes is one too: `npm run test:memory`, `npm run test:soak`; `npm run test:crash` is a longer run of what stands here.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env.TEST_TOOLS === undefined ? ["test/tools/**"] : []),
      ...(process.env.TEST_LONG === undefined ? ["test/long/memory.test.ts", "test/long/soak.test.ts"] : []),
    ],
    // Two cores: more workers only make real sockets and child processes slower.
    maxWorkers: 2,
    setupFiles: ["test/setup.ts"],
    // No assertion of speed: a hang is told, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
