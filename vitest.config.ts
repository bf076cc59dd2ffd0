import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: more workers only make real sockets and child processes slower.
    maxWorkers: 2,
    setupFiles: ["test/setup.ts"],
    // No assertion of speed: a hang is told, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
