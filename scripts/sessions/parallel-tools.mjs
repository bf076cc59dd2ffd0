// Three tools at once: one succeeds, one fails, one never answers and is given up while the answer is already being written. The session ends in an
// error that the user can put right, after a partial answer.

const PARTIAL_ANSWER = `## Release check for cart 2.4.1

I can tell you about the tests. The other two checks did not give a result yet, so please treat this as half an answer.

**Tests: 412 ran, 411 passed, 1 failed.** The failing one is \`rounds totals to cents\` in \`test/cart/total.test.ts\`, line 48:

\`\`\`text
AssertionError: expected 19.990000000000002 to equal 19.99
    at test/cart/total.test.ts:48:31
    at src/cart/total.ts:17:10
\`\`\`

The cause is most likely that v2.4.1 adds prices as floating-point numbers, cf. Mr. Okafor's change of May 28, ticket No. 311. Counting in cents, \
e.g. \`1999\` rather than \`19.99\`, avoids it:

\`\`\`ts
const totalCents = items.reduce((sum, item) => sum + item.priceCents * item.count, 0);
return (totalCents / 100).toFixed(2);
\`\`\`

Two things are worth knowing before you change it:

* \`formatPrice()\` in src/cart/format.ts already divides by 100, so the total would be divided twice (€19.99 would become €0.20).
* The test took 3.2 s, up from 0.4 s in 2.4.0. It starts a server it does not need... I would remove that, too.

**Dependencies:** not checked. The advisory service refused the sign-in, see below.

**Deployment log:** not read. The log server did not answer within 14 seconds; staging may or may not be healthy. \
Please look at https://status.example.com/staging?since=2h before you release.
`;

const call = (name, tool, terse, normal, detailed, args, expected) => ({
  type: "tool.invoked",
  call: name,
  event: {
    tool,
    args_summary: args,
    summary_terse: terse,
    summary_normal: normal,
    summary_detailed: detailed,
    expected_duration_ms: expected,
    risk_level: "low",
    irreversible: false,
  },
});

const progress = (after, percent, description) => ({
  after,
  type: "progress.updated",
  event: {
    progress: { percent, description },
    summary_terse: `${percent} percent.`,
    summary_normal: `${description}, ${percent} percent.`,
  },
});

export const parallelTools = {
  name: "parallel-tools",
  seed: 402,
  startedAt: "2026-06-02T09:05:40.017Z",
  producer: { agent_id: "release-checker", agent_version: "0.9.0", agent_name: "Release Checker" },
  hints: { primary_language: "en-GB" },
  steps: [
    {
      type: "session.started",
      event: {
        summary_terse: "Checking.",
        summary_normal: "Release Checker is checking cart 2.4.1.",
        summary_detailed:
          "Release Checker is checking cart 2.4.1. It runs the tests, looks for known weaknesses in the dependencies and reads the log of the last deployment, all at the same time.",
        expected_duration_ms: 35000,
        requested_by: "user:amina",
        request_text: "Can we release cart 2.4.1 today?",
        tools_available: ["run_tests", "scan_dependencies", "fetch_deploy_log"],
      },
    },
    {
      after: 210,
      type: "state.changed",
      event: {
        from_state: "idle",
        to_state: "thinking",
        summary_terse: "Thinking.",
        summary_normal: "Working out which checks to run.",
        summary_detailed: "Working out which checks to run for a release of cart 2.4.1.",
      },
    },
    {
      after: 1900,
      type: "state.changed",
      event: {
        from_state: "thinking",
        to_state: "calling_tool",
        summary_terse: "Three checks.",
        summary_normal: "Starting three checks at once.",
        summary_detailed: "Starting three checks at once: tests, dependencies, deployment log.",
        expected_duration_ms: 10000,
      },
    },
    {
      after: 20,
      ...call(
        "tests",
        "run_tests",
        "Running tests.",
        "Running the tests.",
        "Running all 412 tests of the package cart.",
        "package: cart, version: 2.4.1",
        8000,
      ),
    },
    {
      after: 8,
      ...call(
        "dependencies",
        "scan_dependencies",
        "Scanning dependencies.",
        "Looking for known weaknesses in the dependencies.",
        "Comparing 87 dependencies with the advisory database.",
        "lockfile: cart, 87 packages",
        3000,
      ),
    },
    {
      after: 6,
      ...call(
        "log",
        "fetch_deploy_log",
        "Reading log.",
        "Reading the log of the last deployment.",
        "Reading the log of the last deployment to staging, the last two hours.",
        "environment: staging, since: 2h",
        2000,
      ),
    },
    progress(1500, 15, "Running the tests"),
    {
      after: 700,
      type: "tool.completed",
      call: "dependencies",
      event: {
        tool: "scan_dependencies",
        status: "error",
        error_message: "The advisory service answered 401: the sign-in has expired.",
        summary_terse: "Scan failed.",
        summary_normal: "The dependencies could not be checked: your sign-in has expired.",
        summary_detailed:
          "The dependencies could not be checked. The advisory service refused the request because your sign-in expired on June 1.",
      },
    },
    progress(1800, 50, "Running the tests"),
    progress(1800, 80, "Running the tests"),
    {
      after: 1600,
      type: "tool.completed",
      call: "tests",
      event: {
        tool: "run_tests",
        status: "success",
        summary_terse: "One test failed.",
        summary_normal: "The tests have run: 411 passed, 1 failed.",
        summary_detailed:
          "The tests have run: 411 passed, 1 failed. The failing test is about rounding totals to cents.",
      },
    },
    {
      after: 1400,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "writing_output",
        summary_terse: "Writing.",
        summary_normal: "Writing down what is known so far.",
        summary_detailed: "Writing down what is known so far, while the deployment log is still awaited.",
      },
    },
    {
      after: 700,
      output: {
        text: PARTIAL_ANSWER,
        contentType: "text/markdown",
        tokensPerSecond: 58,
        pauses: [0.1, 0.45, 0.7],
        endsEmpty: false,
        during: [
          {
            at: 0.52,
            type: "tool.completed",
            call: "log",
            event: {
              tool: "fetch_deploy_log",
              status: "timeout",
              error_message: "The log server did not answer in time.",
              summary_terse: "Log timed out.",
              summary_normal: "The deployment log could not be read: the server did not answer.",
              summary_detailed:
                "The deployment log could not be read: the log server of staging did not answer in time. I have given up on it.",
            },
          },
        ],
      },
    },
    {
      after: 350,
      type: "state.changed",
      event: {
        from_state: "writing_output",
        to_state: "deciding",
        summary_terse: "Deciding.",
        summary_normal: "Deciding whether the check can go on.",
        summary_detailed: "Deciding whether the check can go on without the dependencies and the deployment log.",
      },
    },
    {
      after: 4200,
      type: "session.errored",
      event: {
        error_category: "requires_user",
        error_code: "ADVISORY_SIGN_IN_EXPIRED",
        error_uri: "https://example.com/help/advisory-sign-in",
        summary_terse: "Stopped: sign in again.",
        summary_normal: "The release check stopped: your sign-in to the advisory service has expired.",
        summary_detailed:
          "The release check stopped with one of three checks done. Your sign-in to the advisory service has expired, so the dependencies were not checked; the deployment log was not read because its server did not answer.",
        recoverable: true,
        remediation_hint:
          "Sign in to the advisory service again under Settings, Accounts, then ask for the release check once more. The tests need not run again.",
      },
    },
  ],
};
