// The file to copy in Python. Those of other languages are in test/tools.
import { STRANGERS_SESSIONS, testCopiedFile } from "../support/copied-file.js";

testCopiedFile({
  language: "Python",
  files: {
    "aaep_agent.py": "examples/python/aaep_agent.py",
    "stranger.py": "test/fixtures/stranger/stranger.py",
  },
  build: [],
  command: ["python3", "stranger.py"],
  sessions: STRANGERS_SESSIONS,
  prints: ["3", "The shelf is empty.", "The shelf is empty.", "cancelled"],
  mistakes: [/completed of three failed/, /not JSON compliant/, /keys must be str/],
});
