// The hosts into whose settings `aaepd hook install` writes, with the events of each.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { isOnPath } from "../shell/program-paths.js";
import { isAtLeast } from "../shell/program-versions.js";
import type { Environment } from "../terminal/command-io.js";

export interface InstalledEvent {
  readonly event: string;
  /** Version of the host that has the event. A host may refuse its settings for an event that it does not know. */
  readonly since?: string;
  /** The agent need not wait for the hook: nothing that follows depends on its order. */
  readonly mayBeLate?: true;
  /** The hook may wait for a person. */
  readonly asks?: true;
}

export interface SettingsHost {
  readonly id: HookHostId;
  readonly name: string;
  /** The program that tells its version by `--version`. */
  readonly program: string;
  readonly settings: (environment: Environment) => string;
  readonly events: readonly InstalledEvent[];
  /** Whether questions are answered unless the person wants it otherwise. */
  readonly answersByDefault: boolean;
  /** How long the host waits for a hook that asks, s: longer than the question lives. */
  readonly askSeconds: number;
  /** The version from which a hook may be late. */
  readonly lateSince: string | undefined;
  /** A step that is left to the person. */
  readonly afterwards: string | undefined;
}

/** How long a host waits for a hook that asks nothing, s. The hook itself leaves much earlier. Codex grants some events no more. */
export const TELL_SECONDS = 3;

export const SETTINGS_HOSTS: Readonly<Record<HookHostId, SettingsHost>> = {
  claude: {
    id: "claude",
    name: "Claude Code",
    program: "claude",
    settings: ({ CLAUDE_CONFIG_DIR: directory, HOME: home = homedir() }) =>
      join(directory || join(home, ".claude"), "settings.json"),
    answersByDefault: true,
    askSeconds: 130,
    lateSince: "2.1.0",
    afterwards: undefined,
    events: [
      { event: "SessionStart", mayBeLate: true },
      { event: "UserPromptSubmit" },
      { event: "PreToolUse" },
      { event: "PermissionRequest", since: "2.0.45", asks: true },
      { event: "PermissionDenied", since: "2.1.89" },
      { event: "PostToolUse", mayBeLate: true },
      { event: "PostToolUseFailure", since: "2.1.20", mayBeLate: true },
      { event: "MessageDisplay", since: "2.1.152" },
      { event: "Stop" },
      { event: "StopFailure", since: "2.1.78" },
      { event: "SubagentStart", since: "2.0.43", mayBeLate: true },
      { event: "SubagentStop", mayBeLate: true },
      { event: "Notification", mayBeLate: true },
      { event: "Elicitation", since: "2.1.76", mayBeLate: true },
      { event: "ElicitationResult", since: "2.1.76", mayBeLate: true },
      { event: "PreCompact", mayBeLate: true },
      { event: "SessionEnd" },
    ],
  },
  codex: {
    id: "codex",
    name: "Codex",
    program: "codex",
    settings: ({ CODEX_HOME: directory, HOME: home = homedir() }) =>
      join(directory || join(home, ".codex"), "hooks.json"),
    answersByDefault: false,
    askSeconds: 70,
    lateSince: undefined,
    afterwards: "Codex runs them after you have trusted them once: type /hooks in Codex.",
    events: [
      { event: "SessionStart" },
      { event: "UserPromptSubmit" },
      { event: "PreToolUse" },
      { event: "PermissionRequest", asks: true },
      { event: "PostToolUse" },
      { event: "PreCompact" },
      { event: "SubagentStart" },
      { event: "SubagentStop" },
      { event: "Stop" },
      { event: "Interrupt", since: "0.150.0" },
      { event: "SessionEnd", since: "0.150.0" },
    ],
  },
};

/** Whether the host is installed for this user: its folder of settings is there, or its program is. */
export function isHostHere({ program, settings }: SettingsHost, environment: Environment): boolean {
  return existsSync(dirname(settings(environment))) || isOnPath(program, environment);
}

/** The version of a host that is not known: every later one has its events. */
const OLDEST = "2.0.45";

/** The events that a host of that version has; undefined: of an unknown version. */
export function eventsOf({ events }: SettingsHost, version: string | undefined): readonly InstalledEvent[] {
  return events.filter(({ since }) => since === undefined || isAtLeast(version ?? OLDEST, since));
}

/** Whether hooks of a host of that version may be late. */
export function mayBeLate({ lateSince }: SettingsHost, version: string | undefined): boolean {
  return lateSince !== undefined && version !== undefined && isAtLeast(version, lateSince);
}
