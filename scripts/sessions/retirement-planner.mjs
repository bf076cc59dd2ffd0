// A question with choices, two tools one after the other, and a long answer in Markdown with what trips sentence splitters up:
// abbreviations, decimals, amounts, lists, a table, a link, a fenced code block. The answer to the question (67) comes from the listener's side
// and is therefore not in the file.

const ANSWER = `# Your retirement plan

You are 36 and want to stop working at 67, so there are 31 years, i.e. 372 monthly contributions, ahead of you. Here is what I found.

## Where you stand

- **Savings today:** $48,250.75 in your retirement account.
- **Contributions:** $900.00 a month, approx. 14.5% of your gross pay.
- **Fees:** 0.62% a year, vs. about 0.07% for a typical U.S. index fund.

At an average return of 5.0% after inflation, $900.00 a month grows to about $1,025,000. Drawing 4% a year, that pays approx. $3,417 a month, \
which is $583 short of the $4,000.00 you asked for.

## What I suggest

1. Raise your contribution by $250.00, to $1,150.00 a month. It closes the gap: about $1,247,000 at 67, or $4,156 a month.
2. Move the money to a cheaper fund. A fee that is 0.55 points lower (e.g. an index fund for your target year) matters more than it seems.
3. Ask your employer, Brightwater Inc., whether it matches contributions. Many do, up to 3% or so.
4. Keep three to six months of expenses, say $9,600.00, outside the plan.

| Monthly contribution | At 67 | Income a month |
|---|---:|---:|
| $900.00 | $1,025,007 | $3,417 |
| $1,150.00 | $1,246,786 | $4,156 |
| $1,400.00 | $1,468,565 | $4,895 |

## How I calculated it

\`\`\`python
rate = 0.05 / 12            # 5.0% a year, after inflation
months = (67 - 36) * 12     # 372
growth = (1 + rate) ** months
total = 48250.75 * growth + 1150 * (growth - 1) / rate
print(f"{total:,.2f}")      # 1,246,786.12
\`\`\`

Nobody can promise 5.0%. If returns average only 4.0%, you end up at about $1,011,000 instead! Would you still be comfortable then? \
If not, plan for 70 rather than 67, or look at the numbers again with Dr. Adeyemi, your adviser, before the next review on Jan. 15.

You can read more about withdrawal rates in [this short guide](https://example.com/guides/withdrawal-rates?age=67), esp. in ch. 2. \
I have not changed anything in your accounts.
`;

export const retirementPlanner = {
  name: "retirement-planner",
  seed: 401,
  startedAt: "2026-05-24T14:22:11.342Z",
  producer: { agent_id: "retirement-planner", agent_version: "1.4.2", agent_name: "Retirement Planner" },
  hints: undefined,
  steps: [
    {
      type: "session.started",
      event: {
        summary_terse: "Planning.",
        summary_normal: "Retirement Planner is working on your plan.",
        summary_detailed:
          "Retirement Planner is working on your plan. It will ask one question, read your retirement balance, project it to the age you choose and write a recommendation. Nothing will be changed in your accounts.",
        expected_duration_ms: 40000,
        requested_by: "user:folake",
        request_text: "How much do I have to put aside to retire on $4,000 a month?",
        tools_available: ["fetch_balance", "calculate_projection"],
      },
    },
    {
      after: 180,
      type: "state.changed",
      event: {
        from_state: "idle",
        to_state: "thinking",
        summary_terse: "Thinking.",
        summary_normal: "Reading your question.",
        summary_detailed: "Reading your question and working out which figures are missing.",
        expected_duration_ms: 1500,
      },
    },
    {
      after: 1400,
      type: "state.changed",
      event: {
        from_state: "thinking",
        to_state: "awaiting_input",
        urgency: "normal",
        summary_terse: "Question for you.",
        summary_normal: "Waiting for the age at which you want to retire.",
        summary_detailed: "Waiting for the age at which you want to retire. The projection starts once it is known.",
      },
    },
    {
      after: 15,
      type: "awaiting.clarification",
      event: {
        question: "At what age do you want to retire?",
        timeout_seconds: 120,
        accepted_response_kinds: ["multiple_choice", "numeric"],
        choices: [
          { value: "62", label: "At 62, as early as possible" },
          { value: "65", label: "At 65" },
          { value: "67", label: "At 67, with a full state pension" },
          { value: "70", label: "At 70, with the highest state pension" },
        ],
        context: "Every year later means one year more to save and one year fewer to pay for.",
        default_response: "67",
        summary_terse: "Retire at what age?",
        summary_normal: "At what age do you want to retire: 62, 65, 67 or 70? You can also type another age.",
      },
    },
    {
      after: 6200,
      type: "state.changed",
      event: {
        from_state: "awaiting_input",
        to_state: "thinking",
        urgency: "normal",
        summary_terse: "Age 67.",
        summary_normal: "Thank you. I am planning for age 67.",
        summary_detailed: "Thank you. I am planning for age 67, which leaves 31 years to save.",
      },
    },
    {
      after: 620,
      type: "tool.invoked",
      call: "balance",
      event: {
        tool: "fetch_balance",
        description: "Reads the balance of one account.",
        args_summary: "account: retirement",
        summary_terse: "Reading balance.",
        summary_normal: "Reading the balance of your retirement account.",
        summary_detailed: "Reading the balance of your retirement account and what you have paid in each month.",
        expected_duration_ms: 1500,
        risk_level: "low",
        irreversible: false,
      },
    },
    {
      after: 1350,
      type: "tool.completed",
      call: "balance",
      event: {
        tool: "fetch_balance",
        status: "success",
        summary_terse: "$48,250.75.",
        summary_normal: "Your retirement account holds $48,250.75.",
        summary_detailed:
          "Your retirement account holds $48,250.75. You pay in $900.00 a month; the fund costs 0.62% a year.",
      },
    },
    {
      after: 90,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "deciding",
        summary_terse: "Deciding.",
        summary_normal: "Choosing what to project.",
        summary_detailed: "Choosing which contributions to project, given a balance of $48,250.75.",
      },
    },
    {
      after: 740,
      type: "tool.invoked",
      call: "projection",
      event: {
        tool: "calculate_projection",
        description: "Projects savings to a given age.",
        args_summary: "age: 67, contributions: 900, 1150, 1400",
        summary_terse: "Projecting.",
        summary_normal: "Projecting three contributions to age 67.",
        summary_detailed:
          "Projecting contributions of $900, $1,150 and $1,400 a month to age 67, at several rates of return.",
        expected_duration_ms: 6000,
        risk_level: "low",
        irreversible: false,
      },
    },
    ...[
      [20, 1, 4800],
      [60, 2, 2400],
      [90, 3, 600],
    ].map(([percent, step, eta]) => ({
      after: 1500,
      type: "progress.updated",
      event: {
        progress: { percent, step, total_steps: 3, description: `Projection ${step} of 3` },
        summary_terse: `${percent} percent.`,
        summary_normal: `Projection ${step} of 3, ${percent} percent done.`,
        eta_ms: eta,
      },
    })),
    {
      after: 700,
      type: "tool.completed",
      call: "projection",
      event: {
        tool: "calculate_projection",
        status: "success",
        summary_terse: "Projected.",
        summary_normal: "The projection is ready: $1,150 a month reaches your goal.",
        summary_detailed:
          "The projection is ready: $900 a month ends $583 a month short of your goal, $1,150 reaches it, $1,400 exceeds it.",
      },
    },
    {
      after: 60,
      type: "state.changed",
      event: {
        from_state: "calling_tool",
        to_state: "writing_output",
        summary_terse: "Writing.",
        summary_normal: "Writing your plan.",
        summary_detailed: "Writing your plan: where you stand, what I suggest, and how it was calculated.",
        expected_duration_ms: 15000,
      },
    },
    {
      after: 850,
      output: {
        text: ANSWER,
        contentType: "text/markdown",
        tokensPerSecond: 62,
        pauses: [0.12, 0.34, 0.58, 0.86],
        endsEmpty: true,
      },
    },
    {
      after: 120,
      type: "session.completed",
      event: {
        summary_terse: "Plan ready.",
        summary_normal: "Your retirement plan is ready: $1,150 a month reaches your goal at 67.",
        summary_detailed:
          "Your retirement plan is ready. Raising your contribution from $900 to $1,150 a month reaches $4,000 a month at 67, at a return of 5.0% after inflation. Nothing was changed in your accounts.",
        output_summary: "A plan with four suggestions, a table of three contributions and the calculation.",
      },
    },
  ],
};
