// The platform that vscode-jsonrpc works on. Its part for Node brings that along, and calls `require` for modules of Node, which a program that was
// bundled as an ES module does not have.
import { RAL } from "vscode-jsonrpc";

/** Gives the library its platform, unless another user of the library in this process did. */
export function installPlatform(): void {
  try {
    RAL();
  } catch {
    // Reading and writing are this project's own.
    RAL.install({ console, timer } as unknown as Parameters<typeof RAL.install>[0]);
  }
}

type Callback = (...args: unknown[]) => void;

const timer = {
  setTimeout: (callback: Callback, milliseconds: number, ...args: unknown[]) => {
    const handle = setTimeout(callback, milliseconds, ...args);
    return { dispose: () => clearTimeout(handle) };
  },
  setImmediate: (callback: Callback, ...args: unknown[]) => {
    const handle = setImmediate(callback, ...args);
    return { dispose: () => clearImmediate(handle) };
  },
  setInterval: (callback: Callback, milliseconds: number, ...args: unknown[]) => {
    const handle = setInterval(callback, milliseconds, ...args);
    return { dispose: () => clearInterval(handle) };
  },
};
