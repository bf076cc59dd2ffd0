// The vendor's hook: a command that makes the producer show a scenario.
import { type ChildProcess, spawn } from "node:child_process";
import { endingWords, shellRefusal, signalGroup } from "../wire/commands.js";
import { type Driver, SCENARIOS, type ScenarioName } from "./driver.js";

/** The exit code by which the command says that its producer cannot show the scenario. */
const CANNOT = 3;

/**
 * `command` is read by the system's shell. It gets the name of the scenario in AAEP_SCENARIO, and the scenario's sentence in AAEP_SCENARIO_TEXT. It
 * ends with 0 when the scenario is over, and with 3 if the producer cannot show it. A command that the shell cannot run is not asked again.
 */
export function hookDriver(command: string): Driver {
  const running = new Set<ChildProcess>();
  const lacking = new Map<ScenarioName, string>();
  const failures = new Set<string>();
  let broken: string | undefined;
  return {
    lacks: (scenario) => broken ?? lacking.get(scenario),
    fault: () => broken,
    failures: () => [...failures],
    perform: async (scenario) => {
      const environment = { ...process.env, AAEP_SCENARIO: scenario, AAEP_SCENARIO_TEXT: SCENARIOS[scenario] };
      const child = spawn(command, {
        shell: true,
        stdio: ["ignore", "inherit", "inherit"],
        env: environment,
        detached: true,
      });
      running.add(child);
      const done = new Promise<void>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => {
          running.delete(child);
          const refusal = shellRefusal(code);
          if (refusal !== undefined) broken = `The control command cannot be run. ${refusal}`;
          if (code === CANNOT) lacking.set(scenario, `The control command cannot show the scenario "${scenario}".`);
          if (code === 0 || code === CANNOT) return resolve();
          const failure = `The control command failed at the scenario "${scenario}" (${endingWords(code, signal)}).`;
          if (refusal === undefined && !lacking.has(scenario)) failures.add(failure);
          reject(new Error(failure));
        });
      });
      done.catch(() => {});
      const giveUp = (): void => {
        lacking.set(scenario, `No session began at the scenario "${scenario}", and the control command did not end.`);
        signalGroup(child, "SIGKILL");
      };
      return { sessionId: undefined, done, giveUp };
    },
    stop: async () => {
      for (const child of running) signalGroup(child, "SIGKILL");
    },
  };
}
