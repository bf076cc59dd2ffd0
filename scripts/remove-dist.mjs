// npm runs this before it packs: `dist` may have files whose sources are gone. `prepare` builds everything anew after it.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
