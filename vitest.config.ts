import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // What needs more than Node, other languages' tools and a browser, is a run of its own: `npm run test:tools`.
    exclude: [...configDefaults.exclude, ...(process.env.TEST_TOOLS === undefined ? ["test/tools/**"] : [])],
    // Two cores: more workers only make real sockets and child processes slower.
    maxWorkers: 2,
    setupFiles: ["test/setup.ts"],
    // No assertion of speed: a hang is told, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
