import { CLAUDE } from "./claude/claude-hooks.js";
import { CODEX } from "./codex/codex-hooks.js";
import type { HookHost, HookHostId } from "./hook-host.js";

/** The hosts whose hooks are read. Another one is a folder of its own and an entry here. */
export const HOOK_HOSTS: Readonly<Record<HookHostId, HookHost>> = { claude: CLAUDE, codex: CODEX };
