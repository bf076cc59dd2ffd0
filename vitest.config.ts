import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The floods once did not end within three minutes, for a cause not yet known: they run by `npm run test:floods`.
    exclude: process.env.FLOODS === "1" ? [] : ["test/hostile/floods.test.ts"],
    // Two cores: more workers only make real sockets and child processes slower.
    maxWorkers: 2,
    setupFiles: ["test/setup.ts"],
    // No assertion of speed: a hang is told, on however busy a machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
