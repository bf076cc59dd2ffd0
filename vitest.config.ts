import { configDefaults, defineConfig } from "vitest/config";

/** Files that replace modules of Node, or that have to be alone in their process. The others share the modules of their worker. */
const ALONE = ["test/storage/lmdb/compaction-order.test.ts", "test/storage/lmdb/epoch-note.test.ts"];

// More than Node is needed by the tools of other languages and a browser, `npm run test:tools`. Many minutes are needed by `npm run test:soak` and
// `npm run test:conformance`. `npm run test:crash`, `test:agent-kills` and `test:agent-memory` are longer runs of tests that stand here.
const OTHER_RUNS = [
  ...(process.env.TEST_TOOLS === undefined ? ["test/tools/**"] : []),
  ...(process.env.TEST_LONG === undefined ? ["test/long/soak.test.ts", "test/long/conformance-mutants.test.ts"] : []),
];

const SHARED = {
  setupFiles: ["test/setup.ts"],
  // No assertion of speed: a hang is told, on however busy a machine.
  testTimeout: 180_000,
  hookTimeout: 60_000,
  // Of `expect.poll`, likewise.
  expect: { poll: { timeout: 60_000, interval: 10 } },
};

export default defineConfig({
  test: {
    // For two cores: many tests wait for instants or for processes, and so leave room for two more.
    maxWorkers: 4,
    // What is compiled is kept in node_modules for the next run. A changed file is compiled anew.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...SHARED,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...OTHER_RUNS, ...ALONE],
          isolate: false,
        },
      },
      { test: { ...SHARED, name: "alone", include: ALONE } },
    ],
  },
});
