// npm runs this script before it packs, because `dist` may have files whose sources are gone. The build follows, in `prepare`.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
